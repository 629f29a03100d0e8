// SPDX-License-Identifier: Apache-2.0
#include "continuations.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/detail/base/event_count.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

/// Ends a promise when other work ends, with the same result.
class passed_on : public continuation {
 public:
  explicit passed_on(std::shared_ptr<promised_end> to) : to_(std::move(to)) {}
  ~passed_on() override {
    if (to_ != nullptr) to_->end(never_called());
  }

  completion run(completion const& ended) override {
    std::exchange(to_, nullptr)->end(failure_of(ended));
    return {};
  }

 private:
  std::shared_ptr<promised_end> to_;
};

struct pending_continuation {
  completion before;
  std::unique_ptr<continuation> what;
  std::shared_ptr<promised_end> result;

  void end_with(completion const& further) const {
    add_continuation(further, std::make_unique<passed_on>(result));
  }
  void run() {
    try {
      auto const further = what->run(before);
      what.reset();  // before the end is reported
      further.source() == nullptr ? result->end(nullptr) : end_with(further);
    } catch (...) {
      what.reset();
      result->end(std::current_exception());
    }
  }
};

thread_local bool is_thread_of_continuations = false;

/// The longest sleep between polls while some completion has no source that reports its end, such as a GPU's.
constexpr auto max_nap = std::chrono::microseconds(200);
/// The longest sleep if all ends are reported; limited, in case a device is lost without a report.
constexpr auto max_sleep = std::chrono::milliseconds(50);
constexpr std::uint32_t looks_before_naps = 200;
/// The number of waiting keys to look at before the thread checks for reported ends again.
constexpr std::uint32_t looks_in_turn = 256;

class awaited_source;

/// Queue of sources that may have news for the thread of continuations.
class news {
 public:
  /// Adds a source and wakes the thread of continuations.
  void add(std::shared_ptr<awaited_source> of) {
    {
      std::lock_guard const hold(mutex_);
      told_.push_back(std::move(of));
    }
    bell.notify();
  }
  std::vector<std::shared_ptr<awaited_source>> take() {
    std::lock_guard const hold(mutex_);
    return std::exchange(told_, {});
  }

  event_count bell;

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<awaited_source>> told_;
};

/// Orders work by place and number, as sources accept it.
struct order_of_work {
  bool operator()(completion_key const& one, completion_key const& other) const {
    return std::tie(one.place, one.first, one.count) < std::tie(other.place, other.first, other.count);
  }
};

/// The work of one source, in one of its runs, that continuations wait for. Adds itself to the news when some
/// of it ends.
class awaited_source final : public end_listener, public std::enable_shared_from_this<awaited_source> {
 public:
  using identity = std::pair<completion_source*, std::uint64_t>;
  using waiting_by_work = std::map<completion_key, std::vector<pending_continuation>, order_of_work>;

  awaited_source(completion const& work, news& to) : source_(work.source()), news_(&to) {}

  static identity identity_of(completion const& work) { return {work.source().get(), work.work().run}; }
  completion_source& source() const { return *source_; }

  void note_end() noexcept override {
    if (!has_news_.exchange(true)) news_->add(shared_from_this());
  }
  /// Clears the mark of earlier reports. Returns false if the source does not report its ends. Call it before
  /// asking the source.
  bool listen(completion_key const& work) {
    has_news_.exchange(false);
    return source_->notify_at_end(work, shared_from_this());
  }
  void stop_listening(completion_key const& work) { source_->notify_at_end(work, nullptr); }

  // Of the thread.
  waiting_by_work waiting;
  bool tells = true;

 private:
  std::shared_ptr<completion_source> const source_;
  news* const news_;
  std::atomic<bool> has_news_ = false;
};

/// The greatest possible key with the run and place of `work`.
completion_key last_of_place(completion_key const& work) {
  return {work.run, ~std::uint64_t(0), ~0u, work.place};
}

