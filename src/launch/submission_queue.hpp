// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/detail/launch/submission.hpp"

namespace ballast::detail {

/// The launches of one launch stream in order: one thread appends, one takes, and neither waits for the
/// other. Grows by links of sixteen, one of which is kept for the next time.
class submission_queue {
 public:
  submission_queue() : first_(new link), last_(first_) {}
  submission_queue(submission_queue const&) = delete;
  submission_queue& operator=(submission_queue const&) = delete;
  ~submission_queue() {
    for (link* one = first_; one != nullptr;) {
      link* const next = one->next.load(std::memory_order_relaxed);
      delete one;
      one = next;
    }
    delete spare_.load(std::memory_order_relaxed);
  }

  // Of the thread that appends.
  /// The next submission, to be filled; nobody sees it before commit(). Calling again gives the same one.
  submission& next() {
    if (appended_ == link::size) add_link();
    return last_->places[appended_];
  }
  void commit() { last_->filled.store(++appended_, std::memory_order_release); }

  // Of the thread that takes.
  /// The oldest, null if there is none.
  submission* front() {
    if (taken_ == link::size && !move_on()) return nullptr;
    if (taken_ >= first_->filled.load(std::memory_order_acquire)) return nullptr;
    return &first_->places[taken_];
  }
  /// The one after so many others; null if it is not there, or farther than the next link, after 16 at least.
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
  /// There must be a front().
  void pop() { first_->places[taken_++].release(); }
  /// Asks for the oldest so many to be brought near this thread from the one that wrote them.
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

  /// Apart, so that front(), which is asked several times for each launch, stays small.
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

}  // namespace ballast::detail
