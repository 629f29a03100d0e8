// SPDX-License-Identifier: Apache-2.0
#include "launch_issuer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

namespace ballast::detail {
namespace {

/// Chained kernels end together: the chain's first kernel is reported at most this long after its end.
constexpr std::int64_t max_chained_ns = 50'000;
constexpr std::uint32_t unchained_interval = 16;

void report_end(void const* argument, host_block_context& context) {
  auto const& end = *static_cast<completion_signal const*>(argument);
  end.record_begin(context.block);
  end.record_end(context.grid);
}

constexpr kernel_code reporting_block{
    .name = "the end of a launch", .host_function = &report_end, .threads = 32};

}  // namespace

void issue_counts::count(std::size_t kernels) {
  launches_.fetch_add(1, std::memory_order_relaxed);
  kernels_.fetch_add(kernels, std::memory_order_relaxed);
  if (kernels < 2) return;
  merged_launches_.fetch_add(1, std::memory_order_relaxed);
  merged_kernels_.fetch_add(kernels, std::memory_order_relaxed);
}

void issue_counts::add_to(launch_statistics& sum) const {
  sum.launches += launches_.load(std::memory_order_relaxed);
  sum.kernels += kernels_.load(std::memory_order_relaxed);
  sum.merged_launches += merged_launches_.load(std::memory_order_relaxed);
  sum.merged_kernels += merged_kernels_.load(std::memory_order_relaxed);
  sum.direct_launches += direct_.load(std::memory_order_relaxed);
  sum.chained_kernels += chained_kernels_.load(std::memory_order_relaxed);
}

launch_issuer::launch_issuer(compute_device& device, dispatch_streams& streams, kernel_table& table,
                             issue_counts& counts, event_count& wake_event, bool is_traced)
    : device_(device),
      streams_(streams),
      table_(table),
      counts_(counts),
      wake_event_(wake_event),
      is_traced_(is_traced) {}

void launch_issuer::record_events_before(submission const& work, dispatch_stream const& own,
                                         completion_events& events) {
  for (auto const& one : work.dependencies()) {
    if (one.launch_stream == nullptr || one.is_met()) continue;
    auto const place = one.launch_stream->stream_index();
    if (place == launch_stream_state::in_ring) continue;  // by now: the awaited launch has ended
    auto& target = streams_[place];
    if (&target == &own) continue;
    std::lock_guard const hold(target.mutex());
    events.push_back(target.on().record_untimed());
  }
}

std::exception_ptr launch_issuer::issue(dispatch_stream& target, planned_launch const& planned,
                                        line_span lines, completion_events const& events) {
  chain_followers(planned, lines);
  describe(target.next(), planned, lines);
  try {
    enqueue(target, lines, events);
  } catch (...) {
    auto const error = std::current_exception();
    device_.check();
    return error;
  }
  auto const kernels = std::accumulate(chained_.begin(), chained_.end(), std::size_t{0});
  bool const is_alone = counts_.add_in_flight(kernels) == 0;
  counts_.count_chained(kernels - lines.size());
  counts_.count(kernels);
  if (is_alone) target.next().alone_as = counts_.launches();
  return nullptr;
}

void launch_issuer::enqueue(dispatch_stream& target, line_span lines, completion_events const& events) {
  for (auto const& before : events) target.on().wait_for(*before);
  auto& first = *lines.front()->chain().front();
  lines.size() > 1 || chained_.front() > 1 ? enqueue_merged(target, lines) : enqueue_alone(target, first);
  measure_if_due(target, first);
}

void launch_issuer::issue_directly(dispatch_stream& target, launch_stream_state& line, submission& work,
                                   completion_events const& events) {
  auto& next = target.next();
  next.clear();
  next.members.assign(1, {&line, 1, false});
  next.reports_end = next.is_timed = work.kernel() != nullptr;
  if (is_traced_) describe_content(next, work);
  next.needs_end_only_if_watched = true;
  for (auto const& before : events) target.on().wait_for(*before);
  enqueue_alone(target, work);
  counts_.count(1);
  counts_.count_direct();
  counts_.add_in_flight(1);
}

/// Decides how many launches of each launch stream are issued together: one, and if it may be merged also the
/// launches of one block that follow it. Now and then none follow, since the times of blocks can only be
/// learned then.
void launch_issuer::chain_followers(planned_launch const& planned, line_span lines) {
  chained_.assign(lines.size(), 1);
  auto const members = std::uint32_t(lines.size());
  if (!planned.may_chain || ++merged_since_start_ % unchained_interval == 0) return;
  std::uint32_t taken = 0;
  for (auto const& kernel : planned.kernels) taken += kernel.argument_bytes;
  auto const most = (merged_launch::max_kernels - members) / members;
  for (auto* const line : lines) line->chain().fetch(2 + std::min(most, 4u));
  auto const pieces = (merged_launch::max_argument_bytes - taken) / argument_piece / members;
  for (std::size_t i = 0; i < members; ++i) chained_[i] = 1 + followers_of(lines[i]->chain(), most, pieces);
}

/// The number of launches after the oldest, up to `most`, that the oldest's block of threads may run
/// afterwards.
std::uint32_t launch_issuer::followers_of(submission_queue& chain, std::uint32_t most,
                                          std::uint32_t pieces) const {
  auto const& oldest = *chain.front();
  auto ns = table_.block_ns(*oldest.kernel());
  if (oldest.blocks() != 1 || ns == 0) return 0;
  for (std::uint32_t followers = 0; followers < most; ++followers) {
    auto const* const work = chain.peek(followers + 1);
    if (work == nullptr || work->kernel() == nullptr || work->has_dependencies()) return followers;
    auto const& kernel = *work->kernel();
    auto const block_ns = table_.block_ns(kernel);
    ns += block_ns;
    if (kernel.family != oldest.kernel()->family || work->blocks() != 1) return followers;
    if (block_ns == 0 || ns > max_chained_ns || pieces_of(kernel) > pieces) return followers;
    pieces -= pieces_of(kernel);
  }
  return most;
}

/// Records an event after some launches that do not report their completion, so that the measured time is
/// theirs alone.
void launch_issuer::measure_if_due(dispatch_stream& target, submission& work) {
  auto& next = target.next();
  if (next.reports_end || target.in_flight() != 0 || !table_.plain().is_due(work.shape())) return;
  next.end_event = target.on().record_untimed();
  table_.plain().begin(work.shape());
  next.is_measured = true;
  next.issued_at = clock::now();
}

void launch_issuer::describe(launch_in_flight& next, planned_launch const& planned, line_span lines) const {
  next.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) next.members.push_back({lines[i], chained_[i], false});
  bool const is_chained = std::ranges::any_of(chained_, [](std::uint32_t launches) { return launches > 1; });
  if (!is_chained) next.facts.assign(planned.kernels.begin(), planned.kernels.end());
  if (!is_chained) next.predicted = planned.predicted;
  next.reports_end = next.is_timed = !planned.kernels.empty();
  next.reports_each =
      planned.kernels.size() > 1 && table_.ends_differ(planned.kernels, planned.predicted.merged_busy);
  for (std::size_t i = 0; is_traced_ && i < lines.size(); ++i)
    for (std::uint32_t k = 0; k < chained_[i]; ++k) describe_content(next, *lines[i]->chain().peek(k));
}

