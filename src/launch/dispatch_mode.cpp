// SPDX-License-Identifier: Apache-2.0
#include "dispatch_mode.hpp"

#include <algorithm>

namespace ballast::detail {

constexpr double clearly_faster = 1.05;
constexpr double min_between_tries = 32, max_between_tries = 4096;

std::string_view name_of(dispatch_mode mode) {
  constexpr std::array<std::string_view, dispatch_mode_count> names{"queued", "direct", "resident"};
  return names.at(static_cast<std::size_t>(mode));
}

mode_selector::mode_selector(std::span<dispatch_mode const> allowed) : allowed_(allowed.size()) {
  for (std::size_t i = 0; i < allowed_; ++i) tried_[i].mode = allowed[i];
}

bool mode_selector::changes(std::uint64_t kernels, std::int64_t busy_ns) {
  if (allowed_ < 2) return false;
  if (of_before_ != 0) {
    of_before_ -= std::min(kernels, of_before_);
    return false;
  }
  kernels_ += kernels;
  busy_ns_ += busy_ns;
  bool const is_full = kernels_ >= min_window_kernels && busy_ns_ >= min_window_ns;
  if (!is_full && !is_far_behind()) return false;
  auto const before = now_;
  end_window();
  return now_ != before;
}

/// True if the fastest mode would have completed a quarter of a window in that time. The best mode is not cut
/// short, since kernels may have become longer.
bool mode_selector::is_far_behind() const {
  if (now_ == best_ && !tries_all_at_first()) return false;
  auto const expected = rate_of_late() * static_cast<double>(busy_ns_);
  return expected >= kernels_to_lose && far_behind * static_cast<double>(kernels_) < expected;
}

double mode_selector::best_rate() const {
  return std::ranges::max_element(tried_, {}, &tried_mode::rate)->rate;
}

/// The rate that the fastest mode can be expected to reach now: when kernels become longer, the known rates
/// belong to shorter ones.
double mode_selector::rate_of_late() const {
  return tries_all_at_first() ? best_rate() : std::min(tried_[best_].rate, newest_of_best_);
}

void mode_selector::end_window() {
  learn(static_cast<double>(kernels_) / static_cast<double>(busy_ns_));
  kernels_ = 0;
  busy_ns_ = 0;
  ++window_;
  now_ = next();
}

/// At first keeps a mode's faster window. Later averages the best mode's windows; for another mode only the
/// newest window counts.
void mode_selector::learn(double rate) {
  auto& tried = tried_[now_];
  ++tried.windows;
  if (tries_all_at_first())
    tried.rate = std::max(tried.rate, rate);
  else
    tried.rate += (rate - tried.rate) / (now_ == best_ ? 4 : 1);
  if (now_ == best_) newest_of_best_ = rate;
}

std::size_t mode_selector::next() {
  while (tries_all_at_first() && far_behind * tried_[window_ % allowed_].rate < best_rate() &&
         tried_[window_ % allowed_].windows > 0)
    ++window_;
  if (tries_all_at_first()) return window_ % allowed_;
  if (window_ == first_windows * allowed_)
    compare_all();
  else if (now_ != best_)
    compare(now_);
  else
    hurry_those_that_did_better();
  for (std::size_t i = 0; i < allowed_; ++i)
    if (i != best_ && window_ >= tried_[i].next_try) return i;
  return best_;
}

void mode_selector::hurry_those_that_did_better() {
  for (auto& other : tried_)
    if (other.rate > clearly_faster * tried_[best_].rate) other.next_try = window_;
}

void mode_selector::compare_all() {
  newest_of_best_ = tried_[best_].rate;
  for (std::size_t i = 1; i < allowed_; ++i) compare(i);
}

/// The faster one becomes the best, the other waits for its next try. A former best is tried again soon: its
/// known rate may belong to other kernels.
void mode_selector::compare(std::size_t other) {
  if (tried_[other].rate > clearly_faster * tried_[best_].rate) {
    std::swap(best_, other);
    newest_of_best_ = tried_[best_].rate;
    tried_[other].next_try = window_ + std::uint64_t(min_between_tries);
    return;
  }
  auto const rate = tried_[other].rate, best = rate_of_late();
  auto const times = best > rate ? best / rate : 1.0;
  auto const between = std::clamp(min_between_tries * times * times, min_between_tries, max_between_tries);
  tried_[other].next_try = window_ + static_cast<std::uint64_t>(between);
}

}  // namespace ballast::detail
