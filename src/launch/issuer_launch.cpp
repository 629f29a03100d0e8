// SPDX-License-Identifier: Apache-2.0
// How the issuer issues.
#include <cstring>

#include "ballast/base/error.hpp"
#include "issuer.hpp"

namespace ballast::inline launch {
namespace {

/// What a kernel gets that is launched by itself.
struct lone_launch_bytes {
  alignas(argument_piece) unsigned char kernel[most_kernel_bytes];
  launch_end end;
};

}  // namespace

bool issuer::issue_next() {
  if (planned_ == nullptr) {
    if (plan_.offers() == 0) return false;
    if (issue_batch()) return true;
    for (std::size_t i = 0; i < in_flight_.size(); ++i)
      in_flight_[i] = lanes_in_flight_[i].load(std::memory_order_relaxed);
    spare_lanes_of_graphs();
    planned_ = plan_.next(in_flight_);
  }
  if (planned_ == nullptr || !issue(*planned_)) return false;
  planned_ = nullptr;
  return true;
}

/// False, with nothing done, if the lane has no room.
bool issuer::issue(planned_launch const& planned) {
  auto& lane = lanes_[planned.stream];
  {
    std::lock_guard const hold(lane.mutex());
    if (lane.is_full()) return false;
    auto const error = try_to_issue(lane, planned);
    for (auto const producer : planned.producers)
      error ? fail(line_of(producer), error) : note_issued(line_of(producer), planned.stream);
    if (!error) lane.note_issued();
  }
  tell_watchers(planned.producers);
  for (auto const producer : planned.producers)
    if (auto* const line = by_number_[producer]; line != nullptr && line->held) look_at(*line);
  return true;
}

/// The oldest launches of the line.
void issuer::note_issued(producer_line& line, std::uint32_t lane, std::uint32_t launches) {
  line.offered = false;
  for (std::uint32_t i = 0; i < launches && line.chain().front() != nullptr; ++i) line.chain().pop();
  line.note_issued(lane, launches);
}

void issuer::tell_watchers(std::span<std::uint32_t const> producers) {
  fence_->pass();
  for (auto const producer : producers)
    if (auto* const line = by_number_[producer]) line->tell_watchers();
}

/// What went wrong, if anything. Throws device_lost.
std::exception_ptr issuer::try_to_issue(issue_lane& lane, planned_launch const& planned) {
  describe(lane.next(), planned);
  try {
    if (planned.producers.size() > 1)
      enqueue_merged(lane, planned);
    else
      enqueue_alone(lane, *line_of(planned.producers.front()).chain().front());
  } catch (device_lost const&) { throw; } catch (...) {
    return std::current_exception();
  }
  kernels_in_flight_.fetch_add(planned.producers.size(), std::memory_order_relaxed);
  count(planned.producers.size());
  return nullptr;
}

void issuer::describe(launch_in_flight& next, planned_launch const& planned) {
  next.members.clear();
  for (auto const producer : planned.producers) next.members.push_back({&line_of(producer), 1});
  next.facts.assign(planned.kernels.begin(), planned.kernels.end());
  next.predicted = planned.predicted;
  next.tells = !planned.kernels.empty();
  next.is_watched_only = false;
}

bool issuer::issue_at_once(producer_line& line, submission& work) {
  if (!may_issue_at_once(line, work)) return false;
  auto const place = line.is_in_flight() ? line.lane() : line.number() % std::uint32_t(lanes_.size());
  auto& lane = lanes_[place];
  std::lock_guard const hold(lane.mutex());
  if (lane.is_full()) return false;
  auto& next = lane.next();
  next.members.assign(1, {&line, 1});
  next.tells = work.kernel() != nullptr;
  next.is_watched_only = true;
  try {
    enqueue_alone(lane, work);
  } catch (device_lost const&) {
    line.fail(std::current_exception(), true);
    return true;
  } catch (...) {
    line.fail(std::current_exception(), false);
    return true;
  }
  count(1);
  counts_.by_producers.fetch_add(1, std::memory_order_relaxed);
  kernels_in_flight_.fetch_add(1, std::memory_order_relaxed);
  line.note_issued(place, 1);
  lane.note_issued();
  if (soundly_asleep_.load(std::memory_order_seq_cst)) bell_.ring();
  return true;
}

bool issuer::may_issue_at_once(producer_line const& line, submission const& work) const {
  if (self_issue_ == self_issue::never || work.has_prerequisites()) return false;
  if (line.submitted() != line.issued() || paused_.load(std::memory_order_seq_cst)) return false;
  if (closed_.load(std::memory_order_relaxed)) return false;
  if (self_issue_ == self_issue::always) return true;
  return is_better_issued_itself({.is_alone = is_alone(line),
                                  .may_be_merged = merges_ && work.kernel() != nullptr,
                                  .connections = connections_,
                                  .typical_ns = line.typical_ns()});
}

bool issuer::is_alone(producer_line const& line) const {
  return kernels_in_flight_.load(std::memory_order_relaxed) == line.issued() - line.finished() &&
         !anyone_waits_.load(std::memory_order_relaxed) &&
         announced_.load(std::memory_order_relaxed) == nullptr;
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
  if (kernel == nullptr) return work.enqueue(lane.on());
  lone_launch_bytes launch;
  std::memcpy(launch.kernel, work.bytes(), pieces_of(*kernel) * argument_piece);
  launch.end = end_of_next(lane);
  lane.on().launch(kernel->alone, work.blocks(), &launch, sizeof launch);
}

void issuer::enqueue_merged(issue_lane& lane, planned_launch const& planned) {
  merged_.blocks = merged_.kernels = 0;
  std::uint32_t piece = 0;
  for (auto const producer : planned.producers) {
    auto const& work = *line_of(producer).chain().front();
    add_member(work, piece);
    piece += pieces_of(*work.kernel());
  }
  merged_.end = end_of_next(lane);
  auto const& kernel = *line_of(planned.producers.front()).chain().front()->kernel();
  lane.on().launch(kernel.merged, merged_.blocks, &merged_, sizeof merged_);
}

void issuer::add_member(submission const& work, std::uint32_t piece) {
  auto const& kernel = *work.kernel();
  merged_.blocks += work.blocks();
  merged_.members[merged_.kernels++] = {merged_.blocks, kernel.place, std::uint16_t(piece)};
  std::memcpy(merged_.arguments + piece * argument_piece, work.bytes(), pieces_of(kernel) * argument_piece);
}

launch_end issuer::end_of_next(issue_lane const& lane) {
  auto end = lane.end_of_next();
  if (device_->is_cuda()) return end;
  end.ring = [](void* bell) { static_cast<doorbell*>(bell)->ring(); };
  end.bell = &bell_;
  return end;
}

}  // namespace ballast::inline launch
