// SPDX-License-Identifier: Apache-2.0
#include "program_check.hpp"

#include <algorithm>
#include <utility>

namespace ballast::detail {
namespace {

constexpr std::size_t max_text = 4000;  // of a step, so that a message holds some

}  // namespace

void program_check::add(std::string text) {
  if (text.size() > max_text) text.resize(max_text);
  std::ranges::replace(text, '\n', ' ');
  untold_.push_back(text);
  own_.push_back(std::move(text));
  compare();
}

std::string program_check::take_untold(std::size_t most_bytes) {
  std::string told;
  while (!untold_.empty() && (told.empty() || told.size() + untold_.front().size() < most_bytes)) {
    told += untold_.front() + '\n';
    untold_.pop_front();
  }
  return told;
}

void program_check::hear(std::string_view told) {
  for (auto end = told.find('\n'); end != told.npos; end = told.find('\n')) {
    heard_.emplace_back(told.substr(0, end));
    told.remove_prefix(end + 1);
  }
  compare();
}

void program_check::compare() {
  for (; !own_.empty() && !heard_.empty(); own_.pop_front(), heard_.pop_front()) {
    ++compared_;
    if (difference_ || own_.front() == heard_.front()) continue;
    difference_ = "step " + std::to_string(compared_) + " is " + own_.front() + " here, and " +
                  heard_.front() + " there";
  }
}

}  // namespace ballast::detail
