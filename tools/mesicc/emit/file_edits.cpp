// SPDX-License-Identifier: Apache-2.0
#include "emit/file_edits.hpp"

#include <algorithm>
#include <utility>

namespace ballast::mesicc {

bool file_edits::has_replaced(std::size_t offset, std::size_t length) const {
  auto const after = replaced_.lower_bound(offset);
  if (after != replaced_.end() && after->first < offset + length) return true;
  if (after == replaced_.begin()) return false;
  auto const before = std::prev(after);
  return before->first + before->second.length > offset;
}

bool file_edits::replace(std::size_t offset, std::size_t length, std::string text) {
  auto const same = replaced_.find(offset);
  if (same != replaced_.end()) return same->second.length == length && same->second.text == text;
  if (has_replaced(offset, length)) return false;
  replaced_[offset] = {length, std::move(text)};
  return true;
}

std::string file_edits::apply_to(std::string_view text) const {
  std::string result;
  std::size_t done = 0;
  auto const copy_up_to = [&](std::size_t offset) {
    auto const end = std::min(offset, text.size());
    if (end > done) result += text.substr(done, end - done), done = end;
  };
  auto next = inserted_.begin();
  auto const insert_up_to = [&](std::size_t end) {
    for (; next != inserted_.end() && next->first < end; ++next)
      copy_up_to(next->first), result += next->second;
  };
  for (auto const& [offset, change] : replaced_) {
    insert_up_to(offset + std::max<std::size_t>(change.length, 1));
    copy_up_to(offset);
    result += change.text;
    done = std::min(offset + change.length, text.size());
  }
  insert_up_to(std::string_view::npos);
  copy_up_to(text.size());
  return result;
}

}  // namespace ballast::mesicc
