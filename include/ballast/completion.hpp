// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "ballast/deadline.hpp"
#include "ballast/version.hpp"

namespace ballast {
class completion;
class event_count;
}

namespace ballast::detail {

/// Names work among all that one source of completions took; what the numbers mean is the source's matter.
struct completion_key {
  std::uint64_t run = 0;    ///< of a source that starts again
  std::uint64_t first = 0;  ///< number of the first piece of work
  std::uint32_t count = 0;  ///< how many
  std::uint32_t place = 0;  ///< where, for a source that counts at several places
  bool operator==(completion_key const&) const = default;
};

/// What completions ask: a queue's run, a launch stream, a job. Any thread may call any member.
class BALLAST_API completion_source {
 public:
  virtual ~completion_source() = default;

  /// Whether the work has ended, well or not, or will never run, and no device works on it any more; from
  /// then on always. Does not wait, and throws nothing.
  virtual bool has_ended(completion_key const& work) = 0;
  /// Waits until has_ended(), or until a failure is known, which it throws; timed_out at the deadline.
  virtual void wait(completion_key const& work, deadline until) = 0;
  /// How long a wait without a deadline lasts.
  virtual clock::duration(timeout)(completion_key const&) const { return default_timeout; }
  /// Whether it ends though no stream takes anything until then, so that a stream may be held up for it.
  virtual bool needs_no_launch(completion_key const&) { return false; }
  /// From now on each end notifies `bell`, until the call with null; one bell at a time. False: nobody can
  /// tell of an end, which therefore has to be asked for. To be called again before each sleep.
  virtual bool notify_at_end(completion_key const& work, event_count* bell) = 0;
};

/// What is called once a completion is ready, on the thread of continuations.
class BALLAST_API continuation {
 public:
  virtual ~continuation() = default;
  /// Returns what its own completion waits for besides; of no work as a rule.
  virtual completion run(completion const& ended) = 0;
};

/// Has it called once `before` is ready; returns the completion of that call.
BALLAST_API completion add_continuation(completion const& before, std::unique_ptr<continuation> what);

/// Throws error if this is the thread of continuations, for which nobody could call the next one: `what`
/// names the call that would wait.
BALLAST_API void throw_if_in_continuation(char const* what);

}  // namespace ballast::detail

namespace ballast {

/// The end of work that was handed over: tasks of a queue, a launch, a job, a continuation. Cheap to copy;
/// may outlive the queue, launch stream or scheduler that gave it. Any thread may call any member.
class BALLAST_API completion {
 public:
  /// Of no work: ready.
  completion() = default;
  /// For the rooms that hand work over.
  completion(std::shared_ptr<detail::completion_source> source, detail::completion_key const& work)
      : source_(std::move(source)), work_(work) {}

  /// Whether all of the work has ended, well or not, or will never run. The results of what ran are then
  /// visible to the caller, and to work that it hands over next; no device works on it any more, unless
  /// it was lost. Does not wait, and throws nothing.
  bool ready() const { return source_ == nullptr || source_->has_ended(work_); }
  /// Waits until ready(), at most for the timeout of the queue, launch stream or scheduler that took the
  /// work. Throws what kept the work from ending well, perhaps before it is ready; timed_out with the state
  /// of who has the work; and ballast::error in a continuation, unless it is ready.
  void wait() const;
  /// wait() that waits until `until` at most.
  void wait_until(deadline until) const;

  /// Calls `f()` once the work has ended well; f is not called if it has not. Or, if f takes one,
  /// `f(completion)` once this is ready, well or not. Returns the completion of that call, which fails as the
  /// work did or by what f throws; if f returns a completion, of that work too, so that
  /// `a.then([&] { return queue.submit(b); })` submits b after a and is ready once b has run. f is called
  /// once, on one thread of the process that calls all continuations, in the order in which it sees the ends;
  /// it may hand work over and must not wait for any (wait() then throws). At the end of the process, and in
  /// a child of fork(), f is not called and the completion fails. Does not wait. Throws error if the thread
  /// cannot be started.
  template <class F>
  completion then(F&& f) const;
  /// `co_await done` continues on the thread of continuations, or at once if it is ready, and throws as
  /// wait() does.
  auto operator co_await() const;

  /// For the rooms: who took the work.
  std::shared_ptr<detail::completion_source> const& source() const { return source_; }
  /// For the rooms: what the work is called there.
  detail::completion_key const& work() const { return work_; }

 private:
  std::shared_ptr<detail::completion_source> source_;  // owns nothing where the source stays for ever
  detail::completion_key work_;
};

/// Ready once all of them are; the failure is that of the first in order which failed. Give thousands in one
/// call: made one in the other they take as deep a stack.
BALLAST_API completion when_all(std::span<completion const> all);
/// Ready once the thread of continuations has seen that one of them is; failed if that one, the first in
/// order among several, failed. Leaves a continuation with each of the others until it ends. Throws
/// bad_argument ("any") for none.
BALLAST_API completion when_any(std::span<completion const> any);

/// when_all() of those named.
template <std::same_as<completion>... More>
completion when_all(completion const& one, More const&... more) {
  completion const all[] = {one, more...};
  return when_all(std::span<completion const>(all));
}
/// when_any() of those named.
template <std::same_as<completion>... More>
completion when_any(completion const& one, More const&... more) {
  completion const any[] = {one, more...};
  return when_any(std::span<completion const>(any));
}

}  // namespace ballast

namespace ballast::detail {

template <class F>
class continuation_of : public continuation {
 public:
  explicit continuation_of(F f) : f_(std::move(f)) {}

  completion run(completion const& ended) override {
    if constexpr (std::invocable<F&, completion const&>) {
      return called(ended);
    } else {
      ended.wait();
      return called();
    }
  }

 private:
  template <class... Ended>
  completion called(Ended const&... ended) {
    if constexpr (std::same_as<std::remove_cvref_t<std::invoke_result_t<F&, Ended const&...>>, completion>) {
      return f_(ended...);
    } else {
      f_(ended...);
      return {};
    }
  }

  F f_;
};

/// Suspends a coroutine until the work has ended. Takes any handle, so that <coroutine> is the user's to
/// include.
class completion_awaiter {
 public:
  explicit completion_awaiter(completion of) : of_(std::move(of)) {}

  bool await_ready() const { return of_.ready(); }
  template <class Handle>
  void await_suspend(Handle suspended) const {
    of_.then([suspended](completion const&) { suspended.resume(); });
  }
  void await_resume() const { of_.wait(); }

 private:
  completion of_;
};

}  // namespace ballast::detail

namespace ballast {

template <class F>
completion completion::then(F&& f) const {
  static_assert(std::invocable<std::decay_t<F>&> || std::invocable<std::decay_t<F>&, completion const&>,
                "a continuation is called with nothing, or with the completion");
  return detail::add_continuation(
      *this, std::make_unique<detail::continuation_of<std::decay_t<F>>>(std::forward<F>(f)));
}

inline auto completion::operator co_await() const { return detail::completion_awaiter(*this); }

}  // namespace ballast
