// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/detail/launch/submission.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {

/// The launches of one launch stream in order: one thread appends, one removes, and neither waits for the
/// other. Grows by links of sixteen, and keeps one free link for reuse.
class submission_queue {
 public:
  submission_queue() : first_(new link), last_(first_) {}
  submission_queue& operator=(submission_queue&&) = delete;
  ~submission_queue() {
    for (link* one = first_; one != nullptr;) {
      link* const next = one->next.load(std::memory_order_relaxed);
      delete one;
      one = next;
    }
    delete spare_.load(std::memory_order_relaxed);
  }

  /// Called by the appending thread. Returns the next submission to fill in, which is invisible until
  /// commit(). Calling again returns the same one.
  submission& next() {
    if (appended_ == link::size) add_link();
    return last_->places[appended_];
  }
  void commit() { last_->filled.store(++appended_, std::memory_order_release); }

  // The thread that takes.
  /// The oldest submission, null if there is none.
  submission* front() {
    if (taken_ == link::size && !move_on()) return nullptr;
    if (taken_ >= first_->filled.load(std::memory_order_acquire)) return nullptr;
    return &first_->places[taken_];
  }
  /// The submission `after` places after the oldest; null if there is none, or if it lies beyond the next
  /// link, as it may from 16 places on.
  submission* peek(std::uint32_t after) {
    auto* holds = first_;
    auto place = taken_ + after;
    if (place >= link::size) {
      holds = first_->next.load(std::memory_order_acquire);
      place -= link::size;
    }
    if (holds == nullptr || place >= holds->filled.load(std::memory_order_acquire)) return nullptr;
    return &holds->places[place];
  }
  /// Releases the oldest submission. There must be one.
  void pop() { first_->places[taken_++].release(); }
  /// Prefetches the oldest `count` submissions.
  void fetch(std::uint32_t count) const {
    __builtin_prefetch(&first_->filled);
    auto const end = std::min(taken_ + count, link::size);
    for (auto place = taken_; place < end; ++place) {
      auto const* const work = reinterpret_cast<char const*>(&first_->places[place]);
      __builtin_prefetch(work);
      __builtin_prefetch(work + 64);
    }
  }

 private:
  struct link {
    static constexpr std::uint32_t size = 16;
    std::atomic<std::uint32_t> filled = 0;
    std::atomic<link*> next = nullptr;
    std::array<submission, size> places;
  };

  void add_link() {
    link* added = spare_.exchange(nullptr, std::memory_order_acquire);
    if (added == nullptr) added = new link;
    last_->next.store(added, std::memory_order_release);
    last_ = added;
    appended_ = 0;
  }

  /// Goes on to the next link; false if there is none. Separate, so that front(), which is called several
  /// times per launch, stays small.
  BALLAST_NOINLINE bool move_on() {
    link* const next = first_->next.load(std::memory_order_acquire);
    if (next == nullptr) return false;
    first_->filled.store(0, std::memory_order_relaxed);
    first_->next.store(nullptr, std::memory_order_relaxed);
    delete spare_.exchange(first_, std::memory_order_acq_rel);
    first_ = next;
    taken_ = 0;
    return true;
  }

  alignas(64) link* first_;
  std::uint32_t taken_ = 0;
  alignas(64) link* last_;
  std::uint32_t appended_ = 0;
  std::atomic<link*> spare_ = nullptr;
};

class dispatcher;
struct ordered_ring;

/// The phase for which a thread may sleep.
enum class launch_phase : std::uint8_t { issue, end };

/// Decides the race between a thread that waits for launches and the thread that records their ends, with one
/// atomic addition for many records. Once both have passed, the recording thread sees that the launch stream
/// is watched, or the watcher sees the records.
class watch_fence {
 public:
  /// Passes the fence: call it between writing records and reading the watchers' marks, and between marking a
  /// watcher and reading the records.
  void pass() { word_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  alignas(64) std::atomic<std::uint64_t> word_ = 0;
};

/// The launches of one launch stream, from submission to end. Shared by the launch stream, its launches'
/// completions and the device's dispatcher. Counts are numbers of launches: issued <= submitted, finished <=
/// issued.
class launch_stream_state final : public completion_source {
 public:
  /// `of` names its queue and device in messages.
  launch_stream_state(dispatcher* owner, std::string of, std::weak_ptr<compute_device const> device,
                      std::shared_ptr<watch_fence> fence, std::uint32_t number, std::int32_t priority,
                      clock::duration timeout)
      : owner_(owner),
        of_(std::move(of)),
        device_(std::move(device)),
        number_(number),
        priority_(priority),
        fence_(std::move(fence)),
        timeout_(timeout) {}

