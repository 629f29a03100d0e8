// SPDX-License-Identifier: Apache-2.0
// Random jobs and accesses of the host on three arrays, beside which stands what they have to be.

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "ballast/detail/job/split_policy.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "kernels.cuh"
#include "scenario.hpp"

namespace ballast::soak {

using namespace detail;
namespace {

using word_rows = shared_array<std::uint32_t, 2>;
using words = std::vector<std::uint32_t>;

class job_program {
 public:
  explicit job_program(scenario& of)
      : of_(of),
        rows_(std::uint32_t(of.drawn(1, 60))),
        columns_(std::uint32_t(of.drawn(1, 40))),
        devices_(of.devices(3)),
        whole_devices_(devices_.size()),
        jobs_(devices_, kernels_of_jobs(), options()) {
    for (std::size_t i = 0; i < 3; ++i) write_anew(i);
  }

  void run() {
    for (auto steps = of_.drawn(5, 60); steps > 0; --steps) step();
    check();
    while (of_.one_in(3)) {
      fail_in_factory();
      for (auto steps = of_.drawn(1, 10); steps > 0; --steps) step();
      check();
    }
    if (of_.has_gpus() || whole_devices_ == 1 || !of_.one_in(3)) return;
    lose_a_device();
    for (auto steps = of_.drawn(1, 10); steps > 0; --steps) step();
    check();
  }

 private:
  /// Memory for little more than the arrays of one job, or for all.
  job_options options() {
    job_options options;
    options.policy = of_.name_of(split_policies());
    options.in_flight = std::uint32_t(of_.drawn(1, 4));
    options.device_bytes =
        of_.one_in(2) ? std::uint64_t(1) << 22 : 4096 + std::uint64_t(rows_) * columns_ * 10;
    options.reuse = !of_.one_in(4);
    return options;
  }
  std::uint32_t elements() const { return rows_ * columns_; }
  job_setup setup(std::uint32_t units) {
    of_.counts.tasks += units;
    return {.grid = units,
            .policy = of_.one_in(3) ? std::string() : of_.name_of(split_policies()),
            .tasks = std::uint32_t(of_.drawn(0, 12))};
  }

  void step() {
    auto const i = of_.drawn(0, 2), to = (i + 1) % 3;
    switch (of_.drawn(0, 7)) {
      case 0:
        return add(i);
      case 1:
        return mark(i);
      case 2:
        return mix(i, to);
      case 3:
        return sum(i, to);
      case 4:
        return update_on_host(i);
      case 5:
        return read_on_host(i);
      case 6:
        return add_to_some(i);
      default:
        std::swap(arrays_[i], arrays_[to]), std::swap(expected_[i], expected_[to]);
    }
  }

  void add(std::size_t i) {
    auto const by = std::uint32_t(of_.drawn(1, ~0u));
    jobs_.submit(setup(elements()), updates(arrays_[i]), [by](auto all) { return add_to_each{all, by}; });
    for (auto& word : expected_[i]) word += by;
  }
  /// Tasks of the others use nothing of the array.
  void add_to_some(std::size_t i) {
    auto const by = std::uint32_t(of_.drawn(1, ~0u));
    auto const part = range();
    auto const first = std::uint32_t(part.begin), end = std::uint32_t(part.end);
    auto const own = [first, end](map_view const& view) {
      index_range const both{std::max(view.part.first, first),
                             std::min(view.part.first + view.part.count, end)};
      return both.begin < both.end ? region({both}) : region();
    };
    jobs_.submit(setup(elements()), updates(arrays_[i], own), [=](auto all) {
      return add_to_each{all, by, first, end};
    });
    for (auto at = first; at < end; ++at) expected_[i][at] += by;
  }
  void mark(std::size_t i) {
    auto const by = std::uint32_t(of_.drawn(1, ~0u));
    jobs_.submit(setup(elements()), writes_some(arrays_[i]), [by](auto all) { return mark_even{all, by}; });
    for (std::uint32_t at = 0; at < elements(); at += 2) expected_[i][at] = by + at;
  }
  void mix(std::size_t from, std::size_t to) {
    auto const height = rows_, width = columns_;
    jobs_.submit(setup(rows_), reads(arrays_[from], neighborhood(1)), writes(arrays_[to], rows),
                 [=](auto now, auto next) {
                   return mix_rows{now, next, height, width};
                 });
    auto const at = [&](std::uint32_t row, std::uint32_t column) {
      return expected_[from][std::size_t(row) * width + column];
    };
    for (std::uint32_t row = 0; row < height; ++row)
      for (std::uint32_t column = 0; column < width; ++column)
        expected_[to][std::size_t(row) * width + column] = 3 * at(row == 0 ? 0 : row - 1, column) +
                                                           5 * at(row, column) +
                                                           7 * at(std::min(row + 1, height - 1), column);
  }
  void sum(std::size_t from, std::size_t to) {
    jobs_.submit(setup(elements()), reads(arrays_[from], all), writes(arrays_[to]),
                 [many = elements()](auto a, auto b) {
                   return add_all{a, b, many};
                 });
    auto const total = std::accumulate(expected_[from].begin(), expected_[from].end(), 0u);
    for (std::uint32_t at = 0; at < elements(); ++at) expected_[to][at] = total + at;
  }

