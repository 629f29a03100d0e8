// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/chunks.cuh"
#include "ballast/detail/pool/join_cache.cuh"
#include "ballast/detail/pool/pool_loop.cuh"

namespace ballast::detail {

inline constexpr std::uint32_t max_pool_devices = 16;
/// The most records of a device, in a pool over several devices.
inline constexpr std::uint32_t max_joins_of_device = (1u << 28) - 1;
inline constexpr std::uint32_t joins_abroad = 1u << 31;  ///< in join_record::left: a child ran elsewhere
inline constexpr std::uint32_t max_gift = 16;  ///< tasks that go to another device together; fits a chunk

/// Whether a device may have or receive tasks.
enum class presence : std::uint32_t {
  counted_in,  ///< its workers may ask for tasks
  closing,  ///< they begin no further request and take no further tasks home, but finish what they have begun
  counted_out,  ///< it has no tasks, and gets none
};

/// The words that a pool over several devices keeps in each device's memory; all bits zero at the start of a
/// launch.
struct peer_words {
  alignas(128) std::uint32_t out;          ///< on the first device: the number of devices that have counted
                                           ///< themselves out
  alignas(128) std::uint32_t early_leave;  ///< the number of other devices whose workers leave early
  /// The number of continuations that this device sent to the devices that made their joins, and that those
  /// devices have taken. Each counts as a pending task here until this device has seen this count.
  alignas(128) std::uint32_t taken_home;

  // Only this device uses the following words.
  alignas(128) std::uint32_t asking;  ///< the number of workers that have an unanswered request or take
                                      ///< continuations home; + `is_closed`
  std::uint32_t idle;                 ///< idle workers
  std::uint32_t is_over;
  std::uint32_t has_told;   ///< 1 once a worker notifies the other devices that the workers here leave early
  std::uint32_t is_wanted;  ///< continuations came home while `asking` was closed
  std::uint32_t is_held;    ///< a worker is using the following words
  presence phase;
  std::uint32_t rests;  ///< how often the device has rested (been counted out) since it last had tasks, up to
                        ///< max_rest_doublings
  std::uint32_t taken_home_seen;  ///< the value of `taken_home` when this device last read it
  std::uint64_t since_ns;
};

inline constexpr std::uint32_t is_closed = 1u << 31;  ///< in peer_words::asking

/// Tasks for one worker, from another device. The giver writes the tasks, and then `filled`.
struct worker_gift {
  alignas(16) stored_task tasks[max_gift];
  alignas(16) std::uint32_t filled;  ///< 1 + the number of tasks; 0: the worker has taken them
};

/// The parts of one device that all devices' workers access.
struct peer_device {
  peer_words* words = nullptr;
  std::uint32_t* mail = nullptr;  ///< for each worker: the worker that asks it, or 0
  worker_gift* gifts = nullptr;   ///< for each worker
  std::uint32_t workers = 0;
  join_record* joins = nullptr;
  homing_words* to_run = nullptr;  ///< for each worker: joins made here whose last child ran elsewhere
  homing_words* homing = nullptr;  ///< lists of free records, which stay from launch to launch
  std::uint32_t homing_lists = 0;
};

/// A word that several devices use.
template <class Word>
using system_atomic = atomic_ref<Word, scope::system>;

/// One of a device's lists of its own joins. The number of a record or worker selects the list.
BALLAST_HD inline homing_list<system_atomic> to_run_of(peer_device const& device, std::uint32_t i) {
  return {&array_ref<homing_words>(device.to_run)[i % device.workers], device.joins};
}
BALLAST_HD inline homing_list<system_atomic> homing_of(peer_device const& device, std::uint32_t i) {
  return {&array_ref<homing_words>(device.homing)[i % device.homing_lists], device.joins};
}

/// The joins of all devices of a pool. A join's record belongs to the device that made it. Its children may
/// run on any device, but its continuation is created on the record's device, its home. So children that run
/// there, as nearly all do, release their writes only to that device.
class peer_joins {
 public:
  static constexpr scope reach = scope::system;

