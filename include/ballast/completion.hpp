// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ballast/deadline.hpp"
#include "ballast/version.hpp"

namespace ballast {
class completion;
}

namespace ballast::detail {

/// The process that made an object. After fork() the child has copies of its parent's objects, but not the
/// threads that serve them. Any thread may call any member.
class BALLAST_API process_of_origin {
 public:
  process_of_origin();  ///< the calling process

  /// True if the object was made in a parent, and this process is a child made by fork(). Costs one load.
  bool is_parent() const noexcept { return forks_so_far.load(std::memory_order_relaxed) != forks_; }
  /// Throws error if is_parent(); the message names `call` as refused.
  void check(std::string_view call) const {
    if (is_parent()) throw_forked(call);
  }

 private:
  [[noreturn]] static void throw_forked(std::string_view call);

  static std::atomic<std::uint64_t> forks_so_far;  ///< forks between the first process that asked and this
                                                   ///< one

  std::uint64_t forks_;
};

/// Is notified when work of a completion source may have ended.
class BALLAST_API end_listener {
 public:
  virtual ~end_listener() = default;
  /// Notifies the listener. Called from any thread, possibly with locks of the source held: must not call the
  /// source, and must not throw.
  virtual void note_end() noexcept = 0;
};

/// Identifies one piece of work within a completion source, which defines what the numbers mean.
struct completion_key {
  std::uint64_t run = 0;    ///< the run, for a source that can restart
  std::uint64_t first = 0;  ///< number of the first piece of work
  std::uint32_t count = 0;  ///< the number of pieces of work
  std::uint32_t place = 0;  ///< the place, for a source that counts at several places
  bool operator==(completion_key const&) const = default;
};

/// The source that completions ask: a queue's run, a launch stream or a job. Any thread may call any member.
class BALLAST_API completion_source {
 public:
  virtual ~completion_source() = default;

  /// True once the work has ended, well or not, or will never run, and no device works on it any more; then
  /// true for ever. Does not wait or throw.
  virtual bool has_ended(completion_key const& work) = 0;
  /// Waits until has_ended() or until a failure is known, and throws the failure; throws timed_out at the
  /// deadline.
  virtual void wait(completion_key const& work, deadline until) = 0;
  /// How long a wait without a deadline lasts.
  virtual clock::duration(timeout)(completion_key const&) const { return default_timeout; }
  /// True if the work ends even if no stream starts anything until then, so a stream may wait for it.
  virtual bool needs_no_launch(completion_key const&) { return false; }
  /// Makes each end of work of the same run notify `listener`, until a call with another listener or with
  /// null. Returns false if the source cannot notify, so that its work must be polled. Call it again after
  /// each notification, before asking the source.
  virtual bool notify_at_end(completion_key const& work, std::shared_ptr<end_listener> const& listener) = 0;
  /// The largest possible number of unfinished pieces of work, of the same run and place, ahead of a finished
  /// one: a search for ends, in order, stops after this many. Affects only how many queries an end costs.
  virtual std::uint64_t max_overtaken(completion_key const&) { return ~std::uint64_t(0); }
  /// The work that this work consists of, none if it is not made of others'.
  virtual std::span<completion const> parts(completion_key const&);
  /// Work of another source that must end before this work can; no work if there is none.
  virtual completion awaited_part(completion_key const&);

  /// The process that made the source, or that began its present run.
  process_of_origin const& process() const { return process_; }

 protected:
  process_of_origin process_;
};

/// Called on the thread of continuations once a completion is ready.
class BALLAST_API continuation {
 public:
  virtual ~continuation() = default;
  /// Returns further work that the continuation's own completion waits for, usually none.
  virtual completion run(completion const& ended) = 0;
};

/// Calls the continuation once `before` is ready; returns the completion of that call.
BALLAST_API completion add_continuation(completion const& before, std::unique_ptr<continuation> what);

/// Throws error on the thread of continuations, because the next continuation could then never be called:
/// `what` names the call that would wait.
BALLAST_API void throw_if_in_continuation(char const* what);

}  // namespace ballast::detail

namespace ballast {

/// The completion of submitted work: tasks of a queue, a launch, a job, a continuation. Cheap to copy; may
/// outlive the queue, launch stream or scheduler that gave it. Any thread may call any member.
class BALLAST_API completion {
 public:
  /// Stands for no work: ready.
  completion() = default;
  /// Makes the completion of `work`, which `source` accepted. For the modules that accept work.
  completion(std::shared_ptr<detail::completion_source> source, detail::completion_key const& work)
      : source_(std::move(source)), work_(work) {}