/// The position at which the next look at many sources begins.
struct turn_of_looks {
  bool is_bounded;  ///< looks no further, in a place of a source, than work can have ended
  std::optional<awaited_source::identity> who{};
  std::optional<completion_key> after{};  ///< none: starts at the source's first work
  bool is_done = false;                   ///< with that source
  std::uint64_t overtaken = 0;            ///< in that place

  void begin_anew() { *this = {is_bounded}; }
};

/// Sources in a fixed order; each call looks at the next part of them.
class awaited_sources {
 public:
  using by_identity = std::map<awaited_source::identity, std::shared_ptr<awaited_source>>;

  bool empty() const { return all_.empty(); }
  void add(awaited_source::identity const& who, std::shared_ptr<awaited_source> source) {
    all_.emplace(who, std::move(source));
  }
  void remove(awaited_source::identity const& who) { all_.erase(who); }
  std::shared_ptr<awaited_source> find(awaited_source::identity const& who) const {
    auto const found = all_.find(who);
    return found == all_.end() ? nullptr : found->second;
  }

  /// Calls `look(source, work)`, which returns whether the work has ended, for the next `works` works in
  /// turn; true if that completed a round.
  template <class Look>
  bool look_in_turn(turn_of_looks& turn, std::uint32_t works, Look const& look) {
    while (works > 0) {
      auto const at = next_source(turn);
      if (at == all_.end()) {
        turn.begin_anew();
        return true;
      }
      auto const source = at->second;  // `look` may remove it
      look_in(*source, at->first, turn, works, look);
    }
    return false;
  }
  template <class Visit>
  void for_each(Visit const& visit) {
    for (auto const& [who, source] : all_) visit(*source);
  }
  void clear() { all_.clear(); }

 private:
  by_identity::iterator next_source(turn_of_looks& turn) {
    if (!turn.who) return all_.begin();
    auto const at = turn.is_done ? all_.upper_bound(*turn.who) : all_.lower_bound(*turn.who);
    if (turn.is_done || at == all_.end() || at->first != *turn.who) turn.begin_anew();
    return at;
  }
  template <class Look>
  void look_in(awaited_source& source, awaited_source::identity who, turn_of_looks& turn,
               std::uint32_t& works, Look const& look) {
    auto& waiting = source.waiting;
    auto at = turn.after ? waiting.upper_bound(*turn.after) : waiting.begin();
    for (; works > 0 && at != waiting.end(); --works) {
      auto const work = at->first;
      if (!turn.after || turn.after->place != work.place) turn.overtaken = 0;
      turn.after = work;
      if (!look(source, work) && turn.is_bounded && ++turn.overtaken > source.source().max_overtaken(work))
        turn.after = last_of_place(work);
      at = waiting.upper_bound(*turn.after);
    }
    turn.who = who;
    turn.is_done = at == waiting.end();
  }

  by_identity all_;
};

/// Calls every continuation of the process. The first one starts the thread; it ends with the process. The
/// cost of an end does not depend on how many wait: sources report their ends, and are then asked only about
/// work that may have ended.
class continuation_thread {
 public:
  static continuation_thread& of_this_process() {
    static auto* const instance = new continuation_thread;  // never destroyed: threads may call until the
                                                            // process ends
    return *instance;
  }

  completion add(completion const& before, std::unique_ptr<continuation> what) {
    process_.check("then()");  // the mutex may have been held at fork()
    if (before.source() != nullptr) before.source()->process().check("then()");
    auto const result = std::make_shared<promised_end>(timeout_of(before));
    if (accept({before, std::move(what), result}))
      news_.bell.notify();
    else
      result->end(never_called());
    return {result, {}};
  }

 private:
  /// Takes the continuation over; false while the process ends.
  bool accept(pending_continuation one) {
    std::lock_guard const hold(mutex_);
    if (ends_) return false;
    if (!thread_.joinable()) start();
    added_.push_back(std::move(one));
    return true;
  }

