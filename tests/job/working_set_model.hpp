// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "modelled_memory.hpp"

namespace ballast::test {
using namespace detail;

/// What a task does with whole words of an array.
struct modelled_need {
  std::size_t array;
  byte_range bytes;
  bool is_read, is_written;

  std::size_t first() const { return bytes.begin / sizeof(word); }
  std::size_t count() const { return bytes.size() / sizeof(word); }
};

/// Tasks on devices with little memory: what is planned is carried out later in any legal order, on the words
/// of the invented memories, and what tasks read is compared with what a sequential program reads.
class working_set_model {
 public:
  working_set_model(std::uint32_t devices, std::size_t bytes_of_device, std::vector<std::size_t> const& words,
                    std::mt19937& engine)
      : all_(engine) {
    for (std::size_t i = 0; i < words.size(); ++i)
      all_.arrays.emplace_back(array_id(i + 1), words[i], devices + 1, all_.ops);
    for (std::uint32_t place = 1; place <= devices; ++place)
      devices_.push_back(std::make_unique<modelled_memory>(all_, place_id(place), bytes_of_device));
  }

  std::vector<array_in_memory> const& arrays() const { return all_.arrays; }
  residency_counts const& counts() const { return all_.counts; }
  std::size_t drawn(std::size_t least, std::size_t most) { return all_.drawn(least, most); }

  /// Nothing if too much is pinned, which only tasks that have not ended do.
  void plan_task(std::uint32_t device, std::vector<modelled_need> const& needs) {
    auto& on = *devices_[device];
    auto const residents = on.set.pin(hulls(needs), on);
    if (!residents) {
      ASSERT_GT(on.tasks, 0);
      return void(++all_.counts.refusals);
    }
    ++on.tasks;
    ++all_.counts.tasks;
    plan_task(on, needs, *residents);
    on.check();
  }
  void plan_host_access(modelled_need const& need) {
    auto& array = all_.arrays[need.array];
    auto* const first = &array.at_host[need.first()];
    if (need.is_read) fetch_to({}, host, need, first);
    auto const op = all_.ops.add(op_kind::host_access, {0, host_streams_++});
    if (need.is_read) array.directory.record_read(op, host, need.bytes);
    if (need.is_written) array.directory.record_write(op, host, need.bytes);
    all_.order.add({op, work_of({need}, {first})});
  }
  void evict_unpinned(std::uint32_t device) {
    devices_[device]->set.evict_unpinned(*devices_[device]);
    devices_[device]->check();
  }
  void carry_out_one() {
    if (!all_.order.is_empty()) all_.order.carry_out_one();
    if (drawn(0, 4) == 0 && all_.newest != op_id()) all_.ops.forget_before(all_.newest);
  }
  void carry_out_all() {
    while (!all_.order.is_empty()) carry_out_one();
  }

 private:
  static constexpr place_id host{0};

  std::vector<needed_bytes> hulls(std::vector<modelled_need> const& needs) const {
    std::vector<needed_bytes> found;
    for (auto const& need : needs) found.push_back({all_.arrays[need.array].id, need.bytes});
    return found;
  }

  void plan_task(modelled_memory& on, std::vector<modelled_need> const& needs,
                 std::vector<resident_bytes> const& residents) {
    std::vector<word*> words;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      all_.counts.waits_for_memory += int(residents[i].dependencies.size());
      words.push_back(on.at(residents[i].offset));
      if (needs[i].is_read) fetch_to(residents[i].dependencies, on.place(), needs[i], words[i]);
    }
    auto const op = all_.plan(op_kind::kernel, on.place());
    for (auto const& resident : residents) all_.depend_on(op, resident.dependencies);
    record(op, on.place(), needs);
    all_.order.add({op, work_of(needs, words), false, [&on, residents](op_status) {
                      on.set.unpin(residents);
                      --on.tasks;
                    }});
  }
  void record(op_id op, place_id place, std::vector<modelled_need> const& needs) {
    for (auto const& need : needs)
      if (need.is_read) all_.arrays[need.array].directory.record_read(op, place, need.bytes);
    for (auto const& need : needs)
      if (need.is_written) all_.arrays[need.array].directory.record_write(op, place, need.bytes);
  }

  void fetch_to(op_set const& after, place_id place, modelled_need const& need, word* first) {
    auto& array = all_.arrays[need.array];
    for (auto const missing : array.directory.missing(place, need.bytes))
      for (auto const& held : array.directory.holders(missing))
        for (auto const& [bytes, from, words] : sources(array, held)) {
          auto const op = all_.plan(op_kind::copy, place);
          all_.depend_on(op, after);
          array.directory.record_arrival(op, from, place, bytes);
          all_.copy(op, first + (bytes.begin - need.bytes.begin) / sizeof(word), words, bytes.size());
        }
  }
  struct source {
    byte_range bytes;
    place_id place;
    word const* words;
  };
  std::vector<source> sources(array_in_memory& array, held_bytes const& held) {
    for (auto const& from : devices_)
      if (held.places & from->bit() && ((held.places & 1) == 0 || drawn(0, 1) == 0)) {
        std::vector<source> found;
        for (auto const& [bytes, offset] : from->set.located(array.id, held.bytes))
          found.push_back({bytes, from->place(), from->at(offset)});
        return found;
      }
    return {{held.bytes, host, &array.at_host[held.bytes.begin / sizeof(word)]}};
  }

  /// Reads what a sequential program reads now, and writes new words.
  std::function<void()> work_of(std::vector<modelled_need> const& needs, std::vector<word*> const& words) {
    std::vector<std::function<void()>> steps;
    for (std::size_t i = 0; i < needs.size(); ++i)
      if (needs[i].is_read)
        steps.push_back([expected = now(needs[i]), first = words[i]] {
          ASSERT_TRUE(std::ranges::equal(expected, std::span(first, expected.size())));
        });
    for (std::size_t i = 0; i < needs.size(); ++i)
      if (needs[i].is_written)
        steps.push_back([values = write(needs[i]), first = words[i]] { std::ranges::copy(values, first); });
    return [steps] {
      for (auto const& step : steps) step();
    };
  }
  std::vector<word> now(modelled_need const& need) const {
    auto const first = all_.arrays[need.array].now.begin() + std::ptrdiff_t(need.first());
    return {first, first + std::ptrdiff_t(need.count())};
  }
  std::vector<word> write(modelled_need const& need) {
    std::vector<word> values(need.count());
    for (auto& value : values) value = word(all_.engine());
    std::ranges::copy(values, all_.arrays[need.array].now.begin() + std::ptrdiff_t(need.first()));
    return values;
  }

  modelled_copies all_;
  std::vector<std::unique_ptr<modelled_memory>> devices_;
  std::uint32_t host_streams_ = 0;
};

}  // namespace ballast::test
