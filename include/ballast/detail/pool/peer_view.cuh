// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/chunks.cuh"
#include "ballast/detail/pool/compile_pool.cuh"
#include "ballast/detail/pool/pool_loop.cuh"

namespace ballast::detail {

inline constexpr std::uint32_t max_pool_devices = 16;
inline constexpr std::uint32_t max_gift = 32;  ///< tasks that go to another device together

/// How far a device has come with looking for tasks on the others.
enum class search : std::uint32_t {
  counted_in,  ///< it has tasks, or may ask for some
  asked,       ///< a request is open, or its gift is on the way
  counted_out  ///< it has none, and asks for none
};

/// What the workers of one device keep of their search. Whoever holds `is_held` writes it.
struct search_state {
  std::uint32_t is_held;
  search phase;
  std::uint32_t request;                         ///< the number of the newest one
  std::uint32_t peer;                            ///< whom it asked
  std::uint32_t fruitless;                       ///< requests without a gift since the last one
  std::uint64_t since_ns;                        ///< the newest request, or the count out
  std::uint32_t last_request[max_pool_devices];  ///< to each device
};

/// What a pool over several devices has in the memory of each. All bits zero at the start of a launch.
struct peer_words {
  /// Anybody adds: requests that are open here, and 2^16 for each device whose workers leave early.
  alignas(128) std::uint32_t news;
  std::uint32_t requests[max_pool_devices];  ///< the newest of each device, which writes its own
  std::uint32_t closed[max_pool_devices];    ///< of these the newest that was granted or taken back

  /// Who grants a request of this device writes the tasks, and then `granted`.
  alignas(128) std::uint32_t granted;  ///< the number of the request
  std::uint32_t gift_tasks;
  stored_task gift[max_gift];

  // Of the first device alone: how many have counted themselves out.
  alignas(128) std::uint32_t out;

  // This device alone writes.
  alignas(128) std::uint32_t is_over;
  std::uint32_t has_told;  ///< the others that its workers leave early
  alignas(128) search_state found;
};

inline constexpr std::uint32_t early_leave = 1u << 16;  ///< in peer_words::news

/// A pool whose tasks go on to other devices. A device that has idle workers asks another one for tasks, by
/// words in that one's memory; a worker there that has some grants the request, and writes the oldest of its
/// stack into the memory of the one that asked. So whoever has tasks looks at its own memory only, and all
/// words of the methods stay the device's own.
///
/// The end: a device counts itself out when it has no tasks and no request that is open or granted, and in
/// again before it asks. So tasks on their way belong to a device that is counted in, and when all are out no
/// task is left (tests/pool/peer_search_test.cpp has the model).
struct peer_view : pool_view {
  chunks_ref method;
  peer_words* peers[max_pool_devices] = {};
  std::uint32_t own = 0, devices = 1;

  template <class WorkerGroup>
  BALLAST_HD bool wait_for_work(WorkerGroup const& worker_group, resident_control const& control,
                                pool_worker& me) const {
    if (in_device(mine().is_over).load_relaxed() != 0 || is_halted()) return false;
    if (leaves_early(shared(mine().news).load_relaxed())) return false;
    if (me.idle_polls % polls_between_stop_checks == 0 && stop_requested(worker_group, control))
      halt_for(pool_halt::stop_requested);
    auto const now_ns = worker_group.now_ns();
    if (now_ns - me.idle_since_ns > patience_ns) look_elsewhere(me, now_ns);
    worker_group.back_off(me.idle_polls);
    return true;
  }

  /// Leader, now and then.
  template <class WorkerGroup>
  BALLAST_HD void hand_out(WorkerGroup const& worker_group, pool_worker& me) const {
    auto const news = shared(mine().news).load_relaxed();
    if (news == 0 || leaves_early(news)) return;
    if (me.held() > 1 || method.has_published(me.number)) grant_one(worker_group, me);
  }

  BALLAST_HD void report(pool_worker const& me) const {
    pool_view::report(me);
    if (!is_halted() || !in_device(mine().has_told).compare_exchange_acq_rel(0, 1)) return;
    for (std::uint32_t peer = 0; peer < devices; ++peer)
      if (peer != own) shared(peers[peer]->news).add_relaxed(early_leave);
  }

  /// One step of the search; whoever is at it has an empty stack, into which a gift goes.
  BALLAST_HD void search_on(pool_worker& me, std::uint64_t now_ns) const {
    auto& at = mine().found;
    if (at.phase == search::asked) return await_gift(me, at, now_ns);
    if (at.phase == search::counted_out) return count_in(at, now_ns);
    bool const has_none = poll(pending()) + waiting_tasks == 0;
    if (at.fruitless >= devices - 1 && has_none) return count_out(at, now_ns);
    if (at.fruitless >= devices - 1 && now_ns - at.since_ns < rest_ns) return;
    ask_next(me, at, now_ns);
  }

 private:
  static constexpr std::uint32_t polls_between_stop_checks = 64;
  static constexpr std::uint64_t patience_ns = 10'000;  ///< some workers look at requests in that time
  static constexpr std::uint64_t rest_ns = 20'000;

  /// A word that several devices use.
  BALLAST_HD static atomic_ref<std::uint32_t, scope::system> shared(std::uint32_t& word) {
    return atomic_ref<std::uint32_t, scope::system>(word);
  }
  BALLAST_HD static device_atomic<std::uint32_t> in_device(std::uint32_t& word) {
    return device_atomic<std::uint32_t>(word);
  }
  BALLAST_HD peer_words& mine() const { return *peers[own]; }
  BALLAST_HD std::uint32_t most() const {
    return stack_capacity / 2 < max_gift ? stack_capacity / 2 : max_gift;
  }

