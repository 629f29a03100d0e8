// SPDX-License-Identifier: Apache-2.0
// Launch streams on threads of their own, each with a line of launches whose order shows in what they
// compute.

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/detail/launch/order_policy.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"
#include "kernels.cuh"
#include "scenario.hpp"

namespace ballast::soak {

using namespace detail;
namespace {

struct planted : std::exception {};

/// The launches of one launch stream, and how far they were carried out.
class line_of_launches {
 public:
  line_of_launches(scenario& of, std::shared_ptr<compute_device> const& device, std::uint64_t seed)
      : device_(device), words_(device, of.drawn(1, 5)) {
    std::minstd_rand random{std::uint32_t(seed)};
    std::ranges::fill(words_.span(), 1u);
    for (auto i = of.drawn(1, 400); i > 0; --i)
      steps_.push_back({std::uint32_t(random() | 1), std::uint32_t(random()), random() % 3 == 0});
  }

  /// Launches what is left; at `fault` something that throws, if it comes to that.
  void launch(launch_queue& queue, std::int32_t priority, std::size_t fault, soak_counts& counts) {
    completions_.clear();
    try {
      auto launch_stream = queue.make_launch_stream(launch_stream_options{priority});
      for (auto at = done_; at < steps_.size(); ++at) {
        if (at == fault) launch_stream.launch([](stream&) { throw planted(); });
        completions_.push_back(launch_one(launch_stream, steps_[at]));
        ++counts.tasks;
      }
    } catch (planted const&) {
    } catch (error const&) {}  // the queue was stopped
  }

  /// When the queue is gone, or has been drained.
  void count_finished() {
    for (auto const& done : completions_) {
      if (!has_finished(done)) return;
      ++done_;
    }
  }
  bool is_complete() const { return done_ == steps_.size(); }
  std::size_t steps() const { return steps_.size(); }
  std::size_t done() const { return done_; }

  /// Whether the words are what the steps done so far make of them.
  bool is_right() const {
    std::uint32_t expected = 1;
    for (std::size_t i = 0; i < done_; ++i) expected = expected * steps_[i].factor + steps_[i].addend;
    return std::ranges::all_of(words_.span(), [&](auto word) { return word == expected; });
  }

 private:
  struct step {
    std::uint32_t factor, addend;
    bool widely;
  };

  completion launch_one(launch_stream& by, step const& one) {
    array_ref<std::uint32_t> const words(words_.data());
    auto const grid = std::uint32_t(words_.size());
    if (one.widely) return by.launch(advance_widely{words, one.factor, one.addend}, grid);
    return by.launch(advance{words, one.factor, one.addend}, grid);
  }
  static bool has_finished(completion const& done) {
    try {
      done.wait_until(late());
      return true;
    } catch (planted const&) {
    } catch (timed_out const&) { throw; } catch (error const&) {
    }
    return false;
  }

  std::shared_ptr<compute_device> device_;
  pinned_buffer<std::uint32_t> words_;
  std::vector<step> steps_;
  std::vector<completion> completions_;
  std::size_t done_ = 0;
};

class launch_program {
 public:
  explicit launch_program(scenario& of) : of_(of), devices_(of.devices(2)) {
    for (auto i = of.drawn(1, 6); i > 0; --i)
      lines_.emplace_back(of, devices_.front(), of.drawn(1, 1u << 30));
  }

  void run() {
    for (auto stops = of_.drawn(0, 2); stops > 0; --stops) {
      run_once(true, false);
      ++of_.counts.stops;
      ++of_.counts.resumes;
    }
    if (of_.one_in(4)) {
      run_once(false, true);
      ++of_.counts.resumes;
    }
    run_once(false, false);
    for (auto const& line : lines_)
      if (!line.is_complete()) ++of_.counts.lost, of_.print("launches were not carried out");
  }

 private:
  launch_options options() {
    launch_options options;
    options.order = of_.name_of(order_policies());
    options.key = of_.name_of(order_keys());
    options.merge = of_.name_of(merge_policies());
    options.filter_merges = of_.one_in(2);
    options.streams = std::uint32_t(of_.drawn(0, 4));
    options.max_waiting = of_.one_in(2) ? 65536 : of_.drawn(1, 32);
    return options;
  }

  void run_once(bool stops, bool fails) {
    launch_queue queue(devices_, kernels_to_launch(), options());
    auto const pause = std::chrono::microseconds(of_.drawn(0, 3000));
    auto const broken = of_.drawn(0, lines_.size() - 1);
    std::size_t const fault =
        fails ? of_.drawn(lines_[broken].done(), lines_[broken].steps()) : ~std::size_t(0);
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < lines_.size(); ++i)
        threads.emplace_back([&, i, priority = std::int32_t(of_.drawn(0, 3))] {
          lines_[i].launch(queue, priority, i == broken ? fault : ~std::size_t(0), of_.counts);
        });
      std::this_thread::sleep_for(pause);
      if (stops) queue.stop();
    }
    if (!stops) wait(queue);
    of_.counts.faults += fails && fault < lines_[broken].steps();
    count();
  }

  void wait(launch_queue& queue) {
    if (of_.one_in(2)) try {
        queue.wait_all(deadline::in(std::chrono::microseconds(20)));
      } catch (timed_out const&) { ++of_.counts.deadlines; }
    queue.wait_all(late());
  }

  void count() {
    for (auto& line : lines_) {
      line.count_finished();
      if (!line.is_right()) of_.report_failure("a line's words are not what its launches make of them");
    }
  }

  scenario& of_;
  device_list devices_;
  std::vector<line_of_launches> lines_;
};

}  // namespace

void soak_launch(scenario& of) { launch_program(of).run(); }

}  // namespace ballast::soak
