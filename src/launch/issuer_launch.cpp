// SPDX-License-Identifier: Apache-2.0
// How the issuer issues.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "ballast/base/error.hpp"
#include "issuer.hpp"

namespace ballast::inline launch {
namespace {

/// What is chained ends together: the first no later than so long after its end.
constexpr std::int64_t most_chained_ns = 50'000;
constexpr std::uint32_t merged_between_unchained = 16;

void tell_end(void const* argument, host_lane& lane) {
  auto const& end = *static_cast<launch_end const*>(argument);
  end.note_begin(lane.block);
  end.note_end(lane.grid);
}

constexpr kernel_code telling_block{.name = "the end of a launch", .host_function = &tell_end, .threads = 32};

}  // namespace

bool issuer::issue_next() {
  if (planned_ == nullptr) {
    if (plan_.offers() == 0) return false;
    if (issue_batch()) return true;
    for (std::size_t i = 0; i < in_flight_.size(); ++i)
      in_flight_[i] = lanes_in_flight_[i].load(std::memory_order_relaxed);
    spare_lanes_of_graphs();
    plan_.merges(way() == issue_way::merged);
    planned_ = plan_.next(in_flight_);
  }
  if (planned_ == nullptr || !issue(*planned_)) return false;
  planned_ = nullptr;
  return true;
}

/// False, with nothing done, if the lane has no room.
bool issuer::issue(planned_launch const& planned) {
  for (auto place = planned.stream;; place = emptiest_lane()) {
    if (lanes_[place].is_full()) return false;
    auto const signs = signs_before(planned, place);
    std::lock_guard const hold(lanes_[place].mutex());
    if (lanes_[place].is_full()) return false;
    if (was_taken_meanwhile(place)) continue;
    issue_on(place, planned, signs);
    break;
  }
  tell_watchers_of_issue(planned.producers);
  for (auto const producer : planned.producers)
    if (auto* const line = by_number_[producer]; line != nullptr && line->held) look_at(*line);
  return true;
}

/// By a producer that issued itself: two chains on one stream would take as long as both. A lane that was
/// chosen because the launch's predecessor is in flight there was not empty, so the launch stays behind it.
bool issuer::was_taken_meanwhile(std::uint32_t place) {
  bool const was_empty = in_flight_[place] == 0;
  in_flight_[place] = lanes_[place].in_flight();
  return was_empty && in_flight_[place] != 0;
}

std::uint32_t issuer::emptiest_lane() const {
  return std::uint32_t(std::ranges::min_element(in_flight_) - in_flight_.begin());
}

void issuer::issue_on(std::uint32_t place, planned_launch const& planned, signs_of_ends const& signs) {
  auto const error = try_to_issue(lanes_[place], planned, signs);
  for (std::size_t i = 0; i < planned.producers.size(); ++i) {
    auto& line = line_of(planned.producers[i]);
    error ? fail(line, error) : note_issued(line, place, chained_[i]);
  }
  if (!error) lanes_[place].note_issued();
}

/// The oldest launches of the line.
void issuer::note_issued(producer_line& line, std::uint32_t lane, std::uint32_t launches, bool in_graph) {
  line.offered = false;
  for (std::uint32_t i = 0; i < launches && line.chain().front() != nullptr; ++i) line.chain().pop();
  line.note_issued(lane, launches, in_graph);
}

void issuer::tell_watchers_of_issue(std::span<std::uint32_t const> producers) {
  fence_->pass();
  for (auto const producer : producers)
    if (auto* const line = by_number_[producer]) line->tell_watchers_of_issue();
}

/// What went wrong, if anything. Throws device_lost.
std::exception_ptr issuer::try_to_issue(issue_lane& lane, planned_launch const& planned,
                                        signs_of_ends const& signs) {
  chain_followers(planned);
  describe(lane.next(), planned);
  try {
    for (auto const& sign : signs) lane.on().wait_for(*sign);
    if (planned.producers.size() > 1)
      enqueue_merged(lane, planned);
    else
      enqueue_alone(lane, *line_of(planned.producers.front()).chain().front());
    measure_if_due(lane, *line_of(planned.producers.front()).chain().front());
  } catch (...) {
    auto const error = std::current_exception();
    device_->check();
    return error;
  }
  auto const kernels = std::accumulate(chained_.begin(), chained_.end(), std::size_t{0});
  bool const is_alone = kernels_in_flight_.fetch_add(kernels, std::memory_order_relaxed) == 0;
  counts_.chained_kernels.fetch_add(kernels - planned.producers.size(), std::memory_order_relaxed);
  count(kernels);
  if (is_alone) lane.next().alone_as = counts_.launches.load(std::memory_order_relaxed);
  return nullptr;
}

/// How many launches of each producer go out together: one, or in a merged launch also those of one block
/// that follow it. Now and then none follow, since only then the times of blocks can be learned.
void issuer::chain_followers(planned_launch const& planned) {
  chained_.assign(planned.producers.size(), 1);
  auto const members = std::uint32_t(planned.producers.size());
  if (members < 2 || ++merged_since_start_ % merged_between_unchained == 0) return;
  std::uint32_t taken = 0;
  for (auto const& kernel : planned.kernels) taken += kernel.argument_bytes;
  auto const most = (merged_launch::most_kernels - members) / members;
  for (auto const producer : planned.producers) line_of(producer).chain().fetch(2 + std::min(most, 4u));
  auto const pieces = (merged_launch::most_argument_bytes - taken) / argument_piece / members;
  for (std::size_t i = 0; i < members; ++i)
    chained_[i] = 1 + followers_of(line_of(planned.producers[i]).chain(), most, pieces);
}

/// Behind the oldest launch, `most` at most that the block of threads which runs that may run afterwards.
std::uint32_t issuer::followers_of(submission_chain& chain, std::uint32_t most, std::uint32_t pieces) {
  auto const& oldest = *chain.front();
  auto ns = table_.block_ns(*oldest.kernel());
  if (oldest.blocks() != 1 || ns == 0) return 0;
  for (std::uint32_t followers = 0; followers < most; ++followers) {
    auto const* const work = chain.peek(followers + 1);
    if (work == nullptr || work->kernel() == nullptr || work->has_prerequisites()) return followers;
    auto const& kernel = *work->kernel();
    auto const block_ns = table_.block_ns(kernel);
    ns += block_ns;
    if (kernel.family != oldest.kernel()->family || work->blocks() != 1) return followers;
    if (block_ns == 0 || ns > most_chained_ns || pieces_of(kernel) > pieces) return followers;
    pieces -= pieces_of(kernel);
  }
  return most;
}

/// Of launches that do not tell their end some get an event at once, so that the time until it is reached is
/// theirs.
void issuer::measure_if_due(issue_lane& lane, submission& work) {
  auto& next = lane.next();
  if (next.tells || lane.in_flight() != 0 || !plain_times_.is_due(shape_of(work))) return;
  next.behind = lane.on().record_unmeasured();
  plain_times_.begin(shape_of(work));
  next.is_measured = true;
  next.issued_at = clock::now();
}

void issuer::describe(launch_in_flight& next, planned_launch const& planned) {
  next.clear();
  for (std::size_t i = 0; i < chained_.size(); ++i)
    next.members.push_back({&line_of(planned.producers[i]), chained_[i], false});
  bool const is_chained = std::ranges::any_of(chained_, [](std::uint32_t launches) { return launches > 1; });
  if (!is_chained) next.facts.assign(planned.kernels.begin(), planned.kernels.end());
  if (!is_chained) next.predicted = planned.predicted;
  next.tells = next.is_timed = !planned.kernels.empty();
  next.tells_each =
      planned.kernels.size() > 1 && table_.ends_differ(planned.kernels, planned.predicted.merged_busy);
}

void issuer::count(std::size_t kernels) {
  counts_.launches.fetch_add(1, std::memory_order_relaxed);
  counts_.kernels.fetch_add(kernels, std::memory_order_relaxed);
  if (kernels < 2) return;
  counts_.merged_launches.fetch_add(1, std::memory_order_relaxed);
  counts_.merged_kernels.fetch_add(kernels, std::memory_order_relaxed);
}

void issuer::enqueue_alone(issue_lane& lane, submission& work) {
  auto const* const kernel = work.kernel();
  if (kernel == nullptr) return enqueue_work(lane, work);
  lone_launch launch;
  std::memcpy(launch.kernel, work.bytes(), pieces_of(*kernel) * argument_piece);
  launch.end = end_of_next(lane);
  lane.on().launch(kernel->alone, work.blocks(), &launch, sizeof launch);
}

/// On CPU cores a block behind the work tells its end, which wakes this thread; an event would not.
void issuer::enqueue_work(issue_lane& lane, submission& work) {
  work.enqueue(lane.on());
  if (device_->is_cuda()) return;
  auto const end = end_of_next(lane);
  lane.on().launch(telling_block, 1, &end, sizeof end);
  lane.next().tells = true;
}

void issuer::enqueue_merged(issue_lane& lane, planned_launch const& planned) {
  merged_.blocks = merged_.kernels = 0;
  std::uint32_t piece = 0;
  for (std::size_t i = 0; i < planned.producers.size(); ++i) {
    auto& chain = line_of(planned.producers[i]).chain();
    merged_.blocks += chain.front()->blocks();
    for (std::uint32_t k = 0; k < chained_[i]; ++k) piece += add_member(*chain.peek(k), piece);
  }
  merged_.end = end_of_next(lane);
  if (!lane.next().tells_each) merged_.end.ends = nullptr;
  auto const& kernel = *line_of(planned.producers.front()).chain().front()->kernel();
  lane.on().launch(kernel.merged, merged_.blocks, &merged_, sizeof merged_);
}

/// Returns how many pieces its arguments take.
std::uint32_t issuer::add_member(submission const& work, std::uint32_t piece) {
  auto const& kernel = *work.kernel();
  merged_.members[merged_.kernels++] = {merged_.blocks, kernel.place, std::uint16_t(piece)};
  std::memcpy(merged_.arguments + piece * argument_piece, work.bytes(), pieces_of(kernel) * argument_piece);
  return pieces_of(kernel);
}

launch_end issuer::end_of_next(issue_lane const& lane) {
  auto end = lane.end_of_next();
  if (device_->is_cuda()) return end;
  end.ring = [](void* bell) { static_cast<doorbell*>(bell)->ring(); };
  end.bell = &bell_;
  return end;
}

}  // namespace ballast::inline launch
