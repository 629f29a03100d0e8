// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "arrays/coherence_directory.hpp"
#include "arrays/working_set.hpp"
#include "random_order.hpp"

namespace ballast::test {
using namespace detail;

using word = std::uint32_t;

/// An array as a sequential program sees it, and its copy at the host.
struct array_in_memory {
  array_in_memory(array_id in_id, std::size_t words, std::uint32_t places, operations& ops)
      : id(in_id), now(words), at_host(words), directory(words * sizeof(word), places, ops) {}

  std::size_t bytes() const { return now.size() * sizeof(word); }

  array_id id;
  std::vector<word> now, at_host;
  coherence_directory directory;
};

/// What happened in a model.
struct residency_counts {
  int tasks = 0, refusals = 0, evictions = 0, write_backs = 0, moves = 0, waits_for_memory = 0;
};

/// Arrays, and copies between memories that are carried out later in any legal order.
struct modelled_copies {
  explicit modelled_copies(std::mt19937& in_engine) : engine(in_engine), order(ops, in_engine) {}

  std::size_t drawn(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(engine);
  }
  op_id plan(op_kind kind, place_id place) {
    return newest = ops.add(kind, {place.value(), std::uint32_t(drawn(0, 2))});
  }
  void copy(op_id op, word* to, word const* from, std::size_t bytes) {
    order.add({op, [=] { std::copy_n(from, bytes / sizeof(word), to); }});
  }
  void depend_on(op_id op, std::span<op_id const> earlier) {
    for (auto const one : earlier) ops.add_dependency(op, one);
  }
  array_in_memory& array(array_id id) { return arrays[id.value() - 1]; }

  std::mt19937& engine;
  operations ops;
  random_order order;
  std::vector<array_in_memory> arrays;
  residency_counts counts;
  op_id newest;
};

/// The memory of an invented device, whose working set keeps the directories' promises.
class modelled_memory : public eviction_handler {
 public:
  modelled_memory(modelled_copies& copies, place_id place, std::size_t bytes)
      : set(bytes, copies.ops), memory_(bytes / sizeof(word)), place_(place), all_(copies) {
    for (auto const& array : copies.arrays) set.add_array(array.id, array.bytes());
  }

  bool is_clean(array_id array, byte_range bytes) const override {
    auto const held = all_.array(array).directory.holders(bytes);
    return std::ranges::all_of(held, [&](held_bytes const& one) { return one.places != bit(); });
  }
  op_set evict(array_id id, byte_range bytes) override {
    auto& array = all_.array(id);
    ++all_.counts.evictions;
    for (auto const& held : array.directory.holders(bytes))
      if (held.places == bit()) write_back(array, held.bytes);
    return array.directory.record_eviction(place_, bytes);
  }
  op_set move(array_id id, byte_range bytes, std::size_t from, std::size_t to,
              std::span<op_id const> after) override {
    op_set users;
    for (auto const& [piece, places] : all_.array(id).directory.holders(bytes)) {
      auto const shift = piece.begin - bytes.begin;
      auto const some = places & bit() ? move_piece(id, piece, from + shift, to + shift, after)
                                       : all_.array(id).directory.record_eviction(place_, piece);
      for (auto const user : some) all_.ops.add_newest(users, user);
    }
    return users;
  }

  word* at(std::size_t offset) { return &memory_.at(offset / sizeof(word)); }
  std::uint32_t bit() const { return 1u << place_.value(); }
  place_id place() const { return place_; }

  /// No memory is used twice, no word lies twice, and all that the directories call valid here lies
  /// somewhere.
  void check() const {
    std::vector<bool> used(set.bytes() / memory_alignment);
    for (auto const& one : set.residents()) {
      ASSERT_EQ(one.memory.size(), memory_of(one.bytes));
      ASSERT_EQ((one.offset_of(one.bytes.begin) - one.bytes.begin) % memory_alignment, 0u);
      for (auto byte = one.memory.begin; byte < one.memory.end; byte += memory_alignment) {
        ASSERT_FALSE(used.at(byte / memory_alignment)) << byte;
        used[byte / memory_alignment] = true;
      }
    }
    for (auto const& array : all_.arrays) check(array);
  }

  working_set set;
  int tasks = 0;  ///< that have not ended

 private:
  void check(array_in_memory const& array) const {
    std::vector<int> there(array.now.size());
    for (auto const& one : set.residents()) {
      if (one.array != array.id) continue;
      for (auto i = one.bytes.begin / sizeof(word); i < one.bytes.end / sizeof(word); ++i) ++there.at(i);
    }
    ASSERT_TRUE(std::ranges::none_of(there, [](int places) { return places > 1; }));
    for (auto const& [bytes, places] : array.directory.holders({0, array.bytes()})) {
      if ((places & bit()) == 0) continue;
      auto const words = std::span(there).subspan(bytes.begin / sizeof(word), bytes.size() / sizeof(word));
      ASSERT_EQ(std::ranges::count(words, 1), std::ptrdiff_t(words.size())) << bytes.begin;
    }
  }
  void write_back(array_in_memory& array, byte_range bytes) {
    ++all_.counts.write_backs;
    for (auto const& [piece, offset] : set.located(array.id, bytes)) {
      auto const op = all_.plan(op_kind::copy, place_);
      array.directory.record_arrival(op, place_, place_id(0), piece);
      all_.copy(op, &array.at_host[piece.begin / sizeof(word)], at(offset), piece.size());
    }
  }
  op_set move_piece(array_id array, byte_range piece, std::size_t from, std::size_t to,
                    std::span<op_id const> after) {
    ++all_.counts.moves;
    auto const op = all_.plan(op_kind::copy, place_);
    all_.depend_on(op, after);
    all_.array(array).directory.record_arrival(op, place_, place_, piece);
    all_.copy(op, at(to), at(from), piece.size());
    return {op};
  }

  std::vector<word> memory_;
  place_id place_;
  modelled_copies& all_;
};

}  // namespace ballast::test
