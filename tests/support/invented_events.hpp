// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ballast::test {

/// Events, the earliest first, by `>` of two of them. A heap of four children: half as deep as a
/// std::priority_queue, which is most of the time of a play.
template <class Event>
class invented_events {
 public:
  bool empty() const { return heap_.empty(); }
  void add(Event const& one) {
    auto at = heap_.size();
    heap_.push_back(one);
    for (; at > 0 && heap_[(at - 1) / 4] > one; at = (at - 1) / 4) heap_[at] = heap_[(at - 1) / 4];
    heap_[at] = one;
  }
  /// There is one.
  Event take_first() {
    auto const first = heap_.front(), last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return first;
    std::size_t at = 0;
    for (auto child = at; (child = 4 * at + 1) < heap_.size();) {
      auto const end = std::min(child + 4, heap_.size());
      auto least = child;
      while (++child < end)
        if (heap_[least] > heap_[child]) least = child;
      if (!(last > heap_[least])) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = last;
    return first;
  }

 private:
  std::vector<Event> heap_;
};

}  // namespace ballast::test
