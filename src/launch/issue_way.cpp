// SPDX-License-Identifier: Apache-2.0
#include "issue_way.hpp"

#include <algorithm>

namespace ballast::inline launch {
namespace {

constexpr double clearly_faster = 1.05;
constexpr double fewest_between_tries = 32, most_between_tries = 4096;

}  // namespace

std::string_view name_of(issue_way way) {
  constexpr std::array<std::string_view, issue_way_count> names{"merged", "one_by_one", "by_producers"};
  return names.at(static_cast<std::size_t>(way));
}

way_chooser::way_chooser(std::span<issue_way const> allowed) : allowed_(allowed.size()) {
  for (std::size_t i = 0; i < allowed_; ++i) tried_[i].way = allowed[i];
}

void way_chooser::note(std::uint64_t kernels, std::int64_t busy_ns, std::uint64_t outstanding) {
  if (allowed_ < 2) return;
  if (of_before_ != 0) {
    of_before_ -= std::min(kernels, of_before_);
    return;
  }
  kernels_ += kernels;
  busy_ns_ += busy_ns;
  if (kernels_ < kernels_of_window || busy_ns_ < least_ns_of_window) return;
  auto const before = now_;
  end_window();
  if (now_ != before) of_before_ = outstanding;
}

void way_chooser::end_window() {
  learn(static_cast<double>(kernels_) / static_cast<double>(busy_ns_));
  kernels_ = 0;
  busy_ns_ = 0;
  ++window_;
  now_ = next();
}

/// The best is known better with each window; of another one only how it does now counts.
void way_chooser::learn(double rate) {
  auto& tried = tried_[now_];
  if (++tried.windows <= first_windows)
    tried.rate = std::max(tried.rate, rate);
  else
    tried.rate += (rate - tried.rate) / (now_ == best_ ? 4 : 1);
}

std::size_t way_chooser::next() {
  auto const first = first_windows * allowed_;
  if (window_ < first) return window_ % allowed_;
  if (window_ == first)
    for (std::size_t i = 1; i < allowed_; ++i) compare(i);
  else if (now_ != best_)
    compare(now_);
  for (std::size_t i = 0; i < allowed_; ++i)
    if (i != best_ && window_ >= tried_[i].next_try) return i;
  return best_;
}

/// The faster one is the best, the other waits for its next try.
void way_chooser::compare(std::size_t other) {
  if (tried_[other].rate > clearly_faster * tried_[best_].rate) std::swap(best_, other);
  auto const times = tried_[best_].rate / tried_[other].rate;
  auto const between =
      std::clamp(fewest_between_tries * times * times, fewest_between_tries, most_between_tries);
  tried_[other].next_try = window_ + static_cast<std::uint64_t>(between);
}

}  // namespace ballast::inline launch