/// Describes the launch that is issued next for the trace; it also carries out `work`.
void launch_issuer::describe_content(launch_in_flight& next, submission const& work) const {
  if (next.content.kernels == 0) next.issued_at = clock::now();
  auto const* const lone = work.lone_code();
  next.content.add_kernel(work.kernel() != nullptr ? work.kernel()->alone.name
                          : lone != nullptr        ? lone->name
                                                   : std::string_view());
}

void launch_issuer::enqueue_alone(dispatch_stream& target, submission& work) {
  auto const* const kernel = work.kernel();
  if (kernel == nullptr) return enqueue_callable(target, work);
  target.next().lone = kernel;
  lone_launch launch;
  std::memcpy(launch.kernel, work.bytes(), pieces_of(*kernel) * argument_piece);
  launch.end = completion_of_next(target);
  target.on().launch(kernel->alone, work.blocks(), &launch, sizeof launch);
}

/// Enqueues the work by its own function. On CPU cores a block after it reports the end, which wakes the
/// dispatcher; an event would not.
void launch_issuer::enqueue_callable(dispatch_stream& target, submission& work) {
  work.enqueue(target.on());
  if (device_.capabilities().needs_polling) return;
  auto const end = completion_of_next(target);
  target.on().launch(reporting_block, 1, &end, sizeof end);
  target.next().reports_end = true;
}

void launch_issuer::enqueue_merged(dispatch_stream& target, line_span lines) {
  merged_.blocks = merged_.kernels = 0;
  std::uint32_t piece = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& chain = lines[i]->chain();
    merged_.blocks += chain.front()->blocks();
    for (std::uint32_t k = 0; k < chained_[i]; ++k) piece += add_member(*chain.peek(k), piece);
  }
  merged_.end = completion_of_next(target);
  if (!target.next().reports_each) merged_.end.ends = nullptr;
  auto const& kernel = *lines.front()->chain().front()->kernel();
  target.on().launch(kernel.merged, merged_.blocks, &merged_, sizeof merged_);
}

/// Adds the launch to the merged one, with its arguments from that piece on. Returns the number of pieces
/// that they take.
std::uint32_t launch_issuer::add_member(submission const& work, std::uint32_t piece) {
  auto const& kernel = *work.kernel();
  merged_.members[merged_.kernels++] = {merged_.blocks, kernel.index, std::uint16_t(piece)};
  std::memcpy(merged_.arguments + piece * argument_piece, work.bytes(), pieces_of(kernel) * argument_piece);
  return pieces_of(kernel);
}

completion_signal launch_issuer::completion_of_next(dispatch_stream const& target) const {
  auto end = target.completion_of_next();
  if (device_.capabilities().needs_polling) return end;
  end.notify = [](void* wake_event) { static_cast<event_count*>(wake_event)->notify(); };
  end.notified = &wake_event_;
  return end;
}

}  // namespace ballast::detail
