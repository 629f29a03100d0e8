// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/detail/device/kernel_traits.cuh"
#include "ballast/detail/pool/pool_worker.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/detail/resident/task_record.cuh"
#include "ballast/join.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The key of tasks that run last; greater ones count as this, so that 2^32 - 1 is no key.
inline constexpr std::uint32_t last_order_key = 0xfffffffe;

/// True if K has a member order_key(), by which its tasks run under the method `bands`.
template <class K>
constexpr bool has_order_key = requires(K& kernel) {
  kernel.order_key();
};
template <class K>
constexpr bool has_order_key<indirect<K>> = has_order_key<K>;

/// The key of a task of K: the smallest runs first. 0 if K has no order_key().
template <class K>
BALLAST_HD std::uint32_t order_key_in([[maybe_unused]] task_record const& task) {
  if constexpr (!has_order_key<K>) {
    return 0;
  } else {
    static_assert(
        !is_by_reference<K> && requires(K const& kernel) { kernel.order_key(); },
        "a kernel with order_key() const travels in its tasks: it has at most 40 bytes of members, "
        "and is not listed as indirect<K>; queues whose tasks create tasks ignore the key, and have the "
        "kernel without it");
    alignas(K) unsigned char bytes[sizeof(K)];
    __builtin_memcpy(bytes, task.data, sizeof(K));
    auto const key = reinterpret_cast<K const&>(bytes).order_key();
    static_assert(std::is_same_v<decltype(key), std::uint32_t const>, "order_key() returns std::uint32_t");
    return key < last_order_key ? key : last_order_key;
  }
}

/// The block that a kernel gets in a pool: Base's members, and those that create and join tasks. Sink stores
/// the children.
template <class Base, class K, class List, class Sink>
class spawning_block : public Base {
 public:
  /// `place` is the second argument of Base's constructor.
  template <class Place>
  BALLAST_HD spawning_block(block_range range, Place place, Sink const& sink)
      : Base(range, place), sink_(sink) {}

  /// Creates a task: blocks `range` (1 to 16 777 215) of `child`, a kernel of the same list. Each calling
  /// thread creates one; no thread waits, and the other threads need not call. The task may run at once, on
  /// any worker, and must not wait for its creator. At most K::spawns calls in a block, over all threads.
  /// Calls beyond the reserved space create nothing and end the run with an error, as an illegal range does.
  /// (Space is reserved for the tasks that run together: for one task; for a warp's tasks, if each thread is
  /// a worker; for a level with method `static`, where each task counts with the most that any kernel of the
  /// set declares.) The creator's earlier writes are visible to the child if the calling thread made them, or
  /// if a sync() lies in between.
  template <kernel_form Child>
  BALLAST_HD void spawn(Child const& child, block_range range = {}) const {
    static_assert(spawns_of<K> > 0,
                  "a kernel that creates tasks declares how many: static constexpr std::uint32_t spawns");
    if (range.count - 1 >= max_blocks) return sink_.refuse(pool_halt::bad_range);
    sink_.add(stored(child, range));
  }

  /// Makes a join: `continuation` (a kernel of the set with a member `join_handle join`, which fork() sets)
  /// runs once finish() was called for the join `children` times (1 to 2^31 - 1). The join's value starts as
  /// `initial`. Each calling thread makes one; at most K::joins calls in a block. Give the handle to the
  /// children; their arguments may hold it. The continuation must call take_value() once, which ends the
  /// join.
  template <kernel_form Continuation>
  BALLAST_HD join_handle fork(Continuation continuation, std::uint32_t children,
                              std::uint64_t initial = 0) const {
    static_assert(joins_of<K> > 0,
                  "a kernel that makes joins declares how many: static constexpr std::uint32_t joins");
    join_handle const join = sink_.new_join();
    if (!join) return join;
    continuation.join = join;
    sink_.joins()[join].continuation = stored(continuation, {});
    sink_.joins().value(join).store_relaxed(initial);
    sink_.joins().left(join).store_relaxed(children);
    return join;
  }
  /// The word in which the children of a join combine their values, by add_relaxed, store_max or store_min.
  BALLAST_HD auto value_of(join_handle join) const { return sink_.joins().value(join); }
  /// Reports that one child of the join has finished, with all writes of this thread (and of other threads
  /// before a sync()). Called by one thread for each child. The last call creates the continuation, which
  /// counts among the caller's K::spawns; if the join was made on another device, the continuation is created
  /// there.
  BALLAST_HD void finish(join_handle join) const {
    static_assert(spawns_of<K> > 0,
                  "a kernel that calls finish() may create the continuation: count it in K::spawns");
    if (!join || !sink_.joins().is_finished_by_last(join)) return;
    if constexpr (std::remove_cvref_t<decltype(sink_.joins())>::reach == scope::system)
      if (sink_.joins().sends_to_run(join)) return sink_.count_sent();
    sink_.add(sink_.joins()[join].continuation);
  }
  /// Returns the value that the children have combined, and ends the join. Called by one thread of the
  /// continuation, for at most one join of a task.
  BALLAST_HD std::uint64_t take_value(join_handle join) const {
    if (!join) return 0;
    std::uint64_t const value = sink_.joins().value(join).load_relaxed();
    sink_.end_join(join);
    return value;
  }