  void start() {
    thread_ = start_thread(
        "continuations", [this] { run(); }, "ballast-then");
    std::atexit([] { of_this_process().end(); });
  }

  // Ends the thread. Called by exit(): static objects made after the first continuation have been destroyed
  // by now.
  void end() {
    if (process_.is_parent()) return;
    {
      std::lock_guard const hold(mutex_);
      ends_ = true;
    }
    news_.bell.notify();
    if (std::this_thread::get_id() == thread_.get_id())
      thread_.detach();  // exit() was called in a continuation, which never returns
    else
      thread_.join();
    drop_all();
  }

  void drop_all() {
    take_added();
    for (auto& one : due_) one.result->end(never_called());
    due_.clear();
    for (auto* const sources : {&told_, &asked_for_}) {
      sources->for_each([](awaited_source& source) {
        for (auto& [work, all] : source.waiting)
          for (auto& one : all) one.result->end(never_called());
      });
      sources->clear();
    }
  }

  void run() {
    is_thread_of_continuations = true;
    for (std::uint32_t looks = 0; !ends_;) {
      auto const seen = news_.bell.epoch();  // read before ends_, or a notification could be missed
      if (ends_) return;
      calls_ = 0;
      take_added();
      file_due();
      for (auto const& source : news_.take()) look_for_ends(*source);
      bool const went_round = look_in_turn(asked_for_, where_ends_are_due_);
      if (calls_ > 0)
        looks = 0;
      else if (went_round)
        sleep(seen, ++looks);
    }
  }

  void take_added() {
    std::lock_guard const hold(mutex_);
    std::ranges::move(added_, std::back_inserter(due_));
    added_.clear();
  }

  /// Calls each due continuation, or stores it with the work that it waits for. Stops early when the process
  /// ends.
  void file_due() {
    while (!due_.empty() && !ends_) {
      auto one = std::move(due_.front());
      due_.pop_front();
      file(std::move(one));
    }
  }

  /// Calls the continuation if it is ready, or keeps it with the work that must end first.
  void file(pending_continuation one) {
    for (;;) {
      auto work = one.before;
      for (auto part = work; part.source() != nullptr; part = part.source()->awaited_part(part.work()))
        work = part;
      if (work.source() == nullptr || !is_to_wait(work, one)) {
        if (!one.before.ready()) continue;
        ++calls_;
        one.run();
      }
      return;
    }
  }

  /// Keeps the continuation if `work`, which must end first, has not ended. It must not overtake
  /// continuations that already wait for this work.
  bool is_to_wait(completion const& work, pending_continuation& one) {
    auto const who = awaited_source::identity_of(work);
    auto source = told_.find(who);
    if (source == nullptr) source = asked_for_.find(who);
    bool const is_new = source == nullptr;
    if (is_new) {
      if (work.ready()) return false;
      source = std::make_shared<awaited_source>(work, news_);
      source->tells = source->listen(work.work());
    }
    auto const at = source->waiting.find(work.work());
    // The work may have ended before the source was asked to report its end.
    if (at == source->waiting.end() && work.ready()) {
      if (is_new) source->stop_listening(work.work());
      return false;
    }
    if (is_new) list_of(*source).add(who, source);
    source->waiting[work.work()].push_back(std::move(one));
    return true;
  }

  awaited_sources& list_of(awaited_source const& source) { return source.tells ? told_ : asked_for_; }

  /// Calls continuations in order, but looks no further than work can have ended.
  void look_for_ends(awaited_source& source) {
    if (source.waiting.empty()) return;  // a late notification: nothing waits for this source any more
    listen_again(source);
    std::uint64_t overtaken = 0;
    std::uint32_t place = 0;
    for (auto at = source.waiting.begin(); at != source.waiting.end() && !ends_;) {
      auto const work = at->first;
      if (std::exchange(place, work.place) != work.place) overtaken = 0;
      if (look_at(source, work))
        at = source.waiting.upper_bound(work);
      else if (++overtaken > source.source().max_overtaken(work))
        at = source.waiting.upper_bound(last_of_place(work));
      else
        ++at;
    }
  }

