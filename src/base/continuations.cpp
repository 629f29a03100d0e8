// SPDX-License-Identifier: Apache-2.0
#include "continuations.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/detail/base/event_count.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

/// Ends a promise as other work ends.
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
      what.reset();  // before somebody hears that it is over
      further.source() == nullptr ? result->end(nullptr) : end_with(further);
    } catch (...) {
      what.reset();
      result->end(std::current_exception());
    }
  }
};

thread_local bool is_thread_of_continuations = false;

/// How long it naps between looks for ends that nobody tells of, such as a GPU's, at most; and at most where
/// all are told, should a device be lost without a word.
constexpr auto max_nap = std::chrono::microseconds(200);
constexpr auto max_sleep = std::chrono::milliseconds(50);
constexpr std::uint32_t looks_before_naps = 200;

/// Calls every continuation of the process. The first one starts the thread; it ends with the process.
class continuation_thread {
 public:
  static continuation_thread& of_this_process() {
    static auto* const instance = new continuation_thread;  // is asked until the process is gone
    return *instance;
  }

  completion add(completion const& before, std::unique_ptr<continuation> what) {
    auto const result = std::make_shared<promised_end>(timeout_of(before));
    if (accept({before, std::move(what), result}))
      bell_.notify();
    else
      result->end(never_called());
    return {result, {}};
  }

 private:
  /// Sources, another run of one being another, with a piece of their work and how many wait for such.
  struct use {
    completion_key work;
    std::uint32_t waiting = 0;
  };
  using source_uses = std::map<std::pair<completion_source*, std::uint64_t>, use>;

  /// Not when the process ends, nor in a child of fork(), which has no such thread.
  bool accept(pending_continuation one) {
    if (is_of_parent()) return false;
    std::lock_guard const hold(mutex_);
    if (ends_) return false;
    if (process_ == 0) start();
    added_.push_back(std::move(one));
    return true;
  }
  /// Of fork(), at which the mutex may have been held.
  bool is_of_parent() const { return process_ != 0 && process_ != getpid(); }

  void start() {
    thread_ = start_thread("continuations", [this] { run(); });
    process_ = getpid();
    std::atexit([] { of_this_process().end(); });
  }

  // Called by exit(): static objects that were made after the first continuation are gone by now.
  void end() {
    if (is_of_parent()) return;
    {
      std::lock_guard const hold(mutex_);
      ends_ = true;
    }
    bell_.notify();
    if (std::this_thread::get_id() == thread_.get_id())
      thread_.detach();  // exit() in a continuation, which never returns
    else
      thread_.join();
    drop_all();
  }

  void drop_all() {
    take_added();
    for (auto& one : waiting_)
      if (one.result != nullptr) one.result->end(never_called());
    waiting_.clear();
  }

  void run() {
    is_thread_of_continuations = true;
    for (std::uint32_t looks = 0;;) {
      auto const seen = bell_.epoch();  // before ends_ is read, or its notification could be missed
      if (ends_) return;
      take_added();
      if (run_those_ready())
        looks = 0;
      else
        sleep(seen, ++looks);
    }
  }

  void take_added() {
    std::vector<pending_continuation> added;
    {
      std::lock_guard const hold(mutex_);
      added.swap(added_);
    }
    for (auto& one : added) {
      note_use(one.before);
      waiting_.push_back(std::move(one));
    }
  }

  void note_use(completion const& of) {
    if (of.source() == nullptr) return;
    auto& known = uses_[key_of(of)];
    known.work = of.work();
    ++known.waiting;
  }

  /// In order, so that a chain ends in one go; whether there was any.
  bool run_those_ready() {
    std::size_t kept = 0, i = 0;
    for (; i < waiting_.size() && !ends_; ++i) {
      if (waiting_[i].before.ready()) {
        auto one = std::move(waiting_[i]);
        forget_use(one.before);
        one.run();
      } else {
        if (i != kept) waiting_[kept] = std::move(waiting_[i]);
        ++kept;
      }
    }
    if (i == kept) return false;
    waiting_.erase(waiting_.begin() + std::ptrdiff_t(kept), waiting_.begin() + std::ptrdiff_t(i));
    return true;
  }

  void forget_use(completion const& of) {
    if (of.source() == nullptr) return;
    auto const known = uses_.find(key_of(of));
    if (--known->second.waiting != 0) return;
    uses_.erase(known);
    of.source()->notify_at_end(of.work(), nullptr);
  }

  void sleep(std::uint64_t seen, std::uint32_t looks) {
    bool all_tell = true;
    for (auto const& [source, awaited] : uses_) all_tell &= source.first->notify_at_end(awaited.work, &bell_);
    // An end may have come before the source was asked to tell.
    if (std::ranges::any_of(waiting_, [](auto const& one) { return one.before.ready(); })) return;
    if (waiting_.empty()) {
      bell_.wait_past(seen, clock::time_point::max());
    } else if (all_tell) {
      bell_.wait_past(seen, clock::now() + max_sleep);
    } else if (looks < looks_before_naps) {
      std::this_thread::yield();
    } else {
      bell_.wait_past(seen, clock::now() + max_nap);
    }
  }

  static source_uses::key_type key_of(completion const& of) { return {of.source().get(), of.work().run}; }

  std::mutex mutex_;
  std::vector<pending_continuation> added_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
  std::atomic<pid_t> process_ = 0;  ///< 0: not started
  event_count bell_;
  // Of the thread.
  std::vector<pending_continuation> waiting_;
  source_uses uses_;
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
    if (!changed_.spin_then_wait_past(seen, until.at()) && !has_ended(work))
      throw timed_out("a continuation", "");
  if (failure_) std::rethrow_exception(failure_);
}

bool promised_end::notify_at_end(completion_key const&, event_count* bell) {
  changed_.forward_to(bell);
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
