// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

#include "ballast/atomic_ref.cuh"
#include "ballast/join.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"
#include "worker_ledger.cuh"

namespace ballast::test {
using namespace detail;

/// Trees whose nodes are numbered from 0 in an order that each node can tell by itself: a node's children
/// have numbers of their own, so that it can be counted how often each was run.
enum class tree_shape : std::uint32_t {
  chain,   ///< node i has the child i + 1
  comb,    ///< node i, if even, has the leaf i + 1 and the child i + 2
  binary,  ///< node i has the children 2 i + 1 and 2 i + 2
  random   ///< node i, of depth d, has 0 to 4 children, by a hash
};

BALLAST_HD constexpr std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// A node of a tree of `nodes` nodes, run by `Threads` threads. It adds its number and one to the run's sum
/// twice, by two threads if it has them, and raises the run's maximum to that.
template <int Threads>
struct tree_node {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 4;
  static constexpr bool reduces = true;

  array_ref<std::uint32_t> times;  ///< how often each node was run
  std::uint32_t node, nodes;
  tree_shape shape;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) device_atomic<std::uint32_t>(times[node]).add_relaxed(1);
    block.for_each(2, [&](std::uint32_t) {
      block.add_to_sum(node + 1);
      block.raise_max(node + 1);
    });
    block.for_each(spawns, [&](std::uint32_t i) {
      if (std::uint32_t const child = child_of(i); child != 0 && child < nodes)
        block.spawn(tree_node{times, child, nodes, shape});
    });
  }

 private:
  /// Child i, 0 if there is none. Of a random tree: the numbers 4 n + 1 to 4 n + 4 are n's, of which it has
  /// some.
  BALLAST_HD std::uint32_t child_of(std::uint32_t i) const {
    switch (shape) {
      case tree_shape::chain:
        return i == 0 ? node + 1 : 0;
      case tree_shape::comb:
        return node % 2 == 0 && i < 2 ? node + 1 + i : 0;
      case tree_shape::binary:
        return i < 2 ? 2 * node + 1 + i : 0;
      default:
        return node == 0 || mixed(node) % 5 > i ? 4 * node + 1 + i : 0;
    }
  }
};

/// A root with one child for each of its blocks: block i creates node i + 1, a leaf.
template <int Threads>
struct wide_root {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 1;

  array_ref<std::uint32_t> times;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    if (block.index() == 0) device_atomic<std::uint32_t>(times[0]).add_relaxed(1);
    block.spawn(tree_node<Threads>{times, block.index() + 1, 0, tree_shape::chain});
  }
};

/// Creates one such task of so many blocks.
template <int Threads>
struct sower {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 1;

  wide_root<Threads> sown;
  std::uint32_t blocks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) block.spawn(sown, {0, blocks});
  }
};

/// Adds up what two children have found, for whoever waits for it: a join, or else a word.
template <int Threads>
struct fibonacci_sum {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 1;

  array_ref<std::uint64_t> answer;
  join_handle parent, join;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    report(block, block.take_value(join), answer, parent);
  }

  template <class Block>
  BALLAST_HD static void report(Block& block, std::uint64_t value, array_ref<std::uint64_t> answer,
                                join_handle parent) {
    if (!parent) {
      answer[0] = value;
    } else {
      block.value_of(parent).add_relaxed(value);
      block.finish(parent);
    }
  }
};

/// Fibonacci's number n, by two tasks for its predecessors and one that adds them up; or by fewer for those
/// before it alone.
template <int Threads, std::uint32_t Children = 2>
struct fibonacci {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = Children, joins = 1;

  array_ref<std::uint64_t> answer;
  join_handle parent;
  std::uint32_t n;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    if (n < 2) return fibonacci_sum<Threads>::report(block, n, answer, parent);
    auto const join = block.fork(fibonacci_sum<Threads>{answer, parent, {}}, Children);
    for (std::uint32_t i = 1; i <= Children; ++i) block.spawn(fibonacci{{}, join, n - i});
  }
};

/// n - 1 joins that wait at a time, each for the next.
using nested = fibonacci<64, 1>;

struct idler {
  static constexpr int threads = 32;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

/// Each of its blocks adds to the run's sum.
struct adder {
  static constexpr int threads = 32;
  static constexpr bool reduces = true;

  std::uint64_t value;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) block.add_to_sum(value);
  }
};

/// Creates two tasks and declares one.
struct liar {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 1;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0)
      for (int child = 0; child < 2; ++child) block.spawn(idler{});
  }
};

/// Creates a task of so many blocks.
struct stray {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 1;

  std::uint32_t blocks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) block.spawn(idler{}, {0, blocks});
  }
};

/// Makes 60 joins and declares one.
struct overjoiner {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 1, joins = 1;

  array_ref<std::uint64_t> answer;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    for (int i = 0; i < 60; ++i) (void)block.fork(fibonacci_sum<threads>{answer, {}, {}}, 1);
  }
};

/// On cores: says that it runs, and waits until it may go on. Then it creates a task.
struct gated {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 1;

  array_ref<std::uint32_t> running, gate;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    device_atomic<std::uint32_t>(running[0]).add_release(1);
    while (device_atomic<std::uint32_t>(gate[0]).load_acquire() == 0) {}
    block.spawn(idler{});
  }
};

/// The fault of a device: a trap on a GPU, an exception on the host.
struct faulty {
  static constexpr int threads = 32;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
#if BALLAST_ON_GPU
    __trap();
#else
    throw std::runtime_error("planted fault");
#endif
  }
};

kernel_set const& tree_kernels_of_blocks();   ///< 64 threads
kernel_set const& tree_kernels_of_warps();    ///< 32 threads
kernel_set const& tree_kernels_of_threads();  ///< 1 thread
kernel_set const& stray_kernels();
kernel_set const& overjoining_kernels();
kernel_set const& gated_kernels();
kernel_set const& lying_kernels();
kernel_set const& faulty_kernels();
kernel_set const& kernels_of_the_default_method();
kernel_set const& joining_kernels_of_blocks();   ///< 64 threads
kernel_set const& joining_kernels_of_threads();  ///< 1 thread
kernel_set const& entered_kernels_of_blocks();   ///< 64 threads
kernel_set const& entered_kernels_of_warps();    ///< 32 threads
kernel_set const& entered_kernels_of_threads();  ///< 1 thread

}  // namespace ballast::test