  void listen_again(awaited_source& source) {
    auto const work = source.waiting.begin()->first;
    bool const tells = source.listen(work);
    if (tells == source.tells) return;
    auto const who = awaited_source::identity(&source.source(), work.run);
    auto const kept = list_of(source).find(who);
    list_of(source).remove(who);
    source.tells = tells;
    list_of(source).add(who, kept);
  }

  /// Calls the continuations that wait for the work if it has ended, and returns whether it has. Drops a
  /// source without further waiting work.
  bool look_at(awaited_source& source, completion_key const& work) {
    if (!source.source().has_ended(work)) return false;
    auto ended = source.waiting.extract(work);
    if (source.waiting.empty()) {
      source.stop_listening(work);
      list_of(source).remove({&source.source(), work.run});
    }
    std::ranges::move(ended.mapped(), std::back_inserter(due_));
    file_due();
    return true;
  }

  bool look_in_turn(awaited_sources& sources, turn_of_looks& turn) {
    return sources.look_in_turn(turn, looks_in_turn, [this](awaited_source& source, completion_key work) {
      return look_at(source, work);
    });
  }

  void sleep(std::uint64_t seen, std::uint32_t looks) {
    if (told_.empty() && asked_for_.empty()) {
      news_.bell.wait_past(seen, clock::time_point::max());
    } else if (asked_for_.empty()) {
      if (!news_.bell.wait_past(seen, clock::now() + max_sleep)) look_in_turn(told_, all_of_told_);
    } else {
      if (looks < looks_before_naps)
        std::this_thread::yield();
      else
        news_.bell.wait_past(seen, clock::now() + max_nap);
      if (next_look_ < clock::now()) {
        look_in_turn(told_, all_of_told_);
        look_in_turn(asked_for_, all_of_asked_for_);
        next_look_ = clock::now() + max_sleep;
      }
    }
  }

  process_of_origin const process_;
  std::mutex mutex_;
  std::vector<pending_continuation> added_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
  news news_;
  // Of the thread.
  std::deque<pending_continuation> due_;  ///< to be called, or to wait for other work
  awaited_sources told_, asked_for_;
  turn_of_looks where_ends_are_due_{true}, all_of_told_{false}, all_of_asked_for_{false};
  clock::time_point next_look_;  ///< at all
  std::uint64_t calls_ = 0;
};

}  // namespace

clock::duration timeout_of(completion const& work) {
  return work.source() == nullptr ? default_timeout : work.source()->timeout(work.work());
}

std::exception_ptr never_called() {
  return std::make_exception_ptr(error("the process ends: the continuation is not called"));
}

std::exception_ptr failure_of(completion const& ended) {
  try {
    ended.wait();
    return nullptr;
  } catch (...) { return std::current_exception(); }
}

void promised_end::end(std::exception_ptr failure) {
  failure_ = std::move(failure);
  ended_.store(true, std::memory_order_release);
  changed_.notify();
}

void promised_end::wait(completion_key const& work, deadline until) {
  for (auto seen = changed_.epoch(); !has_ended(work); seen = changed_.epoch())
    if (!changed_.spin_then_wait_past(seen, until)) throw timed_out("a continuation", "");
  if (failure_) std::rethrow_exception(failure_);
}

bool promised_end::notify_at_end(completion_key const&, std::shared_ptr<end_listener> const& listener) {
  changed_.forward_to(listener);
  return true;
}

bool is_in_continuation() { return is_thread_of_continuations; }

void throw_if_in_continuation(char const* what) {
  if (is_in_continuation())
    throw error(std::string(what) + " was called in a continuation, which must not wait");
}

completion add_continuation(completion const& before, std::unique_ptr<continuation> what) {
  return continuation_thread::of_this_process().add(before, std::move(what));
}

}  // namespace ballast::detail