  dispatcher& owner() const { return *owner_; }
  /// The dispatcher's fence; no other dispatcher ever has the same one, even after this one is destroyed.
  watch_fence const* fence() const { return fence_.get(); }
  std::uint32_t number() const { return number_; }  ///< among the launch streams of its device
  std::int32_t priority() const { return priority_; }

  // Any thread.
  std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  std::uint64_t issued() const { return issued_.load(std::memory_order_acquire); }
  std::uint64_t finished() const { return finished_.load(std::memory_order_acquire); }
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  /// Throws the error if it prevented, or will prevent, launch `number`.
  void check(std::uint64_t number) const;
  /// Marks the launch stream as watched: a thread needs to know soon whether the launches in flight end; or,
  /// if `moment` is their issue, whether the waiting ones are issued.
  void watch(launch_phase moment);
  /// True if launch `number` has finished; throws like check(number). If not, marks the launch stream as
  /// watched without passing the fence: the caller will ask again.
  bool is_finished(std::uint64_t number);
  // For completions, which refer to a launch by its number.
  bool has_ended(completion_key const& launch) override;
  void wait(completion_key const& launch, deadline until) override;
  clock::duration timeout(completion_key const&) const override { return timeout_; }
  bool notify_at_end(completion_key const& launch, std::shared_ptr<end_listener> const& listener) override;
  /// 0, since launches end in order; unlimited after a failure, which keeps launches from being issued.
  std::uint64_t max_overtaken(completion_key const&) override { return has_failed() ? ~std::uint64_t(0) : 0; }

  bool is_watched() const { return watched_.load(std::memory_order_relaxed); }
  /// Records that a thread asks for the end of this launch.
  void note_asked(std::uint64_t number) {
    if (asked_.load(std::memory_order_relaxed) != number) asked_.store(number, std::memory_order_relaxed);
  }
  /// Sleeps until `happened()`. Throws like check(number), and timed_out ("launch N of launch stream P to
  /// `what`").
  void await(launch_phase moment, auto happened, std::uint64_t number, char const* what, deadline until);
  /// Sleeps until the launches up to `number` have finished or failed, and returns true; returns false if the
  /// deadline passed.
  bool settles(std::uint64_t number, deadline until);

  /// The oldest launch that has not finished, or a number above submitted() if all have; and since when
  /// threads that looked have seen that it was.
  struct oldest_seen {
    std::uint64_t number = 0;
    clock::time_point since = {};
  };
  oldest_seen look_at_oldest();
  /// Lines of text for messages: the queue, its launches and the oldest; a line of its launches alone; and
  /// one of the oldest alone.
  std::string state();
  std::string progress() const;
  std::string text_of(oldest_seen const& oldest) const;

