// SPDX-License-Identifier: Apache-2.0
#include "task_range.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ballast::detail {

void range_backlog::add(task_range range) {
  if (range.count == 0) return;
  tasks_ += range.count;
  ranges_.push_back(std::move(range));
}

task_range range_backlog::take_first(std::uint32_t max) {
  if (ranges_.empty() || max == 0) return {};
  auto& front = ranges_.front();
  auto taken = front;
  taken.count = std::min(front.count, max);
  front.first += taken.count;
  front.count -= taken.count;
  tasks_ -= taken.count;
  if (front.count == 0) ranges_.pop_front();
  return taken;
}

std::vector<task_range> range_backlog::take_last(std::uint64_t tasks) {
  std::vector<task_range> taken;
  tasks_ -= tasks;
  while (tasks > 0) {
    auto& back = ranges_.back();
    if (back.count > tasks) {
      taken.push_back(back.cut_last(std::uint32_t(tasks)));
      break;
    }
    tasks -= back.count;
    taken.push_back(std::move(back));
    ranges_.pop_back();
  }
  return taken;
}

std::vector<task_range> range_backlog::take_all() {
  std::vector<task_range> all(std::move_iterator(ranges_.begin()), std::move_iterator(ranges_.end()));
  ranges_.clear();
  tasks_ = 0;
  return all;
}

void range_backlog::drop(std::uint32_t origin) {
  std::erase_if(ranges_, [&](task_range const& range) { return range.origin == origin; });
  tasks_ = 0;
  for (auto const& range : ranges_) tasks_ += range.count;
}

bool number_set::add(std::uint32_t first, std::uint32_t count) {
  if (count == 0) return true;
  auto const end = first + count;
  auto next = ends_.upper_bound(first);
  if (next != ends_.end() && next->first < end) return false;
  auto const before = next == ends_.begin() ? ends_.end() : std::prev(next);
  if (before != ends_.end() && before->second > first) return false;
  size_ += count;
  auto last = end;
  if (next != ends_.end() && next->first == end) {
    last = next->second;
    ends_.erase(next);
  }
  if (before != ends_.end() && before->second == first)
    before->second = last;
  else
    ends_.emplace(first, last);
  return true;
}

std::vector<number_set::range> number_set::missing(std::uint32_t end) const {
  std::vector<range> gaps;
  std::uint32_t from = 0;
  for (auto const& [first, last] : ends_) {
    if (first >= end) break;
    if (first > from) gaps.push_back({from, first - from});
    from = last;
  }
  if (from < end) gaps.push_back({from, end - from});
  return gaps;
}

}  // namespace ballast::detail