  /// True once all of the work has ended, well or not, or will never run. Its results are then visible to the
  /// caller and to work that the caller submits next. No device works on it any more, unless the device was
  /// lost. Does not wait or throw.
  bool ready() const { return source_ == nullptr || source_->has_ended(work_); }
  /// Waits until ready(), at most for the timeout of the queue, launch stream or scheduler that accepted the
  /// work. Throws the failure of the work, perhaps before ready(); timed_out with that object's state;
  /// ballast::error in a continuation, unless ready(); and ballast::error in a child of fork() if the work
  /// was submitted before.
  void wait() const;
  /// wait(), but until `until` at most.
  void wait_until(deadline until) const;

  /// Calls `f()` once the work has succeeded, and never if it fails. If f takes a completion, calls
  /// `f(completion)` once this is ready, successful or not. Returns the completion of that call, which fails
  /// if f throws, or if f was not called because the work failed. If f returns a completion, the result waits
  /// for that too: `a.then([&] { return queue.submit(b); })` submits b after a and is ready once b has run.
  /// One thread of the process calls all continuations, each once, in the order in which it sees the ends. f
  /// may submit work but must not wait for any (wait() then throws). At the end of the process f is not
  /// called and the completion fails. Does not wait. The cost does not grow with other waiting continuations,
  /// except where the source cannot notify (a GPU's queue) and all of its continuations are polled. Throws
  /// error if the thread cannot be started, and in a child of fork() if the work or the thread is the
  /// parent's.
  template <class F>
  completion then(F&& f) const;
  /// `co_await done` continues on the thread of continuations, or at once if `done` is ready, and throws as
  /// wait() and then() do. A coroutine that is destroyed while it waits is never resumed. Destroying it while
  /// it is being resumed is undefined, as destroying it while it runs is: destroy it in a continuation, or on
  /// another thread where the work cannot end meanwhile.
  auto operator co_await() const;

  /// For the library's modules: the source that accepted the work.
  std::shared_ptr<detail::completion_source> const& source() const { return source_; }
  /// For the library's modules: identifies the work within its source.
  detail::completion_key const& work() const { return work_; }

 private:
  std::shared_ptr<detail::completion_source> source_;  // owns nothing if the source lives for ever
  detail::completion_key work_;
};

/// Returns a completion that is ready once all in the list are, and that fails with the first failure in the
/// list's order. Pass thousands in one call: nested calls need stack in proportion to their depth.
BALLAST_API completion when_all(std::span<completion const> all);
/// Returns a completion that is ready once the thread of continuations has seen that one in the list is
/// ready, and that fails if that one failed (the first in order, if several are ready). Leaves a continuation
/// with each of the other completions until their work ends. Throws bad_argument ("any") for an empty list.
BALLAST_API completion when_any(std::span<completion const> any);

/// when_all() of the arguments.
template <std::same_as<completion>... More>
completion when_all(completion const& one, More const&... more) {
  completion const all[] = {one, more...};
  return when_all(std::span<completion const>(all));
}
/// when_any() of the arguments.
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

/// Suspends a coroutine until the work has ended. Takes any coroutine handle, so only users of coroutines
/// include <coroutine>.
class completion_awaiter {
 public:
  explicit completion_awaiter(completion of) : of_(std::move(of)) {}
  /// Runs also when the coroutine is destroyed while it waits.
  ~completion_awaiter() {
    if (is_left_ != nullptr) is_left_->store(true, std::memory_order_release);
  }
  completion_awaiter(completion_awaiter const&) = delete;
  completion_awaiter& operator=(completion_awaiter const&) = delete;

  bool await_ready() const { return of_.ready(); }
  /// Another thread may resume the coroutine, and destroy this awaiter, before then() returns.
  template <class Handle>
  void await_suspend(Handle suspended) {
    is_left_ = std::make_shared<std::atomic<bool>>(false);
    auto const of = of_;
    of.then([suspended, is_left = is_left_](completion const&) {
      if (!is_left->exchange(true, std::memory_order_acq_rel)) suspended.resume();
    });
  }
  void await_resume() const { of_.wait(); }

 private:
  completion of_;
  std::shared_ptr<std::atomic<bool>> is_left_;  // true once the coroutine was resumed or destroyed
};

}  // namespace ballast::detail

namespace ballast {

inline std::span<completion const> detail::completion_source::parts(completion_key const&) { return {}; }
inline completion detail::completion_source::awaited_part(completion_key const&) { return {}; }

template <class F>
completion completion::then(F&& f) const {
  static_assert(std::invocable<std::decay_t<F>&> || std::invocable<std::decay_t<F>&, completion const&>,
                "a continuation is called with nothing, or with the completion");
  return detail::add_continuation(
      *this, std::make_unique<detail::continuation_of<std::decay_t<F>>>(std::forward<F>(f)));
}

inline auto completion::operator co_await() const { return detail::completion_awaiter(*this); }

}  // namespace ballast
