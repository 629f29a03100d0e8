// SPDX-License-Identifier: Apache-2.0
// How the dispatcher's thread issues launches: one by one, merged, or many plain ones as a graph.
#include "dispatcher.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace ballast::detail {
namespace {

/// What is chained ends together: the first no later than so long after its end.
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

bool dispatcher::issue_next() {
  if (planned_ == nullptr) {
    if (plan_.offers() == 0) return false;
    if (issue_graph()) return true;
    for (std::size_t i = 0; i < in_flight_.size(); ++i)
      in_flight_[i] = launches_in_flight_[i].load(std::memory_order_relaxed);
    mask_graph_streams();
    plan_.allow_merging(mode() == dispatch_mode::merged);
    planned_ = plan_.next(in_flight_);
  }
  if (planned_ == nullptr || !issue(*planned_)) return false;
  planned_ = nullptr;
  return true;
}

/// False, with nothing done, if the stream has no room.
bool dispatcher::issue(planned_launch const& planned) {
  for (auto place = planned.stream;; place = emptiest_stream()) {
    if (dispatch_streams_[place].is_full()) return false;
    auto const events = events_before(planned, place);
    std::lock_guard const hold(dispatch_streams_[place].mutex());
    if (dispatch_streams_[place].is_full()) return false;
    if (stream_became_busy(place)) continue;
    issue_on(place, planned, events);
    break;
  }
  notify_issue_watchers(planned.launch_streams);
  for (auto const launch_stream : planned.launch_streams)
    if (auto* const line = by_number_[launch_stream]; line != nullptr && line->active) update(*line);
  return true;
}

/// Behind what comes before `work` and is in flight on other streams than that of `own`.
void dispatcher::record_events_before(submission const& work, dispatch_stream const& own,
                                      completion_events& events) {
  for (auto const& one : work.dependencies()) {
    if (one.launch_stream == nullptr || one.is_met()) continue;
    auto& target = dispatch_streams_[one.launch_stream->stream_index()];
    if (&target == &own) continue;
    std::lock_guard const hold(target.mutex());
    events.push_back(target.on().record_untimed());
  }
}

dispatcher::completion_events dispatcher::events_before(planned_launch const& planned, std::uint32_t place) {
  completion_events events;
  for (auto const launch_stream : planned.launch_streams)
    record_events_before(*launch_stream_of(launch_stream).chain().front(), dispatch_streams_[place], events);
  return events;
}

/// By a launch stream that issued itself: two chains on one stream would take as long as both. A stream that
/// was chosen because the launch's predecessor is in flight there was not empty, so the launch stays behind
/// it.
bool dispatcher::stream_became_busy(std::uint32_t place) {
  bool const was_empty = in_flight_[place] == 0;
  in_flight_[place] = dispatch_streams_[place].in_flight();
  return was_empty && in_flight_[place] != 0;
}

std::uint32_t dispatcher::emptiest_stream() const {
  return std::uint32_t(std::ranges::min_element(in_flight_) - in_flight_.begin());
}

void dispatcher::issue_on(std::uint32_t place, planned_launch const& planned,
                          completion_events const& events) {
  auto const error = try_issue(dispatch_streams_[place], planned, events);
  for (std::size_t i = 0; i < planned.launch_streams.size(); ++i) {
    auto& line = launch_stream_of(planned.launch_streams[i]);
    error ? fail(line, error) : mark_issued(line, place, chained_[i]);
  }
  if (!error) dispatch_streams_[place].mark_issued();
}

/// The oldest launches of the line.
void dispatcher::mark_issued(launch_stream_state& line, std::uint32_t target, std::uint32_t launches,
                             bool in_graph) {
  line.offered = false;
  for (std::uint32_t i = 0; i < launches && line.chain().front() != nullptr; ++i) line.chain().pop();
  line.mark_issued(target, launches, in_graph);
}

void dispatcher::notify_issue_watchers(std::span<std::uint32_t const> launch_streams) {
  fence_->pass();
  for (auto const launch_stream : launch_streams)
    if (auto* const line = by_number_[launch_stream]) line->notify_issue_watchers();
}

/// What went wrong, if anything. Throws device_lost.
std::exception_ptr dispatcher::try_issue(dispatch_stream& target, planned_launch const& planned,
                                         completion_events const& events) {
  chain_followers(planned);
  describe(target.next(), planned);
  try {
    for (auto const& before : events) target.on().wait_for(*before);
    if (planned.launch_streams.size() > 1)
      enqueue_merged(target, planned);
    else
      enqueue_alone(target, *launch_stream_of(planned.launch_streams.front()).chain().front());
    measure_if_due(target, *launch_stream_of(planned.launch_streams.front()).chain().front());
  } catch (...) {
    auto const error = std::current_exception();
    device_->check();
    return error;
  }
  auto const kernels = std::accumulate(chained_.begin(), chained_.end(), std::size_t{0});
  bool const is_alone = kernels_in_flight_.fetch_add(kernels, std::memory_order_relaxed) == 0;
  counts_.chained_kernels.fetch_add(kernels - planned.launch_streams.size(), std::memory_order_relaxed);
  count(kernels);
  if (is_alone) target.next().alone_as = counts_.launches.load(std::memory_order_relaxed);
  return nullptr;
}

/// How many launches of each launch stream go out together: one, or in a merged launch also those of one
/// block that follow it. Now and then none follow, since only then the times of blocks can be learned.
void dispatcher::chain_followers(planned_launch const& planned) {
  chained_.assign(planned.launch_streams.size(), 1);
  auto const members = std::uint32_t(planned.launch_streams.size());
  if (members < 2 || ++merged_since_start_ % unchained_interval == 0) return;
  std::uint32_t taken = 0;
  for (auto const& kernel : planned.kernels) taken += kernel.argument_bytes;
  auto const most = (merged_launch::max_kernels - members) / members;
  for (auto const launch_stream : planned.launch_streams)
    launch_stream_of(launch_stream).chain().fetch(2 + std::min(most, 4u));
  auto const pieces = (merged_launch::max_argument_bytes - taken) / argument_piece / members;
  for (std::size_t i = 0; i < members; ++i)
    chained_[i] = 1 + followers_of(launch_stream_of(planned.launch_streams[i]).chain(), most, pieces);
}

/// Behind the oldest launch, `most` at most that the block of threads which runs that may run afterwards.
std::uint32_t dispatcher::followers_of(submission_queue& chain, std::uint32_t most, std::uint32_t pieces) {
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

/// Of launches that do not tell their end some get an event at once, so that the time until it is reached is
/// theirs.
void dispatcher::measure_if_due(dispatch_stream& target, submission& work) {
  auto& next = target.next();
  if (next.reports_end || target.in_flight() != 0 || !plain_times_.is_due(shape_of(work))) return;
  next.end_event = target.on().record_untimed();
  plain_times_.begin(shape_of(work));
  next.is_measured = true;
  next.issued_at = clock::now();
}

void dispatcher::describe(launch_in_flight& next, planned_launch const& planned) {
  next.clear();
  for (std::size_t i = 0; i < chained_.size(); ++i)
    next.members.push_back({&launch_stream_of(planned.launch_streams[i]), chained_[i], false});
  bool const is_chained = std::ranges::any_of(chained_, [](std::uint32_t launches) { return launches > 1; });
  if (!is_chained) next.facts.assign(planned.kernels.begin(), planned.kernels.end());
  if (!is_chained) next.predicted = planned.predicted;
  next.reports_end = next.is_timed = !planned.kernels.empty();
  next.reports_each =
      planned.kernels.size() > 1 && table_.ends_differ(planned.kernels, planned.predicted.merged_busy);
  for (std::size_t i = 0; trace_ && i < chained_.size(); ++i)
    for (std::uint32_t k = 0; k < chained_[i]; ++k)
      describe_content(next, *launch_stream_of(planned.launch_streams[i]).chain().peek(k));
}

void dispatcher::describe_content(launch_in_flight& next, submission const& work) const {
  if (next.content.kernels == 0) next.issued_at = clock::now();
  auto const* const lone = work.lone_code();
  next.content.add_kernel(work.kernel() != nullptr ? work.kernel()->alone.name
                          : lone != nullptr        ? lone->name
                                                   : std::string_view());
}

void dispatcher::count(std::size_t kernels) {
  counts_.launches.fetch_add(1, std::memory_order_relaxed);
  counts_.kernels.fetch_add(kernels, std::memory_order_relaxed);
  if (kernels < 2) return;
  counts_.merged_launches.fetch_add(1, std::memory_order_relaxed);
  counts_.merged_kernels.fetch_add(kernels, std::memory_order_relaxed);
}

void dispatcher::enqueue_alone(dispatch_stream& target, submission& work) {
  auto const* const kernel = work.kernel();
  if (kernel == nullptr) return enqueue_callable(target, work);
  lone_launch launch;
  std::memcpy(launch.kernel, work.bytes(), pieces_of(*kernel) * argument_piece);
  launch.end = completion_of_next(target);
  target.on().launch(kernel->alone, work.blocks(), &launch, sizeof launch);
}

/// On CPU cores a block behind the work reports its end, which wakes this thread; an event would not.
void dispatcher::enqueue_callable(dispatch_stream& target, submission& work) {
  work.enqueue(target.on());
  if (device_->is_cuda()) return;
  auto const end = completion_of_next(target);
  target.on().launch(reporting_block, 1, &end, sizeof end);
  target.next().reports_end = true;
}

void dispatcher::enqueue_merged(dispatch_stream& target, planned_launch const& planned) {
  merged_.blocks = merged_.kernels = 0;
  std::uint32_t piece = 0;
  for (std::size_t i = 0; i < planned.launch_streams.size(); ++i) {
    auto& chain = launch_stream_of(planned.launch_streams[i]).chain();
    merged_.blocks += chain.front()->blocks();
    for (std::uint32_t k = 0; k < chained_[i]; ++k) piece += add_member(*chain.peek(k), piece);
  }
  merged_.end = completion_of_next(target);
  if (!target.next().reports_each) merged_.end.ends = nullptr;
  auto const& kernel = *launch_stream_of(planned.launch_streams.front()).chain().front()->kernel();
  target.on().launch(kernel.merged, merged_.blocks, &merged_, sizeof merged_);
}

/// Returns how many pieces its arguments take.
std::uint32_t dispatcher::add_member(submission const& work, std::uint32_t piece) {
  auto const& kernel = *work.kernel();
  merged_.members[merged_.kernels++] = {merged_.blocks, kernel.index, std::uint16_t(piece)};
  std::memcpy(merged_.arguments + piece * argument_piece, work.bytes(), pieces_of(kernel) * argument_piece);
  return pieces_of(kernel);
}

completion_signal dispatcher::completion_of_next(dispatch_stream const& target) {
  auto end = target.completion_of_next();
  if (device_->is_cuda()) return end;
  end.notify = [](void* wake_event) { static_cast<event_count*>(wake_event)->notify(); };
  end.notified = &thread_.wake_event();
  return end;
}

bool dispatcher::issue_graph() {
  if (!batch_.is_due()) return false;
  auto const empty =
      std::ranges::find_if(dispatch_streams_, [](auto const& target) { return target.in_flight() == 0; });
  if (empty == dispatch_streams_.end() || !batch_.collect(by_number_)) return false;
  if (!issue_graph(std::uint32_t(empty - dispatch_streams_.begin()))) return false;
  fence_->pass();
  for (auto const& member : batch_.members()) {
    member.line->notify_issue_watchers();
    if (member.line->active) update(*member.line);
  }
  return true;
}

/// False if they are to be issued one by one.
bool dispatcher::issue_graph(std::uint32_t place) {
  auto& target = dispatch_streams_[place];
  std::lock_guard const hold(target.mutex());
  if (target.is_full()) return false;
  auto graph = batch_.launch(target.on());
  if (graph == nullptr) return false;
  auto& next = target.next();
  next.clear();
  next.members.assign(batch_.members().begin(), batch_.members().end());
  if (trace_) {
    next.issued_at = clock::now();
    next.content = {.kernels = std::uint32_t(batch_.launches()), .is_graph = true};
  }
  counts_.launches.fetch_add(1, std::memory_order_relaxed);
  counts_.kernels.fetch_add(batch_.launches(), std::memory_order_relaxed);
  kernels_in_flight_.fetch_add(batch_.launches(), std::memory_order_relaxed);
  for (auto const& member : batch_.members()) {
    plan_.withdraw(member.line->number());
    mark_issued(*member.line, place, member.launches, true);
  }
  target.mark_issued();
  target.attach_graph(std::move(graph));
  graph_streams_.push_back(place);
  target.record_event();
  return true;
}

/// Behind a graph nothing is put: the next launches of all its launch streams would follow each other there.
void dispatcher::mask_graph_streams() {
  std::erase_if(graph_streams_, [&](auto const place) { return !dispatch_streams_[place].carries_graph(); });
  for (auto const place : graph_streams_) in_flight_[place] = dispatch_stream::max_in_flight;
}

}  // namespace ballast::detail
