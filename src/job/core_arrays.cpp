// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "ballast/base/error.hpp"
#include "job_overlap.hpp"
#include "most_units.hpp"
#include "scheduler_core.hpp"

namespace ballast::inline job {
namespace {

/// Of one array, and what units do with it.
std::vector<touched_bytes> touched_by_units(job_record const& job, array_id array) {
  std::vector<touched_bytes> touched;
  for (std::uint32_t unit = 0; unit < job.units(); ++unit)
    for (auto const& use : job.uses({unit, 1})) {
      if (use.array != array) continue;
      use.read.for_each_interval([&](byte_range bytes) { touched.push_back({bytes, unit, false}); });
      use.written.for_each_interval([&](byte_range bytes) { touched.push_back({bytes, unit, true}); });
    }
  return touched;
}

std::vector<described_argument> described(std::vector<job_argument> const& arguments) {
  std::vector<described_argument> all;
  for (auto const& argument : arguments)
    all.push_back({argument.array->shape.sides(), argument.map.name(), argument.mode});
  return all;
}

[[noreturn]] void refuse_overlap(array_home const& array, common_byte const& common) {
  refuse_argument("arguments",
                  array.name() + ", of which units " + std::to_string(common.first_unit) + " and " +
                      std::to_string(common.second_unit) + " touch element " +
                      std::to_string(common.byte / array.element_bytes),
                  "arrays of which no unit writes what another one touches");
}

}  // namespace

std::shared_ptr<array_home> scheduler_core::make_array(extents const& shape, std::size_t element_bytes,
                                                       std::string name) {
  guard hold(*this);
  auto const id = newest_array_ = array_id(newest_array_.value() + 1);
  hold.unlock();
  auto const home =
      std::make_shared<array_home>(shared_from_this(), id, std::move(name), shape, element_bytes);
  hold.lock();
  forget_gone_arrays();
  for (auto const& residence : residences_) residence->set().add_array(id, home->bytes());
  arrays_.emplace(id, home);
  return home;
}

void scheduler_core::note_gone(array_id array) {
  std::lock_guard const hold(gone_mutex_);
  gone_.push_back(array);
}

/// Nothing that was planned with them is left, or they would not be gone.
void scheduler_core::forget_gone_arrays() {
  std::vector<array_id> gone;
  {
    std::lock_guard const hold(gone_mutex_);
    gone.swap(gone_);
  }
  for (auto const array : gone)
    if (arrays_.erase(array) != 0)
      for (auto const& residence : residences_) residence->set().remove_array(array, {});
}

/// Nobody else may have it any more.
std::shared_ptr<array_home> scheduler_core::home_of(array_id array) {
  auto const found = arrays_.find(array);
  if (found == arrays_.end()) return nullptr;
  auto home = found->second.lock();
  departed_.push_back(home);
  return home;
}

/// What its tasks were to write is lost by their jobs, when they end; all else by nobody.
void scheduler_core::lose_device(std::uint32_t device) {
  if (std::exchange(on_devices_[device].is_lost, true)) return;
  for (auto const& [id, array] : arrays_)
    if (auto const home = home_of(id)) home->ledger.note_place_lost(place_id(1 + device), {});
}

/// That its arrays take on a device.
std::size_t scheduler_core::memory_of_part(job_record const& job, job_part part) {
  std::size_t sum = 0;
  for (auto const& need : needs_of(job.uses(part))) sum += memory_of(need.hull);
  return sum;
}

void scheduler_core::refuse_what_fits_nowhere(job_record const& job) {
  auto const largest = std::ranges::max_element(
      residences_, {}, [](auto const& residence) { return residence->set().bytes(); });
  auto const limit = (*largest)->set().bytes();
  auto const unit =
      first_unit_over(limit, job.units(), [&](job_part part) { return memory_of_part(job, part); });
  if (!unit) return;
  std::vector<memory_of_array> arrays;
  auto const needs = needs_of(job.uses({*unit, 1}));
  for (auto const& need : needs) arrays.push_back({home_of(need.array)->name(), memory_of(need.hull)});
  refuse_unit(job.report.name, *unit, devices_[std::size_t(largest - residences_.begin())]->name(), arrays,
              limit);
}

/// A map that cannot say it is tried once for each factory, grid and description of arguments, several
/// arguments of one array always.
void scheduler_core::refuse_common_writes(job_record const& job) {
  auto const& arguments = job.request.arguments;
  auto const maps = std::tuple(job.request.factory, site_of(job), described(arguments));
  bool const were_tried = tried_maps_.contains(maps);
  for (auto const& argument : arguments) {
    bool const is_alone = std::ranges::count(arguments, argument.array, &job_argument::array) == 1;
    auto const overlap = argument.map.overlap();
    bool const is_disjoint =
        overlap == unit_overlap::never || (were_tried && overlap == unit_overlap::unknown);
    if (!argument.writes() || (is_alone && is_disjoint)) continue;
    if (auto const common = first_common_byte(touched_by_units(job, argument.array->id)))
      refuse_overlap(*argument.array, *common);
  }
  tried_maps_.insert(maps);
}

}  // namespace ballast::inline job