  BALLAST_HD bool leaves_early(std::uint32_t news) const {
    if (news < early_leave) return false;
    halt_for(pool_halt::elsewhere);
    return true;
  }

  template <class WorkerGroup>
  BALLAST_HD void grant_one(WorkerGroup const& worker_group, pool_worker& me) const {
    for (std::uint32_t peer = 0; peer < devices; ++peer) {
      if (peer == own) continue;
      auto const closed = shared(mine().closed[peer]).load_relaxed();
      auto const request = shared(mine().requests[peer]).load_acquire();
      if (request == closed || !shared(mine().closed[peer]).compare_exchange_acq_rel(closed, request))
        continue;
      shared(mine().news).add_relaxed(-1u);
      auto& to = *peers[peer];
      array_ref<stored_task> const gift(to.gift);
      auto const chunk = method.take_oldest(worker_group, *this, me, gift);
      return send(me, to, request, chunk != 0 ? chunk : move_oldest(me, gift));
    }
  }

  /// Half of the stack: of the oldest most will come.
  BALLAST_HD std::uint32_t move_oldest(pool_worker& me, array_ref<stored_task> gift) const {
    std::uint32_t const half = me.held() / 2, tasks = half < most() ? half : most();
    auto const stack = stack_of(me.number);
    for (std::uint32_t i = 0; i < tasks; ++i) gift[i] = stack[me.begin + i];
    me.begin += tasks;
    return tasks;
  }

  /// The other device is counted in, so the tasks need not be counted there before they are not here. There
  /// may be none: other workers have taken them.
  BALLAST_HD void send(pool_worker& me, peer_words& to, std::uint32_t request, std::uint32_t tasks) const {
    shared(to.gift_tasks).store_relaxed(tasks);
    shared(to.granted).store_release(request);
    me.delta -= tasks;
    me.counts.shared += tasks;
    me.stack_changed = 1;
  }

  BALLAST_HD void look_elsewhere(pool_worker& me, std::uint64_t now_ns) const {
    auto const held = in_device(mine().found.is_held);
    if (held.load_relaxed() != 0 || !held.compare_exchange_acq_rel(0, 1)) return;
    search_on(me, now_ns);
    held.store_release(0);
  }

  /// Who has seen news finds the request: so `news` is never less than the requests that can be granted.
  BALLAST_HD void ask_next(pool_worker& me, search_state& at, std::uint64_t now_ns) const {
    at.peer = at.peer + 1 == devices ? 0 : at.peer + 1;
    if (at.peer == own) at.peer = at.peer + 1 == devices ? 0 : at.peer + 1;
    ++at.request;
    at.since_ns = now_ns;
    at.phase = search::asked;
    ++me.counts.steals_tried;
    shared(peers[at.peer]->news).add_relaxed(1);
    shared(peers[at.peer]->requests[own]).store_release(at.request);
  }

  BALLAST_HD void await_gift(pool_worker& me, search_state& at, std::uint64_t now_ns) const {
    if (shared(mine().granted).load_acquire() == at.request) return receive(me, at);
    if (now_ns - at.since_ns < patience_ns) return;
    auto const closed = shared(peers[at.peer]->closed[own]);
    if (!closed.compare_exchange_acq_rel(at.last_request[at.peer], at.request)) return;  // it is granted
    shared(peers[at.peer]->news).add_relaxed(-1u);
    at.last_request[at.peer] = at.request;
    at.phase = search::counted_in;
    ++at.fruitless;
  }

  BALLAST_HD void receive(pool_worker& me, search_state& at) const {
    auto const tasks = shared(mine().gift_tasks).load_relaxed();
    auto const stack = stack_of(me.number);
    array_ref<stored_task> const gift(mine().gift);
    pending().add_relaxed(tasks);
    for (std::uint32_t i = 0; i < tasks; ++i) stack[me.end++] = gift[i];
    me.stack_changed = 1;
    me.update_max_stored();
    at.last_request[at.peer] = at.request;
    at.phase = search::counted_in;
    at.fruitless = tasks == 0 ? at.fruitless + 1 : 0;
    if (tasks != 0) ++me.counts.steals_won;
  }

  BALLAST_HD void count_out(search_state& at, std::uint64_t now_ns) const {
    at.phase = search::counted_out;
    at.since_ns = now_ns;
    if (shared(peers[0]->out).add_relaxed(1) + 1 == devices) in_device(mine().is_over).store_relaxed(1);
  }

  BALLAST_HD void count_in(search_state& at, std::uint64_t now_ns) const {
    auto const word = shared(peers[0]->out);
    auto const out = word.load_relaxed();
    if (out == devices) return in_device(mine().is_over).store_relaxed(1);
    if (now_ns - at.since_ns < rest_ns || !word.compare_exchange_acq_rel(out, out - 1)) return;
    at.phase = search::counted_in;
    at.fruitless = 0;
  }
};

#if defined(__CUDACC__)
template <class List, class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, List::blocks_per_multiprocessor>)
    work_in_pools_on_gpu(__grid_constant__ pool_work<chunks_ref, peer_view> const work) {
  using worker_group_type = cuda_worker<List::block_threads>;
  __shared__ typename worker_group_type::words words;
  __shared__ pool_worker_memory<worker_group_type, peer_view> memory;
  worker_group_type const worker_group(memory.tasks, words);
  work_in_pool<List>(work, memory.worker, worker_group);
}
#endif

template <class List>
kernel_entry make_peer_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &work_in_pools_on_gpu<List>;
#endif
  code.host_function = &work_in_pool_on_host<List, chunks_ref, peer_view>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {entry_key_of<peer_view>, code};
}

}  // namespace ballast::detail
