// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "modelled_task.hpp"
#include "random_order.hpp"

namespace ballast::test {
using namespace detail;

/// What happened in a model.
struct model_counts {
  int copies_from_host = 0, copies_to_host = 0, copies_between_devices = 0, tasks = 0, failed_tasks = 0,
      failed_copies = 0, refused_tasks = 0, evictions = 0, waits = 0;

  model_counts& operator+=(model_counts const& other) {
    using counts = model_counts;
    for (auto const counter :
         {&counts::copies_from_host, &counts::copies_to_host, &counts::copies_between_devices, &counts::tasks,
          &counts::failed_tasks, &counts::failed_copies, &counts::refused_tasks, &counts::evictions,
          &counts::waits})
      this->*counter += other.*counter;
    return *this;
  }
};

/// Plans tasks by the directories of some arrays, carries out what was planned in any legal order, later, on
/// copies of the arrays, and compares what each task reads then with what a sequential program reads.
class coherence_model {
 public:
  coherence_model(std::uint32_t places, std::vector<extents> const& shapes, std::mt19937& engine)
      : engine_(engine), order_(ops_, engine) {
    for (auto const& shape : shapes) arrays_.emplace_back(shape, places, ops_);
  }

  std::vector<modelled_array> const& arrays() const { return arrays_; }
  model_counts const& counts() const { return counts_; }

  /// Nothing if the task reads what is lost. At place 0 it is the host's, in no stream with others.
  void plan_task(place_id place, std::vector<modelled_access> const& accesses, job_part part,
                 std::uint32_t units, bool fails) {
    auto const task = task_of(place, accesses, {part, units, {0}});
    if (task.reads_lost()) return void(++counts_.refused_tasks);
    for (auto const& one : task.arrays())
      one.for_each_read([&](byte_range bytes) { fetch_to(*one.array, place, bytes); });
    record(task, fails);
    check_validity();
  }

  /// Gives the memory up, after what is nowhere else was copied to the host, and fills it with junk.
  void evict(place_id place, std::size_t number, byte_range bytes) {
    ++counts_.evictions;
    auto& array = arrays_[number];
    for (auto const& held : array.directory.holders(bytes))
      if (held.places == 1u << place.value()) copy(array, place, place_id(0), held.bytes);
    fill_with_junk(array, place, bytes, array.directory.record_eviction(place, bytes));
    auto const [begin, end] = words_of(bytes);
    for (auto i = begin; i < end; ++i) array.valid[place.value()][i] = false;
    check_validity();
  }

  /// One of what was planned; nothing if that is all done.
  void carry_out_one() {
    if (order_.is_empty()) return;
    order_.carry_out_one();
    if (drawn(0, 4) == 0) ops_.forget_before(newest_);
  }
  void carry_out_all() {
    while (!order_.is_empty()) carry_out_one();
    for (auto const& array : arrays_) array.check_contents();
  }

  std::size_t drawn(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(engine_);
  }

 private:
  modelled_task task_of(place_id place, std::vector<modelled_access> const& accesses, map_view view) {
    std::vector<touched_words> touched;
    for (auto const& access : accesses) {
      view.array = arrays_[access.array].shape;
      touched.push_back(
          {&arrays_[access.array], access.mode, {access.map.of(view), view.array, sizeof(word)}});
    }
    return {place, std::move(touched)};
  }

  op_id plan(op_kind kind, place_id place) {
    auto const stream = place.value() == 0 ? host_streams_++ : std::uint32_t(drawn(0, 2));
    return newest_ = ops_.add(kind, {place.value(), stream});
  }
  void add(random_order::work planned) {
    counts_.waits += int(ops_.at(planned.op).dependencies.size());
    order_.add(std::move(planned));
  }