  // For the launch stream's thread.
  submission_queue& chain() { return chain_; }
  void mark_submitted() {
    submitted_.store(submitted_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Called once before each launch, while nothing waits. True if the previous launch has ended and a thread
  /// asked for its completion, and the same held for the launch before that.
  bool is_awaited_each_time();
  /// True if the dispatcher must be notified, because it does not look at this launch stream now.
  bool announce() { return (marks_.fetch_or(announced, std::memory_order_acq_rel) & announced) == 0; }
  /// The launch stream's last call: no launch will follow. True if the dispatcher must be notified, as by
  /// announce().
  bool leave() { return (marks_.fetch_or(announced | left, std::memory_order_acq_rel) & announced) == 0; }

  // For the issuing thread: the dispatcher's, or the launch stream's while none of its launches waits.
  void mark_issued(std::uint32_t stream_index, std::uint32_t launches);
  /// The stream of the launches in flight; meaningless if there are none.
  std::uint32_t stream_index() const { return stream_index_.load(std::memory_order_relaxed); }
  /// The value of stream_index() for launches in an ordered ring.
  static constexpr std::uint32_t in_ring = ~std::uint32_t{0};
  bool is_in_ring() const { return stream_index() == in_ring; }
  /// The launch stream's ring, or null.
  ordered_ring* ring = nullptr;
  bool is_in_flight() const { return finished() != issued(); }

  // The dispatcher's thread.
  void mark_finished(std::uint32_t launches);
  /// Wakes the threads that wait for an end. Call it after the end is recorded and the fence passed. To issue
  /// a launch does not wake them, since that costs as much as a launch.
  void notify_watchers();
  void notify_issue_watchers();
  /// From now on the dispatcher must be notified of launches. True if the launch stream has left, and so
  /// never notifies.
  bool deactivate() { return (marks_.fetch_and(~announced, std::memory_order_acq_rel) & left) != 0; }
  /// The next announced launch stream; owned by the launch stream's thread until it announces.
  launch_stream_state* next_in_inbox = nullptr;
  bool active = false;   ///< the dispatcher was notified, and looks at it until nothing is left
  bool offered = false;  ///< its oldest launch is in the plan
  bool blocked = false;  ///< its oldest launch waits for dependencies
  bool leaving = false;  ///< no launch will follow

  /// Records that a launch failed; any thread that saw it calls this. The remaining launches do not run, and
  /// if `lost` those in flight fail too. The first error of each kind is kept.
  void fail(std::exception_ptr error, bool lost);

 private:
  static constexpr std::uint32_t announced = 1, left = 2;

  bool sleeps_until(launch_phase moment, auto happened, deadline until);
  bool is_settled(std::uint64_t number) const;

  dispatcher* owner_;
  std::string const of_;
  std::weak_ptr<compute_device const> device_;  ///< its dispatcher's device, which completions may outlive
  std::uint32_t number_;
  std::int32_t priority_;
  std::shared_ptr<watch_fence> fence_;
  clock::duration timeout_;
  submission_queue chain_;
  alignas(64) std::atomic<std::uint64_t> submitted_ = 0;
  std::atomic<std::uint64_t> asked_ = 0;  // the launch whose end was asked for last
  std::uint64_t awaited_before_ = 0;      // the newest launch before which a thread awaited its predecessor
  std::atomic<std::uint32_t> marks_ = 0;
  alignas(64) std::atomic<std::uint64_t> issued_ = 0;
  std::atomic<std::uint64_t> finished_ = 0;
  std::atomic<std::uint32_t> stream_index_ = 0;
  std::atomic<bool> failed_ = false, lost_ = false;
  std::atomic<bool> watched_ = false, issue_watched_ = false;
  std::exception_ptr error_, loss_;
  std::mutex error_mutex_;
  event_count changed_;
  std::mutex oldest_mutex_;
  oldest_seen oldest_;
};

/// Launch streams with new launches. Any thread adds, the dispatcher's thread takes all.
class launch_inbox {
 public:
  /// A launch stream is never in the inbox twice: only the thread that announced it adds it.
  void add(launch_stream_state& line) {
    line.next_in_inbox = newest_.load(std::memory_order_relaxed);
    while (!newest_.compare_exchange_weak(line.next_in_inbox, &line, std::memory_order_seq_cst)) {}
  }
  bool is_empty() const { return newest_.load(std::memory_order_relaxed) == nullptr; }
  /// The launch stream added last, from which `next_in_inbox` leads to the others; null if there is none.
  launch_stream_state* take_all() {
    if (newest_.load(std::memory_order_seq_cst) == nullptr) return nullptr;
    return newest_.exchange(nullptr, std::memory_order_seq_cst);
  }

 private:
  std::atomic<launch_stream_state*> newest_ = nullptr;
};

/// The launch streams of a dispatcher. Numbers of forgotten ones are reused.
class launch_stream_table {
 public:
  /// `of` names the queue and its device in messages.
  launch_stream_table(dispatcher* owner, std::weak_ptr<compute_device const> device, clock::duration timeout,
                      std::string of = {})
      : owner_(owner), device_(std::move(device)), timeout_(timeout), of_(std::move(of)) {}

  // Any thread.
  std::shared_ptr<launch_stream_state> add(std::int32_t priority);
  std::vector<std::shared_ptr<launch_stream_state>> all() const;
  watch_fence& fence() const { return *fence_; }
  std::string const& of() const { return of_; }

  // The dispatcher's thread.
  /// From now on the launch stream is found by its number.
  void note(launch_stream_state& line);
  /// The launch streams by number; null where none was added.
  std::span<launch_stream_state* const> noted() const { return noted_; }
  void forget(launch_stream_state const& line);

 private:
  dispatcher* const owner_;
  std::weak_ptr<compute_device const> const device_;
  clock::duration const timeout_;
  std::string const of_;
  std::shared_ptr<watch_fence> const fence_ = std::make_shared<watch_fence>();
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<launch_stream_state>> lines_;  // by number; null: that number is free
  std::vector<launch_stream_state*> noted_;
};

bool launch_stream_state::sleeps_until(launch_phase moment, auto happened, deadline until) {
  for (;;) {
    auto const seen = changed_.epoch();
    watch(moment);
    if (happened()) return true;
    look_at_oldest();
    if (!changed_.wait_past(seen, until)) return happened();
  }
}

void launch_stream_state::await(launch_phase moment, auto happened, std::uint64_t number, char const* what,
                                deadline until) {
  auto const happened_or_failed = [&] {
    check(number);
    return happened();
  };
  if (sleeps_until(moment, happened_or_failed, until)) return;
  throw timed_out("launch " + std::to_string(number) + " of a launch stream to " + what, state());
}

}  // namespace ballast::detail