  BALLAST_HD peer_joins(join_arena const& here, peer_device const* devices, std::uint32_t own,
                        pool_words* words)
      : here_(here), devices_(devices), own_(own), words_(words) {}

  BALLAST_HD join_arena const& here() const { return here_; }
  BALLAST_HD join_handle handle_of(std::uint32_t record) const { return {own_ << 28 | (record + 1)}; }
  BALLAST_HD std::uint32_t record_of(join_handle join) const { return (join.number & 0xfffffff) - 1; }
  BALLAST_HD join_record& operator[](join_handle join) const {
    auto* const records = is_of_here(join) ? here_.records : home_of(join).joins;
    return array_ref<join_record>(records)[record_of(join)];
  }
  BALLAST_HD system_atomic<std::uint32_t> left(join_handle join) const {
    return system_atomic<std::uint32_t>((*this)[join].left);
  }
  BALLAST_HD system_atomic<std::uint64_t> value(join_handle join) const {
    return system_atomic<std::uint64_t>((*this)[join].value);
  }
  /// True if the calling child is the last one to finish. If it runs on another device, it acquires the
  /// writes of other devices' children, but not those of children at home, so it must not run the
  /// continuation.
  BALLAST_HD bool is_finished_by_last(join_handle join) const {
    return is_of_here(join) ? finishes_here(left(join)) : finishes_abroad(left(join));
  }
  /// Sends the continuation home if another device made the join; else returns false. The continuation counts
  /// as a pending task here until the other device has counted it. The child itself, still pending, cannot
  /// stand in for the continuation, since the child may finish first.
  BALLAST_HD bool sends_to_run(join_handle join) const {
    if (is_of_here(join)) return false;
    device_atomic<std::uint32_t>(words_->pending).add_relaxed(1);
    to_run_of(home_of(join), record_of(join)).add(record_of(join), own_);
    return true;
  }
  BALLAST_HD bool sends_home(join_handle join) const {
    if (is_of_here(join)) return false;
    homing_of(home_of(join), record_of(join)).add(record_of(join));
    return true;
  }

 private:
  using children = system_atomic<std::uint32_t>;

  BALLAST_HD bool is_of_here(join_handle join) const { return join.number >> 28 == own_; }
  BALLAST_HD static bool finishes_here(children left) {
    // On a GPU a release at the word's scope would reach all devices. ThreadSanitizer does not model fences.
#if BALLAST_ON_GPU
    fence_after_relaxed<scope::device>();
    std::uint32_t const before = left.add_relaxed(~std::uint32_t(0));
#else
    std::uint32_t const before = left.add_release(~std::uint32_t(0));
#endif
    if ((before & ~joins_abroad) != 1) return false;
    if ((before & joins_abroad) != 0)
      fence_after_relaxed<scope::system>();
    else
      fence_after_relaxed<scope::device>();
    return true;
  }
  BALLAST_HD static bool finishes_abroad(children left) {
    for (;;) {
      std::uint32_t const seen = left.load_relaxed();
      if (left.compare_exchange_acq_rel(seen, (seen - 1) | joins_abroad)) return (seen & ~joins_abroad) == 1;
    }
  }
  BALLAST_HD peer_device const& home_of(join_handle join) const { return devices_[join.number >> 28]; }

  join_arena const& here_;
  peer_device const* devices_;
  std::uint32_t own_;
  pool_words* words_;
};

/// The state of a worker's search on other devices; trivially constructible, as shared memory requires.
struct peer_worker : pool_worker {
  std::uint32_t looks;
  std::uint32_t has_asked;
  std::uint32_t fruitless;  ///< answers without tasks since the last task
  std::uint64_t may_ask_ns;
};

/// A pool whose tasks may move to other devices. A worker that finds no task on its own device asks a random
/// worker of another one, by a word in that worker's memory. The asked worker answers between two of its
/// tasks: it writes the oldest chunk that it published, or half of its stack, into the asker's memory. So a
/// worker with tasks looks for requests only in its own memory, and all words of the method stay local to the
/// device (receiver-initiated, as the private deques of Acar, Chargueraud and Rainey, PPoPP 2013).
///
/// Termination: a device counts itself out when it has no tasks and no unanswered request, and in again
/// before it asks. So tasks in transit belong to a device that is counted in: a gift belongs to the device
/// that asked, a continuation on its way home to the device that sent it. When all devices are out no task is
/// left (tests/pool/peer_search_test.cpp has the models).
struct peer_view : pool_view {
  using worker_type = peer_worker;
  using joins_type = peer_joins;

