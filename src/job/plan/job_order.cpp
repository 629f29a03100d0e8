// SPDX-License-Identifier: Apache-2.0
#include "plan/job_order.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

bool conflict(array_use const& one, array_use const& other) {
  return one.array == other.array && (one.written.overlaps(other.written) ||
                                      one.written.overlaps(other.read) || one.read.overlaps(other.written));
}

std::uint32_t end_of(job_part part) { return part.first + part.count; }

bool covers(job_part range, job_part part) {
  return range.first <= part.first && part.first - range.first <= range.count &&
         part.count <= range.count - (part.first - range.first);
}

std::vector<array_use> writes_of(std::vector<array_use> uses) {
  for (auto& use : uses) use.read = {};
  return uses;
}

[[noreturn]] void throw_bad_part(job_number job, job_part part) {
  throw_bad_argument("part", std::to_string(part.first) + " to " + std::to_string(end_of(part)),
                     "units of job " + std::to_string(job.value()) + " that are not planned");
}

}  // namespace

bool conflict(std::span<array_use const> one, std::span<array_use const> other) {
  return std::ranges::any_of(one, [&](array_use const& a) {
    return std::ranges::any_of(other, [&](array_use const& b) { return conflict(a, b); });
  });
}

std::vector<array_use> const& job_order::unplanned_job::uses_of(unplanned_range& range) {
  if (!range.known_uses) range.known_uses = uses(range.units);
  return *range.known_uses;
}

bool job_order::unplanned_job::conflicts_with(std::span<array_use const> others) {
  return std::ranges::any_of(ranges,
                             [&](unplanned_range& range) { return conflict(uses_of(range), others); });
}

void job_order::add(job_number job, job_part units, uses_of_part uses) {
  if (job <= newest_) throw_bad_argument("job", job.value(), "above " + std::to_string(newest_.value()));
  newest_ = job;
  if (units.count > 0) jobs_.push_back({job, std::move(uses), {{units}}});
}

std::deque<job_order::unplanned_job>::iterator job_order::find(job_number job) {
  return std::ranges::find(jobs_, job, &unplanned_job::number);
}

std::optional<job_number> job_order::blocking_job(job_number job, std::span<array_use const> uses) {
  for (auto& earlier : jobs_) {
    if (earlier.number >= job) break;
    if (earlier.conflicts_with(uses)) return earlier.number;
  }
  return std::nullopt;
}

void job_order::mark_planned(job_number job, job_part part) {
  if (part.count == 0) return;
  auto const planned = find(job);
  if (planned == jobs_.end()) throw_bad_part(job, part);
  auto& ranges = planned->ranges;
  auto const range = std::ranges::find_if(ranges, [&](auto const& r) { return covers(r.units, part); });
  if (range == ranges.end()) throw_bad_part(job, part);
  auto const whole = range->units;
  ranges.erase(range);
  for (auto const left : {job_part{whole.first, part.first - whole.first},
                          job_part{end_of(part), end_of(whole) - end_of(part)}})
    if (left.count != 0) ranges.push_back({left});
  if (ranges.empty()) jobs_.erase(planned);
}

std::vector<job_part> job_order::drop(job_number job) {
  std::vector<job_part> unplanned;
  auto const dropped = find(job);
  if (dropped == jobs_.end()) return unplanned;
  for (auto const& range : dropped->ranges) unplanned.push_back(range.units);
  jobs_.erase(dropped);
  return unplanned;
}

std::vector<job_part> job_order::drop_behind_earlier(job_number job) {
  std::vector<job_part> unplanned;
  auto const dropped = find(job);
  if (dropped == jobs_.end()) return unplanned;
  std::erase_if(dropped->ranges, [&](unplanned_range& range) {
    if (blocking_job(job, writes_of(dropped->uses_of(range)))) return false;
    unplanned.push_back(range.units);
    return true;
  });
  if (dropped->ranges.empty()) jobs_.erase(dropped);
  return unplanned;
}

bool job_order::is_planned(job_number job) const {
  return std::ranges::none_of(jobs_, [&](unplanned_job const& one) { return one.number == job; });
}

}  // namespace ballast::detail