  /// Adds to the run's pool_statistics::sum, which wraps. Each calling thread adds, and none waits: a worker
  /// keeps its partial sum until it leaves, so workers do not contend.
  BALLAST_HD void add_to_sum(std::uint64_t value) const {
    require_reduces();
    sink_.add_to_sum(value);
  }
  /// Raises the run's pool_statistics::max to at least `value`, in the same way.
  BALLAST_HD void raise_max(std::uint64_t value) const {
    require_reduces();
    sink_.raise_max(value);
  }

 private:
  BALLAST_HD static constexpr void require_reduces() {
    static_assert(reduces_of<K>,
                  "a kernel that adds to its run's sum or raises its maximum declares static constexpr bool "
                  "reduces = true");
  }

  static constexpr std::uint32_t max_blocks = (1u << 24) - 1;

  template <class Child>
  BALLAST_HD static stored_task stored(Child const& child, block_range range) {
    static_assert(List::template has<Child>,
                  "the child's kernel is not in the set of its creator: add it there");
    static_assert(!is_by_reference<Child>,
                  "a task holds 40 bytes of arguments: list and spawn indirect<Child>");
    stored_task task{};
    __builtin_memcpy(task.record.data, &child, sizeof(Child));
    task.record.describe(range, List::template id_of<Child>());
    return task;
  }

  Sink sink_;
};

/// The kernels that the tasks of a pool may name: a closed list of types with equal `threads`. A kernel's id
/// is its place in the list.
template <kernel_form... K>
struct pool_list {
  static_assert(sizeof...(K) >= 1 && sizeof...(K) < task_record::halt,
                "a set holds 1 to 126 kernels: split it");

  static constexpr std::uint32_t threads = max_of({std::uint32_t(K::threads)...});
  static_assert(((std::uint32_t(K::threads) == threads) && ...),
                "the kernels of a set have equal threads: make a set for each number of threads");

  /// True if each thread is a worker; then a warp takes up to 32 tasks at once.
  static constexpr bool by_threads = threads == 1;
  static constexpr std::uint32_t block_threads = by_threads ? 32 : threads;
  static constexpr std::uint32_t max_taken = by_threads ? 32 : 1;

  /// The scratch of one task of any kernel, rounded up to a multiple of 16 bytes.
  static constexpr std::uint32_t scratch =
      (max_of({scratch_bytes<K>..., by_threads ? 0 : staged_at<K...> + staged_bytes<K...>}) + 15) / 16 * 16;
  static constexpr int blocks_per_multiprocessor = capped_launch_bound_blocks<block_threads, K...>;
  static constexpr std::uint32_t max_spawns = max_of({spawns_of<K>...});
  static constexpr std::uint32_t max_joins = max_of({joins_of<K>...});

  template <class Child>
  static constexpr bool has = (std::is_same_v<Child, K> || ...);

  template <class Child>
  BALLAST_HD static constexpr std::uint32_t id_of() {
    std::uint32_t id = 0;
    (void)((std::is_same_v<Child, K> || (++id, false)) || ...);
    return id;
  }

  /// The number of stack places for the tasks that the task's first block may create, and for the rest of the
  /// task.
  BALLAST_HD static std::uint32_t room_for(task_record const& task) {
    std::uint32_t id = 0, spawns = 0;
    (void)((task.kernel() == id++ ? (spawns = spawns_of<K>, true) : false) || ...);
    return spawns + (task.range().count > 1 ? 1 : 0);
  }

  /// As order_key_in() for the task's kernel.
  BALLAST_HD static std::uint32_t order_key_of(task_record const& task) {
    std::uint32_t id = 0, key = 0;
    (void)((task.kernel() == id++ ? (key = order_key_in<K>(task), true) : false) || ...);
    return key;
  }

  /// Runs the first block of the task on the calling threads; each kernel gets a Base<K>.
  template <template <class> class Base, class Place, class Sink>
  BALLAST_HD static void run_first_block(task_record const& task, Place place, Sink const& sink) {
    std::uint32_t id = 0;
    (void)((task.kernel() == id++ ? (run_one<Base, K>(task, place, sink), true) : false) || ...);
  }

  template <template <class> class Base, class One, class Place, class Sink>
  BALLAST_HD static void run_one(task_record const& task, Place place, Sink const& sink) {
    if constexpr (is_by_reference<One>) {
      call_with_members<One>(task, staged_at<K...>,
                             [&](One const& kernel) { run_kernel<Base>(kernel, task.range(), place, sink); });
    } else {
      alignas(One) unsigned char bytes[sizeof(One)];
      __builtin_memcpy(bytes, task.data, sizeof(One));
      run_kernel<Base>(reinterpret_cast<One const&>(bytes), task.range(), place, sink);
    }
  }

  template <template <class> class Base, class One, class Place, class Sink>
  BALLAST_HD static void run_kernel(One const& kernel, block_range range, Place place, Sink const& sink) {
    spawning_block<Base<One>, One, pool_list, Sink> block(range, place, sink);
    block.move_to(range.first);
    invoke_kernel(kernel, block);
  }
};

}  // namespace ballast::detail