  chunks_ref method;
  peer_device peers[max_pool_devices] = {};
  std::uint32_t own = 0, devices = 1;

  /// Leader only. True if the host wants the workers to leave. Also makes them leave if the workers of
  /// another device leave early.
  template <class WorkerGroup>
  BALLAST_HD bool stop_requested(WorkerGroup const& worker_group, resident_control const& control) const {
    if (others_leave_early()) halt_for(pool_halt::elsewhere);
    return pool_view::stop_requested(worker_group, control);
  }

  template <class WorkerGroup>
  BALLAST_HD bool wait_for_work(WorkerGroup const& worker_group, resident_control const& control,
                                peer_worker& me) const {
    if (others_leave_early()) halt_for(pool_halt::elsewhere);
    if (in_device(mine().is_over).load_relaxed() != 0 || is_halted()) return false;
    if (me.idle_polls % polls_between_stop_checks == 0 && stop_requested(worker_group, control))
      halt_for(pool_halt::stop_requested);
    search(worker_group, me);
    worker_group.back_off(me.idle_polls);
    return true;
  }

  /// Leader only, now and then. Answers a request of another device, and takes what other devices have sent
  /// to this worker.
  template <class WorkerGroup>
  BALLAST_HD void hand_out(WorkerGroup const& worker_group, peer_worker& me) const {
#if !BALLAST_ON_GPU
    if (me.looks++ % looks_to_skip != 0) return;  // a check takes as long as a small task
#endif
    if (me.has_asked != 0 || mail_of(peers[own], me.number).load_relaxed() != 0 ||
        !to_run(me.number).is_empty())
      attend(worker_group, me);
  }
  BALLAST_HD void note_idle(bool is_idle) const { in_device(mine().idle).add_relaxed(is_idle ? 1 : -1u); }

  BALLAST_HD peer_joins joins_of_tasks() const { return {joins, peers, own, words}; }
  /// Leader only. Moves up to `most` free records from one list to the cache. False if the list is empty, or
  /// if another worker is taking records from it.
  BALLAST_HD bool take_homing_joins(pool_worker& me, std::uint32_t list, std::uint32_t most) const {
    auto const cache = joins.cache_of(me.number);
    auto const keep = [&](std::uint32_t record) { cache[me.joins++] = record; };
    return homing(list).take(most, keep) != 0;
  }
  /// Leader only, when no other record is left. Takes free records that came home from any list, and waits if
  /// another worker is taking some. False if there are none.
  template <class WorkerGroup>
  BALLAST_HD bool await_homing_joins(WorkerGroup const& worker_group, pool_worker& me) const {
    for (std::uint32_t i = 0; i < peers[own].homing_lists; ++i)
      for (bounded_wait wait(worker_group); !homing(me.number + i).is_empty();) {
        if (take_homing_joins(me, me.number + i, joins.batch)) return true;
        if (wait()) continue;
        halt_for(pool_halt::stalled);
        return false;
      }
    return false;
  }

  BALLAST_HD void report(pool_worker const& me) const {
    pool_view::report(me);
    if (!is_halted() || !in_device(mine().has_told).compare_exchange_acq_rel(0, 1)) return;
    for (std::uint32_t peer = 0; peer < devices; ++peer)
      if (peer != own) shared(peers[peer].words->early_leave).add_relaxed(1);
  }

