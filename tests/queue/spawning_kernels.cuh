// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/join.cuh"
#include "kernels.cuh"

namespace ballast::test {
using namespace detail;

/// Node `node` of a binary tree of `nodes` nodes, whose node i has the children 2 i + 1 and 2 i + 2; several
/// trees lie one after another. Adds one to its word, as add_one_plainly. As a task of several blocks it is
/// the roots of so many trees.
struct grow_tree {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2;
  array_ref<std::uint32_t> marks;
  std::uint32_t nodes, node = 0;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    system_word const mine(marks[std::size_t(block.index()) * nodes + node]);
    if (block.rank() == 0) mine.store_relaxed(mine.load_relaxed() + 1);
    block.for_each(2, [&](std::uint32_t i) {
      std::uint32_t const child = 2 * node + 1 + i;
      if (child < nodes) block.spawn(grow_tree{marks, nodes, child}, {block.index(), 1});
    });
  }
};

/// Node `node` of a comb of `nodes` nodes: if even, it has the leaf node + 1 and, run before it, node + 2. So
/// one worker alone comes to hold half of the nodes.
struct grow_comb {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2;
  array_ref<std::uint32_t> marks;
  std::uint32_t nodes, node = 0;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    system_word const mine(marks[node]);
    mine.store_relaxed(mine.load_relaxed() + 1);
    for (std::uint32_t child = node + 1; child <= node + 2 && child < nodes && node % 2 == 0; ++child)
      block.spawn(grow_comb{marks, nodes, child});
  }
};

/// What the leaves below have found goes to the parent's join, or else into the block's word.
struct pass_count_on {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 1;
  array_ref<std::uint32_t> answers;
  std::uint32_t answer;
  join_handle parent, join;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    auto const leaves = block.take_value(join);
    if (!parent) return system_word(answers[answer]).store_relaxed(std::uint32_t(leaves));
    block.value_of(parent).add_relaxed(leaves);
    block.finish(parent);
  }
};

/// Counts the leaves of a binary tree of some depth by fork and join.
struct count_leaves {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2, joins = 1;
  array_ref<std::uint32_t> answers;
  std::uint32_t depth;
  join_handle parent;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    if (depth == 0) {
      block.value_of(parent).add_relaxed(1);
      return block.finish(parent);
    }
    auto const join = block.fork(pass_count_on{answers, block.index(), parent, {}}, 2);
    for (int i = 0; i < 2; ++i) block.spawn(count_leaves{answers, depth - 1, join}, {block.index(), 1});
  }
};

struct send_to_gate {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 1;
  wait_at_gate child;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) block.spawn(child, {block.index(), 1});
  }
};

/// Waits for its partner (or a limit), which must therefore run on another worker.
struct meet {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> here;  // pinned: of both
  std::uint32_t self;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) {
      system_word(here[self]).store_release(1);
      for (std::uint64_t looks = 0; system_word(here[1 - self]).load_acquire() == 0 && looks < (1ull << 32);
           ++looks) {}
    }
    block.sync();
  }
};

struct let_two_meet {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2;
  array_ref<std::uint32_t> here;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(2, [&](std::uint32_t i) { block.spawn(meet{here, i}); });
  }
};

/// Says that it creates one task and creates three, which differ in `self`.
struct exceed_spawns {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 1;
  array_ref<std::uint32_t> marks;
  std::uint32_t self = 0;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    system_word const mine(marks[self]);
    mine.store_relaxed(mine.load_relaxed() + 1);
    for (std::uint32_t i = 1; self == 0 && i < 4; ++i) block.spawn(exceed_spawns{marks, i});
  }
};

/// Five tasks: the root creates `thief` and `holder`. The holder's worker waits until the thief runs, so the
/// thief was stolen; it creates `told` and `last`, of which the last waits until the host opens the gate.
struct steal_and_wait {
  enum role_type : std::uint32_t { root, thief, holder, told, last };
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2;
  array_ref<std::uint32_t> words;  // pinned: the thief runs, told ran, last runs, the gate
  role_type role = root;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    if (role == thief || role == told || role == last) say(role == thief ? 0 : role == told ? 1 : 2);
    if (role == root || role == thief) {
      block.spawn(steal_and_wait{words, role == root ? thief : told});
      block.spawn(steal_and_wait{words, role == root ? holder : last});
    }
    if (role == holder) await(0);
    if (role == last) await(3);
  }

 private:
  BALLAST_HD void say(int word) const { system_word(words[std::size_t(word)]).store_release(1); }
  BALLAST_HD void await(int word) const {
    system_word const said(words[std::size_t(word)]);
    for (std::uint64_t looks = 0; said.load_acquire() == 0 && looks < (1ull << 32); ++looks) {}
  }
};

kernel_set const& spawning_kernels();             ///< 64 threads
kernel_set const& spawning_kernels_of_threads();  ///< 1 thread

}  // namespace ballast::test
