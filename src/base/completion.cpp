// SPDX-License-Identifier: Apache-2.0
#include "ballast/completion.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "continuations.hpp"

namespace ballast {
namespace detail {
namespace {

clock::duration longest_timeout(std::span<completion const> all) {
  clock::duration longest = all.empty() ? default_timeout : clock::duration();
  for (auto const& one : all) longest = std::max(longest, timeout_of(one));
  return longest;
}

/// Several completions as one, which queries each of them.
class all_of_them : public completion_source {
 public:
  explicit all_of_them(std::span<completion const> all) : all_(all.begin(), all.end()) {}

  bool has_ended(completion_key const&) override {
    auto first = ready_below_.load(std::memory_order_acquire);
    while (first < all_.size() && all_[first].ready()) ++first;
    ready_below_.store(first, std::memory_order_release);
    return first == all_.size();
  }
  void wait(completion_key const&, deadline until) override {
    std::exception_ptr failure;
    for (auto const& one : all_) {
      try {
        one.wait_until(until);
      } catch (...) {
        if (!one.ready()) throw;
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }
  clock::duration timeout(completion_key const&) const override { return longest_timeout(all_); }
  bool needs_no_launch(completion_key const&) override {
    return std::ranges::all_of(
        all_, [](completion const& one) { return one.ready() || one.source()->needs_no_launch(one.work()); });
  }
  std::span<completion const> parts(completion_key const&) override { return all_; }
  /// The first completion that has not ended: a wait for all waits for one after another. This source needs
  /// no notifications.
  completion awaited_part(completion_key const& work) override {
    if (has_ended(work)) return {};
    auto const first =
        ready_below_.load(std::memory_order_acquire);  // another thread may have advanced it to the end
    return first < all_.size() ? all_[first] : completion();
  }
  bool notify_at_end(completion_key const&, std::shared_ptr<end_listener> const&) override { return false; }

 private:
  std::vector<completion> const all_;
  std::atomic<std::size_t> ready_below_ = 0;  // may lag
};

/// Ends once one of the completions ends; takes the result of the first in order that has ended by then.
class first_end : public promised_end {
 public:
  explicit first_end(std::span<completion const> any)
      : promised_end(longest_timeout(any)), any_(any.begin(), any.end()) {}

  void note() {
    if (noted_.exchange(true)) return;
    auto const any = std::exchange(any_, {});
    end(failure_of(*std::ranges::find_if(any, &completion::ready)));
  }
  /// Called if a continuation is dropped: ends with never_called(), unless it has ended.
  void give_up() {
    if (!noted_.exchange(true)) end(never_called());
  }

 private:
  std::vector<completion> any_;  // owned by the first caller of note()
  std::atomic<bool> noted_ = false;
};

class note_of_end : public continuation {
 public:
  explicit note_of_end(std::shared_ptr<first_end> first) : first_(std::move(first)) {}
  ~note_of_end() override { first_->give_up(); }

  completion run(completion const&) override {
    first_->note();
    return {};
  }

 private:
  std::shared_ptr<first_end> first_;
};

}  // namespace

std::atomic<std::uint64_t> process_of_origin::forks_so_far = 0;

process_of_origin::process_of_origin() {
  static int const failure = pthread_atfork(nullptr, nullptr, [] { ++forks_so_far; });
  if (failure != 0) throw error("pthread_atfork: " + std::generic_category().message(failure));
  forks_ = forks_so_far;
}

void process_of_origin::throw_forked(std::string_view call) {
  throw error(std::string(call) +
              " was called in a child of fork() for what is its parent's: open devices anew here");
}

}  // namespace detail

void completion::wait() const {
  if (source_ != nullptr) wait_until(deadline::in(source_->timeout(work_)));
}

void completion::wait_until(deadline until) const {
  if (source_ == nullptr) return;
  source_->process().check("wait()");
  if (detail::is_in_continuation() && !ready()) detail::throw_if_in_continuation("wait()");
  source_->wait(work_, until);
}

completion when_all(std::span<completion const> all) {
  return {std::make_shared<detail::all_of_them>(all), {}};
}

completion when_any(std::span<completion const> any) {
  if (any.empty()) throw_bad_argument("any", "none", "at least one completion");
  for (auto const& one : any)
    if (one.ready()) return one;
  auto const first = std::make_shared<detail::first_end>(any);
  for (auto const& one : any) detail::add_continuation(one, std::make_unique<detail::note_of_end>(first));
  return {first, {}};
}

}  // namespace ballast