 private:
  static constexpr std::uint32_t polls_between_stop_checks = 64, looks_to_skip = 16;
  static constexpr std::uint64_t patience_ns = 5'000, closing_ns = 20'000, rest_ns = 20'000;
  static constexpr std::uint32_t idle_part = 4;
  // All devices must be out at the same time, so a device that repeatedly finds nothing stays out longer than
  // in.
  static constexpr std::uint32_t max_rest_doublings = 5;
  static constexpr std::uint32_t max_doublings = 3;  ///< of the time between two requests

  BALLAST_HD static system_atomic<std::uint32_t> shared(std::uint32_t& word) {
    return system_atomic<std::uint32_t>(word);
  }
  BALLAST_HD static device_atomic<std::uint32_t> in_device(std::uint32_t& word) {
    return device_atomic<std::uint32_t>(word);
  }
  BALLAST_HD peer_words& mine() const { return *peers[own].words; }
  BALLAST_HD homing_list<system_atomic> homing(std::uint32_t i) const { return homing_of(peers[own], i); }
  BALLAST_HD homing_list<system_atomic> to_run(std::uint32_t i) const { return to_run_of(peers[own], i); }
  BALLAST_HD static system_atomic<std::uint32_t> mail_of(peer_device const& device, std::uint32_t worker) {
    return shared(array_ref<std::uint32_t>(device.mail)[worker]);
  }
  BALLAST_HD static worker_gift& gift_for(peer_device const& device, std::uint32_t worker) {
    return array_ref<worker_gift>(device.gifts)[worker];
  }

  BALLAST_HD bool others_leave_early() const { return shared(mine().early_leave).load_relaxed() != 0; }

  // Not inlined, so that workers with tasks need no registers for it.
  template <class WorkerGroup>
  BALLAST_NOINLINE BALLAST_HD void attend(WorkerGroup const& worker_group, peer_worker& me) const {
    answer(worker_group, me);
    if (me.has_asked != 0) look_for_gift(me, 0);
    take_home(me, me.number);
  }
  template <class WorkerGroup>
  BALLAST_NOINLINE BALLAST_HD void search(WorkerGroup const& worker_group, peer_worker& me) const {
    answer(worker_group, me);
    auto const now_ns = worker_group.now_ns();
    if (me.has_asked != 0)
      look_for_gift(me, now_ns);
    else if (now_ns - me.idle_since_ns > patience_ns && now_ns >= me.may_ask_ns && are_many_idle())
      ask(me);
    take_home(me, me.number);
    if (me.held() == 0) take_home(me, me.draw());  // that list's own worker may run a long task
    if (me.held() == 0) count_device(now_ns);
  }

  /// True if at least a quarter of the workers are idle: fewer find tasks on their own device.
  BALLAST_HD bool are_many_idle() const {
    return poll(in_device(mine().idle)) >= (workers + idle_part - 1) / idle_part;
  }

  /// Answers the request to this worker, if there is one, even if the worker has nothing to give.
  template <class WorkerGroup>
  BALLAST_HD void answer(WorkerGroup const& worker_group, peer_worker& me) const {
    auto const mail = mail_of(peers[own], me.number);
    if (mail.load_relaxed() == 0) return;
    std::uint32_t const from = mail.load_acquire();  // the asker has read its last gift
    auto& gift = gift_for(peers[device_of(from)], worker_of(from));
    array_ref<stored_task> const tasks(gift.tasks);
    std::uint32_t given = method.take_oldest(worker_group, *this, me, tasks);
    if (given == 0) given = move_oldest(me, tasks);
    mail.store_relaxed(0);
    shared(gift.filled).store_release(given + 1);
    if (given == 0) return;
    me.delta -= given;  // the receiver counts them only when it takes them: its device is counted in
    me.counts.shared += given;
    me.stack_changed = 1;
  }

  /// Moves the older half of the stack's tasks, at most max_gift, to `gift`, and returns their number: the
  /// oldest tasks create most of the others.
  BALLAST_HD std::uint32_t move_oldest(peer_worker& me, array_ref<stored_task> gift) const {
    std::uint32_t const half = me.held() / 2, tasks = half < max_gift ? half : max_gift;
    auto const stack = stack_of(me.number);
    for (std::uint32_t i = 0; i < tasks; ++i) gift[i] = stack[me.begin + i];
    me.begin += tasks;
    return tasks;
  }

