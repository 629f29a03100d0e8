// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ballast/device/block.cuh"
#include "ballast/device/kernel_form.cuh"
#include "ballast/resident/task_record.cuh"

namespace ballast::inline pool {

/// How many tasks a block of K may create: K::spawns if K declares it, else none.
template <class K>
constexpr std::uint32_t spawns_of = 0;
template <class K>
requires requires { K::spawns; }
constexpr std::uint32_t spawns_of<K> = K::spawns;

/// A task as pools store it, aligned so that a GPU moves 16 bytes at once.
struct alignas(16) stored_task {
  task_record record;
};
static_assert(sizeof(stored_task) == 48);

/// The block that a kernel gets in a pool: what Base offers, and spawn(). Sink keeps the children.
template <class Base, class K, class List, class Sink>
class spawning_block : public Base {
 public:
  BALLAST_HD spawning_block(block_range range, void* scratch, Sink const& sink)
      : Base(range, scratch), sink_(sink) {}

  /// Creates a task: blocks `range` (1 to 16 777 215) of `child`, a kernel of the same list. Each thread that
  /// calls creates one, no thread waits, and no thread but the callers needs to call. It may run at once, on
  /// any worker, and must not wait for its creator. At most K::spawns calls in a block, all threads together;
  /// what is beyond is not created and ends the run with an error. What the creator wrote before the call is
  /// visible to the child if the thread that wrote it called, or if a sync() lies between.
  template <kernel_form Child>
  BALLAST_HD void spawn(Child const& child, block_range range = {}) const {
    static_assert(spawns_of<K> > 0, "a kernel that creates tasks declares how many: static constexpr spawns");
    static_assert(List::template has<Child>, "the child's kernel must be in the pool's list");
    static_assert(sizeof(Child) <= 40, "a task holds 40 bytes of arguments: spawn by_reference<Child>");
    stored_task task{};
    __builtin_memcpy(task.record.data, &child, sizeof(Child));
    task.record.describe(range, List::template id_of<Child>());
    sink_.add(task);
  }

 private:
  Sink sink_;
};

/// The kernels that the tasks of a pool may name: a closed list of types with equal `threads`. A kernel's id
/// is its place in the list.
template <kernel_form... K>
struct pool_list {
  static_assert(sizeof...(K) >= 1 && sizeof...(K) < task_record::halt, "a list holds 1 to 126 kernels");

  static constexpr std::uint32_t threads = std::max({std::uint32_t(K::threads)...});
  static_assert(((std::uint32_t(K::threads) == threads) && ...), "the kernels of a list have equal threads");

  /// Whether each thread is a worker of its own; then a warp takes that many tasks at once.
  static constexpr bool by_threads = threads == 1;
  static constexpr std::uint32_t block_threads = by_threads ? 32 : threads;
  static constexpr std::uint32_t most_taken = by_threads ? 32 : 1;

  /// Of one task, whichever kernel it is of, to multiples of 16 bytes.
  static constexpr std::uint32_t scratch = (std::max({scratch_bytes<K>...}) + 15) / 16 * 16;
  static constexpr int blocks_per_multiprocessor = std::max({wanted_blocks<K>...});
  static constexpr std::uint32_t most_spawns = std::max({spawns_of<K>...});

  template <class Child>
  static constexpr bool has = (std::is_same_v<Child, K> || ...);

  template <class Child>
  BALLAST_HD static constexpr std::uint32_t id_of() {
    std::uint32_t id = 0;
    (void)((std::is_same_v<Child, K> || (++id, false)) || ...);
    return id;
  }

  /// Places for what is created while the task's first block runs: its children, and what is left of it.
  BALLAST_HD static std::uint32_t room_for(task_record const& task) {
    std::uint32_t id = 0, spawns = 0;
    (void)((task.kernel() == id++ ? (spawns = spawns_of<K>, true) : false) || ...);
    return spawns + (task.range().count > 1 ? 1 : 0);
  }

  /// Runs the first block of the task on the calling threads; Base<K> is the view that each kernel gets.
  template <template <class> class Base, class Sink>
  BALLAST_HD static void run_first_block(task_record const& task, void* scratch_memory, Sink const& sink) {
    std::uint32_t id = 0;
    (void)((task.kernel() == id++ ? (run_one<Base, K>(task, scratch_memory, sink), true) : false) || ...);
  }

  template <template <class> class Base, class One, class Sink>
  BALLAST_HD static void run_one(task_record const& task, void* scratch_memory, Sink const& sink) {
    alignas(One) unsigned char bytes[sizeof(One)];
    __builtin_memcpy(bytes, task.data, sizeof(One));
    spawning_block<Base<One>, One, pool_list, Sink> block(task.range(), scratch_memory, sink);
    block.move_to(task.range().first);
    reinterpret_cast<One const&>(bytes)(block);
  }
};

}  // namespace ballast::inline pool