  index_range range() {
    auto const begin = of_.drawn(0, elements() - 1);
    return {begin, of_.drawn(begin + 1, elements())};
  }
  void update_on_host(std::size_t i) {
    auto const part = range();
    for (auto& word : arrays_[i].update(part)) word += 7;
    for (auto at = part.begin; at < part.end; ++at) expected_[i][at] += 7;
  }
  void read_on_host(std::size_t i) {
    auto const part = range();
    if (of_.one_in(4)) try {
        arrays_[i].read(part, deadline::in(std::chrono::microseconds(10)));
      } catch (timed_out const&) { ++of_.counts.deadlines; }
    auto const expected = std::span(expected_[i]).subspan(part.begin, part.end - part.begin);
    if (!std::ranges::equal(arrays_[i].read(part), expected))
      of_.report_failure("a range that the host read");
  }

  void write_anew(std::size_t i) {
    expected_[i].resize(elements());
    for (auto& word : expected_[i]) word = std::uint32_t(of_.drawn(0, ~0u));
    std::ranges::copy(expected_[i], arrays_[i].write().begin());
  }
  bool is_right(std::size_t i) const { return std::ranges::equal(arrays_[i].read(), expected_[i]); }
  void check() {
    for (std::size_t i = 0; i < 3; ++i)
      if (!is_right(i)) of_.report_failure("array " + std::to_string(i));
  }

  /// Its array is lost, and the others are not.
  void fail_in_factory() {
    auto const i = of_.drawn(0, 2);
    auto const done = jobs_.submit(setup(elements()), updates(arrays_[i]), [](auto all) {
      if (all) throw std::runtime_error("a planted failure");
      return add_to_each{all, 1};
    });
    if (of_.one_in(2)) add((i + 1) % 3);
    expect_failure(done);
    for (std::size_t other = 0; other < 3; ++other)
      if (other != i && !is_right(other)) of_.report_failure("an array beside one of a failed job");
    write_anew(i);
  }
  void expect_failure(completion const& done) {
    try {
      done.wait_until(late());
      of_.report_failure("a job that throws was not told");
    } catch (job_failed const&) { ++of_.counts.faults; }
  }

  /// What it alone had may be lost, which a read tells; the rest is as it was.
  void lose_a_device() {
    jobs_.wait_all(late());
    shared_array<std::uint32_t> bait(jobs_, {1});
    bait.write()[0] = 0;
    expect_failure(jobs_.submit({1}, updates(bait), [](auto word) { return fault{word}; }));
    jobs_.wait_all(late());
    for (std::size_t i = 0; i < 3; ++i) try {
        if (!is_right(i)) of_.report_failure("an array after a device was lost");
      } catch (timed_out const&) { throw; } catch (error const&) {
        write_anew(i);
      }
  }

  scenario& of_;
  std::uint32_t rows_, columns_;
  device_list devices_;
  std::size_t whole_devices_;
  job_scheduler jobs_;
  std::array<word_rows, 3> arrays_{word_rows(jobs_, {rows_, columns_}), word_rows(jobs_, {rows_, columns_}),
                                   word_rows(jobs_, {rows_, columns_})};
  std::array<words, 3> expected_;
};

}  // namespace

void soak_job(scenario& of) { job_program(of).run(); }

}  // namespace ballast::soak