  BALLAST_HD static std::uint32_t sender(std::uint32_t device, std::uint32_t worker) {
    return 1 + (device << 24 | worker);
  }
  BALLAST_HD static std::uint32_t device_of(std::uint32_t sender) { return (sender - 1) >> 24; }
  BALLAST_HD static std::uint32_t worker_of(std::uint32_t sender) { return (sender - 1) & 0xffffff; }

  /// Asks a random worker of a random other device for tasks. If another request waits there already, the
  /// next attempt draws again.
  BALLAST_HD void ask(peer_worker& me) const {
    auto const asking = in_device(mine().asking);
    if ((asking.load_relaxed() & is_closed) != 0) return;
    std::uint32_t const drawn = me.draw() % (devices - 1);
    auto const& peer = peers[drawn < own ? drawn : drawn + 1];
    auto const mail = mail_of(peer, me.draw() % peer.workers);
    if ((asking.add_acquire(1) & is_closed) == 0 &&
        mail.compare_exchange_acq_rel(0, sender(own, me.number))) {
      me.has_asked = 1;
      ++me.counts.steals_tried;
    } else {
      asking.add_release(-1u);
    }
  }

  /// Takes the answer to this worker's request, if it is there and its tasks fit. Counts the tasks here
  /// before the request ends.
  BALLAST_HD void look_for_gift(peer_worker& me, std::uint64_t now_ns) const {
    auto& gift = gift_for(peers[own], me.number);
    std::uint32_t const filled = shared(gift.filled).load_acquire();
    std::uint32_t const tasks = filled - 1;
    if (filled == 0 || !has_room(me, tasks)) return;
    auto const stack = stack_of(me.number);
    for (std::uint32_t i = 0; i < tasks; ++i) stack[me.end++] = array_ref<stored_task>(gift.tasks)[i];
    shared(gift.filled).store_relaxed(0);
    if (tasks != 0) pending().add_relaxed(tasks);
    in_device(mine().asking).add_release(-1u);
    note_answer(me, tasks, now_ns);
  }

  BALLAST_HD static void note_answer(peer_worker& me, std::uint32_t tasks, std::uint64_t now_ns) {
    me.has_asked = 0;
    me.fruitless = tasks != 0 ? 0 : me.fruitless < max_doublings ? me.fruitless + 1 : max_doublings;
    me.may_ask_ns = now_ns + (patience_ns << me.fruitless);
    if (tasks == 0) return;
    me.stack_changed = 1;
    me.update_max_stored();
    ++me.counts.steals_won;
  }

  BALLAST_HD bool has_room(peer_worker const& me, std::uint32_t tasks) const {
    return me.held() == 0 || me.held() + tasks <= stack_capacity / 2;
  }

  /// Takes from one list the continuations that must run here because the last child of their join ran
  /// elsewhere. The taker counts as an asker, so the device does not count itself out meanwhile; a device
  /// that is out counts itself in first.
  BALLAST_HD void take_home(peer_worker& me, std::uint32_t list) const {
    if (to_run(list).is_empty() || !has_room(me, 1)) return;
    auto const asking = in_device(mine().asking);
    if ((asking.add_acquire(1) & is_closed) == 0)
      take_all_home(me, list);
    else
      in_device(mine().is_wanted).store_relaxed(1);
    asking.add_release(-1u);
  }
  BALLAST_HD void take_all_home(peer_worker& me, std::uint32_t list) const {
    std::uint32_t sender = 0, taken = 0;
    auto const tell = [&] {
      if (taken == 0) return;
      pending().add_relaxed(taken);
      shared(peers[sender].words->taken_home).add_release(taken);
      taken = 0;
    };
    std::uint32_t const room = stack_capacity / 2 - me.held();
    to_run(list).take(room < max_gift ? room : max_gift, [&](std::uint32_t record) {
      if (to_run(list).sender_of(record) != sender) tell();
      sender = to_run(list).sender_of(record);
      push_home(me, record);
      ++taken;
    });
    tell();
  }
  BALLAST_HD void push_home(peer_worker& me, std::uint32_t record) const {
    auto& join = array_ref<join_record>(joins.records)[record];
    (void)poll(shared(join.left));  // children at home have released their writes to this word
    fence_after_relaxed<scope::device>();
    stack_of(me.number)[me.end++] = join.continuation;
    me.stack_changed = 1;
    me.update_max_stored();
  }

