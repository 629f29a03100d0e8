// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "ballast/error.hpp"
#include "job_runtime.hpp"
#include "job_units.hpp"

namespace ballast::detail {
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

[[noreturn]] void throw_overlap(array_state const& array, common_byte const& common) {
  throw_bad_argument("arguments",
                     array.name() + ", of which units " + std::to_string(common.first_unit) + " and " +
                         std::to_string(common.second_unit) + " touch element " +
                         std::to_string(common.byte / array.element_bytes),
                     "arrays of which no unit writes what another one touches");
}

}  // namespace

std::shared_ptr<array_state> job_runtime::make_array(extents const& shape, std::size_t element_bytes,
                                                     std::string name) {
  guard hold(*this);
  auto const id = newest_array_ = array_id(newest_array_.value() + 1);
  hold.unlock();
  auto const state =
      std::make_shared<array_state>(shared_from_this(), id, std::move(name), shape, element_bytes);
  hold.lock();
  forget_released_arrays();
  for (auto const& residency : residencies_) residency->set().add_array(id, state->bytes());
  arrays_.emplace(id, state);
  return state;
}

void job_runtime::release_array(array_id array) {
  std::lock_guard const hold(released_mutex_);
  released_arrays_.push_back(array);
}

/// Nothing that was planned with them is left, or they would not be gone.
void job_runtime::forget_released_arrays() {
  std::vector<array_id> gone;
  {
    std::lock_guard const hold(released_mutex_);
    gone.swap(released_arrays_);
  }
  for (auto const array : gone)
    if (arrays_.erase(array) != 0)
      for (auto const& residency : residencies_) residency->set().remove_array(array, {});
}

/// Nobody else may have it any more.
std::shared_ptr<array_state> job_runtime::find_array(array_id array) {
  auto const found = arrays_.find(array);
  if (found == arrays_.end()) return nullptr;
  auto state = found->second.lock();
  retired_.push_back(state);
  return state;
}

/// What its tasks were to write is lost by their jobs, when they end; all else by nobody.
void job_runtime::lose_device(std::uint32_t device) {
  if (std::exchange(on_devices_[device].is_lost, true)) return;
  for (auto const& [id, array] : arrays_)
    if (auto const state = find_array(id)) state->directory.record_place_loss(place_id(1 + device), {});
}

/// That its arrays take on a device.
std::size_t job_runtime::memory_of_part(job_record const& job, job_part part) {
  std::size_t sum = 0;
  for (auto const& need : needs_of(job.uses(part))) sum += memory_of(need.hull);
  return sum;
}

void job_runtime::check_memory(job_record const& job) {
  auto const largest = std::ranges::max_element(
      residencies_, {}, [](auto const& residency) { return residency->set().bytes(); });
  auto const limit = (*largest)->set().bytes();
  auto const unit =
      first_unit_over(limit, job.units(), [&](job_part part) { return memory_of_part(job, part); });
  if (!unit) return;
  std::vector<memory_of_array> arrays;
  auto const needs = needs_of(job.uses({*unit, 1}));
  for (auto const& need : needs) arrays.push_back({find_array(need.array)->name(), memory_of(need.hull)});
  throw_unit_too_large(job.report.name, *unit, devices_[std::size_t(largest - residencies_.begin())]->name(),
                       arrays, limit);
}

/// A map that cannot say it is tried once for each factory, grid and description of arguments, several
/// arguments of one array always.
void job_runtime::check_write_overlap(job_record const& job) {
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
      throw_overlap(*argument.array, *common);
  }
  tried_maps_.insert(maps);
}

}  // namespace ballast::detail
