// SPDX-License-Identifier: Apache-2.0
#include "dispatch_stream.hpp"

#include <algorithm>
#include <ranges>

#include "ballast/detail/base/host_waits.hpp"

namespace ballast::detail {
namespace {

/// The span, but at least 1: a device's timer may tick once a microsecond, and 0 would mean an unknown time.
std::int64_t at_least_a_tick(std::int64_t span_ns) { return std::max<std::int64_t>(span_ns, 1); }

void clear(stream& on, void* memory, std::size_t bytes) {
  on.fill(memory, 0, bytes);
  on.synchronize();
}

}  // namespace

void launch_content::add_kernel(std::string_view name) {
  if (kernel.empty()) kernel = name;
  has_others |= kernel != name;
  ++kernels;
}

std::string launch_content::label() const {
  if (kernel.empty()) return "plain launch";
  if (kernels < 2) return std::string(kernel);
  return "merged: " + std::to_string(kernels) + " kernels of " + std::string(kernel) +
         (has_others ? " and others" : "");
}

std::vector<span> spans_of_stream(std::vector<ended_launch> const& ended, std::int64_t free_from_ns,
                                  std::int64_t seen_ns) {
  std::vector<span> spans;
  auto end_ns = std::max(seen_ns, free_from_ns);
  for (auto const& one : std::views::reverse(ended)) {
    auto const told_ns = one.device_ns > 0 ? end_ns - one.device_ns : one.issued_ns;
    auto const begin_ns = std::min(end_ns, std::max(told_ns, free_from_ns));
    spans.push_back(
        {.label = one.what.label(), .tasks = one.what.kernels, .begin_ns = begin_ns, .end_ns = end_ns});
    end_ns = begin_ns;
  }
  std::ranges::reverse(spans);
  return spans;
}

// A failure to record must not end the dispatcher's thread.
void launch_trace::record(std::uint32_t stream, std::vector<ended_launch> const& ended) noexcept {
  if (ended.empty()) return;
  auto const seen_ns = std::int64_t(steady_now_ns());
  try {
    auto spans = spans_of_stream(ended, free_from_ns_[stream], seen_ns);
    for (auto& one : spans) one.worker = stream;
    to_.record(std::move(spans));
  } catch (...) { to_.count_dropped(ended.size()); }
  free_from_ns_[stream] = seen_ns;
}

void dispatch_stream::mark_issued() {
  ++issued_;
  in_flight_.fetch_add(1, std::memory_order_release);
}

void dispatch_stream::record_event() {
  auto& newest = at(issued_);
  if (in_flight() == 0 || newest.reports_end || newest.end_event != nullptr) return;
  newest.end_event = on_->record_untimed();
  searched_ = std::min(searched_, issued_ - 1);
}

launch_in_flight* dispatch_stream::ended() {
  if (in_flight() == 0) return nullptr;
  if (known_ended_ > ended_) return &at(ended_ + 1);
  auto const number = find_next_tracked();
  if (number == none || !has_ended(number)) return nullptr;
  known_ended_ = number;
  return &at(ended_ + 1);
}

void dispatch_stream::list_ended(std::vector<ended_launch>& into) {
  auto const newest = ended_ + in_flight();
  for (auto number = std::max(known_ended_, ended_) + 1; number <= newest; ++number) {
    bool const is_tracked = at(number).reports_end || at(number).end_event != nullptr;
    if (is_tracked && !has_ended(number)) break;
    if (is_tracked) known_ended_ = number;
  }
  for (auto number = ended_ + 1; number <= known_ended_; ++number) {
    auto const& one = at(number);
    into.push_back({.what = one.content,
                    .issued_ns = std::chrono::nanoseconds(one.issued_at.time_since_epoch()).count(),
                    .device_ns = one.is_timed ? std::int64_t(records_[number % max_in_flight].span_ns) : 0});
  }
}

/// The oldest launch in flight with an event or record of its end: its end proves that all before it have
/// ended.
std::uint64_t dispatch_stream::find_next_tracked() {
  if (next_tracked_ > ended_) return next_tracked_;
  auto const newest = ended_ + in_flight();
  for (searched_ = std::max(searched_, ended_); searched_ < newest;)
    if (at(++searched_).reports_end || at(searched_).end_event != nullptr) return next_tracked_ = searched_;
  return none;
}

bool dispatch_stream::has_ended(std::uint64_t number) {
  if (!at(number).reports_end) return at(number).end_event->reached();
  atomic_ref<std::uint64_t, scope::system> const told(records_[number % max_in_flight].number);
  return told.load_acquire() == number;
}

launch_in_flight const* dispatch_stream::newest() const {
  auto const count = in_flight();
  return count == 0 ? nullptr : &at(ended_ + count);
}

bool dispatch_stream::is_known_by_event() {
  auto const number = known_ended_ > ended_ ? none : find_next_tracked();
  return number != none && !at(number).reports_end;
}

std::int64_t dispatch_stream::span_ns_of_ended() const {
  auto const& oldest = at(ended_ + 1);
  if (oldest.reports_end)
    return at_least_a_tick(std::int64_t(records_[(ended_ + 1) % max_in_flight].span_ns));
  return oldest.is_measured ? std::chrono::nanoseconds(clock::now() - oldest.issued_at).count() : 0;
}

launch_in_flight* dispatch_stream::oldest_reporting_each() {
  if (in_flight() == 0) return nullptr;
  auto& oldest = at(ended_ + 1);
  return oldest.reports_each ? &oldest : nullptr;
}

/// A kernel may have begun and ended before the launch's first block recorded the begin.
std::int64_t dispatch_stream::span_ns_of_kernel(std::uint32_t place) const {
  return std::min(at_least_a_tick(end_of_kernel(place).span_ns()), span_ns_of_ended());
}

/// The completion word of the oldest launch in flight, or an earlier launch's leftover.
kernel_end dispatch_stream::end_of_kernel(std::uint32_t place) const {
  auto& ends = kernel_completions_[(ended_ + 1) % max_in_flight];
  return {atomic_ref<std::uint64_t, scope::system>(ends.end[place]).load_acquire()};
}

void launch_in_flight::clear() {
  members.clear();
  facts.clear();
  predicted = {};
  lone = nullptr;
  alone_as = 0;
  reports_end = reports_each = is_timed = needs_end_only_if_watched = is_measured = false;
  end_event.reset();
  content = {};
}

void dispatch_stream::mark_ended() {
  at(++ended_).clear();
  in_flight_.fetch_sub(1, std::memory_order_release);
}

dispatch_streams::dispatch_streams(std::shared_ptr<compute_device> const& device, std::uint32_t count)
    : running_(device, count),
      records_(device, count * std::size_t{dispatch_stream::max_in_flight}),
      kernel_completions_(device, records_.size()),
      in_flight_(count) {
  for (std::size_t i = 0; i < count; ++i)
    streams_.emplace_back(device->make_stream(), &running_.data()[i],
                          &records_.data()[i * dispatch_stream::max_in_flight],
                          &kernel_completions_.data()[i * dispatch_stream::max_in_flight], in_flight_[i]);
  clear(streams_.front().on(), running_.data(), running_.bytes());
  clear(streams_.front().on(), records_.data(), records_.bytes());
  clear(streams_.front().on(), kernel_completions_.data(), kernel_completions_.bytes());
}

bool dispatch_streams::is_anything_in_flight() const {
  return std::ranges::any_of(streams_, [](auto const& one) { return one.in_flight() != 0; });
}

bool dispatch_streams::is_at_rest() {
  return std::ranges::all_of(streams_, [](auto& one) { return one.on().is_at_rest(); });
}

std::span<std::uint32_t const> stream_loads::look() {
  for (std::uint32_t place = 0; place < in_flight_.size(); ++place)
    in_flight_[place] = streams_.in_flight(place);
  return in_flight_;
}

bool stream_loads::became_busy(std::uint32_t place) {
  bool const was_empty = in_flight_[place] == 0;
  in_flight_[place] = streams_[place].in_flight();
  return was_empty && in_flight_[place] != 0;
}

std::uint32_t stream_loads::emptiest() const {
  return std::uint32_t(std::ranges::min_element(in_flight_) - in_flight_.begin());
}

}  // namespace ballast::detail