  /// One step of counting the device out or in.
  BALLAST_HD void count_device(std::uint64_t now_ns) const {
    auto& state = mine();
    auto const held = in_device(state.is_held);
    if (held.load_relaxed() != 0 || !held.compare_exchange_acq_rel(0, 1)) return;
    forget_taken_home(state);
    switch (state.phase) {
      case presence::counted_in:
        begin_to_close(state, now_ns);
        break;
      case presence::closing:
        count_out(state, now_ns);
        break;
      case presence::counted_out:
        count_in(state, now_ns);
        break;
    }
    held.store_release(0);
  }

  /// Subtracts the continuations that other devices have taken: they are now pending there, and no longer
  /// here.
  BALLAST_HD void forget_taken_home(peer_words& state) const {
    if (shared(state.taken_home).load_relaxed() == state.taken_home_seen) return;
    std::uint32_t const taken = shared(state.taken_home).load_acquire();
    pending().add_relaxed(state.taken_home_seen - taken);
    state.taken_home_seen = taken;
  }

  BALLAST_HD bool has_no_task() const { return pending().load_acquire() + waiting_tasks == 0; }
  BALLAST_HD static void enter(peer_words& state, presence phase, std::uint64_t now_ns) {
    state.phase = phase;
    state.since_ns = now_ns;
  }
  /// Lets the device's workers ask again, and take continuations that have returned here.
  BALLAST_HD static void open(peer_words& state, std::uint64_t now_ns) {
    enter(state, presence::counted_in, now_ns);
    in_device(state.is_wanted).store_relaxed(0);
    in_device(state.asking).add_release(is_closed);  // wraps
  }

  BALLAST_HD void begin_to_close(peer_words& state, std::uint64_t now_ns) const {
    if (!has_no_task()) state.rests = 0;
    if (state.since_ns == 0 || !has_no_task()) state.since_ns = now_ns;
    if (now_ns - state.since_ns < closing_ns) return;
    in_device(state.asking).add_release(is_closed);
    enter(state, presence::closing, now_ns);
  }

  /// Counts the device out once no worker asks any more, or opens it again if it has tasks or is wanted. Its
  /// workers may not begin to ask, so those without a task get none.
  BALLAST_HD void count_out(peer_words& state, std::uint64_t now_ns) const {
    if (in_device(state.is_wanted).load_relaxed() != 0) return open(state, now_ns);
    if (in_device(state.asking).load_acquire() != is_closed) return;
    if (!has_no_task()) return open(state, now_ns);
    enter(state, presence::counted_out, now_ns);
    if (shared(peers[0].words->out).add_relaxed(1) + 1 == devices) in_device(state.is_over).store_relaxed(1);
  }

  BALLAST_HD void count_in(peer_words& state, std::uint64_t now_ns) const {
    auto const word = shared(peers[0].words->out);
    auto const out = word.load_relaxed();
    if (out == devices) return in_device(state.is_over).store_relaxed(1);
    bool const is_wanted = in_device(state.is_wanted).load_relaxed() != 0;
    if (!is_wanted && now_ns - state.since_ns < rest_ns << state.rests) return;
    if (!word.compare_exchange_acq_rel(out, out - 1)) return;
    if (!is_wanted && state.rests < max_rest_doublings) ++state.rests;
    open(state, now_ns);
  }
};

}  // namespace ballast::detail