  void fetch_to(modelled_array& array, place_id place, byte_range bytes) {
    for (auto const missing : array.directory.missing(place, bytes))
      for (auto const& held : array.directory.holders(missing))
        copy(array, any_of(held.places), place, held.bytes);
  }
  place_id any_of(std::uint32_t places) {
    std::vector<std::uint32_t> holders;
    for (std::uint32_t place = 0; place < 32; ++place)
      if (places >> place & 1) holders.push_back(place);
    return place_id(holders.at(drawn(0, holders.size() - 1)));
  }
  void copy(modelled_array& array, place_id from, place_id to, byte_range bytes) {
    count_copy(from, to);
    auto const op = plan(op_kind::copy, to);
    depend_on_junk(op, array, to, bytes);
    array.directory.record_arrival(op, from, to, bytes);
    auto const words = words_of(bytes);
    bool const fails = drawn(0, 39) == 0, wrong = fails || is_wrong(array, from, words);
    if (wrong) array.failing_copies.insert(op);
    for (auto i = words.begin; i < words.end; ++i) array.set_brought(to.value(), i, op);
    add({op,
         [&array, from, to, words, fails] {
           for (auto i = words.begin; i < words.end; ++i)
             array.copies[to.value()][i] = fails ? 0xbadbad : array.copies[from.value()][i];
         },
         fails,
         [this, &array, op, to, bytes, wrong](op_status status) {
           ASSERT_EQ(status == op_status::failed, wrong);
           if (wrong) record_failed_copy(array, op, to, bytes);
         }});
  }
  static bool is_wrong(modelled_array const& array, place_id from, index_range words) {
    for (auto i = words.begin; i < words.end; ++i)
      if (array.is_brought_wrong(from.value(), i)) return true;
    return false;
  }
  void record_failed_copy(modelled_array& array, op_id copy, place_id to, byte_range bytes) {
    ++counts_.failed_copies;
    array.directory.record_failed_copy(copy, to, bytes, job_number(copy.value()));
    for (std::size_t i = 0; i < array.now.size(); ++i) array.set_not_brought(to.value(), i, copy);
    array.check_validity();
  }
  void count_copy(place_id from, place_id to) {
    if (from.value() == 0) return void(++counts_.copies_from_host);
    ++(to.value() == 0 ? counts_.copies_to_host : counts_.copies_between_devices);
  }

  void record(modelled_task const& task, bool fails) {
    auto const op = plan(task.place().value() == 0 ? op_kind::host_access : op_kind::kernel, task.place());
    for (auto const& one : task.arrays())
      one.for_each_read([&](byte_range bytes) { one.array->directory.record_read(op, task.place(), bytes); });
    for (auto const& one : task.arrays())
      one.for_each_written([&](byte_range bytes) { record_write(op, *one.array, task.place(), bytes); });
    bool const doomed = fails || task.reads_doomed();
    ++counts_.tasks;
    counts_.failed_tasks += doomed;
    add({op, work_of(task, doomed), fails,
         [op, task, doomed](op_status status) { mark_ended(op, task, doomed, status); }});
  }
  void record_write(op_id op, modelled_array& array, place_id place, byte_range bytes) {
    depend_on_junk(op, array, place, bytes);
    array.directory.record_write(op, place, bytes);
  }
  std::function<void()> work_of(modelled_task const& task, bool doomed) {
    auto const expected = task.expected();
    return [expected, written = task.write(doomed, [this] { return word(drawn(1, 1u << 31)); })] {
      for (auto const& [where, value] : expected) ASSERT_EQ(*where, value);
      for (auto const& [where, value] : written) *where = value;
    };
  }
  static void mark_ended(op_id op, modelled_task const& task, bool doomed, op_status status) {
    ASSERT_EQ(status == op_status::failed, doomed);
    if (!doomed) return;
    for (auto const& one : task.arrays())
      one.for_each_written(
          [&](byte_range bytes) { one.array->directory.record_loss(op, bytes, job_number(op.value())); });
  }

  void fill_with_junk(modelled_array& array, place_id place, byte_range bytes, op_set const& users) {
    auto const op = plan(op_kind::fill, place);
    for (auto const user : users) ops_.add_dependency(op, user);
    depend_on_junk(op, array, place, bytes);
    array.junk[place.value()].emplace_back(op, bytes);
    add({op, [&array, place, filled = words_of(bytes)] {
           for (auto i = filled.begin; i < filled.end; ++i) array.copies[place.value()][i] = 0xdeadbeef;
         }});
  }
  /// As whoever takes memory that was given up comes after what still touches it.
  void depend_on_junk(op_id op, modelled_array const& array, place_id place, byte_range bytes) {
    for (auto const& [junk, filled] : array.junk[place.value()])
      if (filled.begin < bytes.end && bytes.begin < filled.end) ops_.add_dependency(op, junk);
  }

  void check_validity() const {
    for (auto const& array : arrays_) array.check_validity();
  }

  std::mt19937& engine_;
  operations ops_;
  random_order order_;
  std::vector<modelled_array> arrays_;
  model_counts counts_;
  op_id newest_;
  std::uint32_t host_streams_ = 0;
};

}  // namespace ballast::test
