// SPDX-License-Identifier: Apache-2.0
#include "plan/job_units.hpp"

#include <algorithm>
#include <utility>

#include "ballast/error.hpp"
#include "plan/job_record.hpp"

namespace ballast::detail {
namespace {

/// True if each part of `count` units fits. Parts that begin within `stride` units of each other are tried as
/// one, which contains them all.
bool all_fit(std::uint32_t count, std::uint32_t units, std::size_t limit, memory_of_part const& memory) {
  auto const stride = std::max(count / 8, 1u);
  for (std::uint64_t first = 0; first + count <= units; first += stride) {
    auto const tried = std::min<std::uint64_t>(count + stride - 1, units - first);
    if (memory({std::uint32_t(first), std::uint32_t(tried)}) > limit) return false;
  }
  return true;
}

std::uint32_t max_within(std::size_t limit, std::uint32_t units, memory_of_part const& memory) {
  std::uint32_t fit = 0;
  for (auto too_many = std::uint64_t(units) + 1; fit + 1 < too_many;) {
    auto const count = std::uint32_t((fit + too_many) / 2);
    if (all_fit(count, units, limit, memory))
      fit = count;
    else
      too_many = count;
  }
  return fit;
}

/// The two furthest reaches, of different units: enough to find the furthest reach of all units but one.
class furthest {
 public:
  void add(touched_bytes const& touched) {
    if (first_ && first_->unit == touched.unit) {
      first_->end = std::max(first_->end, touched.bytes.end);
      return;
    }
    reach const reached{touched.bytes.end, touched.unit};
    if (!second_ || second_->end < reached.end) second_ = reached;
    if (!first_ || first_->end < second_->end) std::swap(first_, second_);
  }

  /// A unit other than `unit` that reaches beyond `byte`.
  std::optional<std::uint32_t> other_beyond(std::size_t byte, std::uint32_t unit) const {
    for (auto const& one : {first_, second_})
      if (one && one->unit != unit && one->end > byte) return one->unit;
    return std::nullopt;
  }

 private:
  struct reach {
    std::size_t end;
    std::uint32_t unit;
  };
  std::optional<reach> first_, second_;
};

constexpr std::uint32_t parts_per_boundary = 100;  // each end is at most 1 / 100 of a part
constexpr std::uint32_t max_boundary_units = 64;   // each is asked for

/// The number of units from `first` on, in that direction, that read bytes in common with the unit before
/// `first`; stops counting above `most`.
std::uint32_t depth(std::uint32_t first, int direction, std::uint32_t most, read_in_common const& meet) {
  std::uint32_t found = 0;
  while (found <= most && meet(first - std::uint32_t(direction), first + std::uint32_t(direction) * found))
    ++found;
  return found;
}

/// The bytes of one array that each unit of a job touches.
std::vector<touched_bytes> touched_by_units(job_record const& job, array_id array) {
  std::vector<touched_bytes> touched;
  for (std::uint32_t unit = 0; unit < job.units(); ++unit) {
    auto const uses = job.uses({unit, 1});
    for (auto const& use : *uses) {
      if (use.array != array) continue;
      use.read.for_each_interval([&](byte_range bytes) { touched.push_back({bytes, unit, false}); });
      use.written.for_each_interval([&](byte_range bytes) { touched.push_back({bytes, unit, true}); });
    }
  }
  return touched;
}

[[noreturn]] void throw_overlap(array_state const& array, common_byte const& common) {
  throw_bad_argument("arguments",
                     array.name() + ", of which units " + std::to_string(common.first_unit) + " and " +
                         std::to_string(common.second_unit) + " touch element " +
                         std::to_string(common.byte / array.element_bytes),
                     "arrays of which no unit writes what another one touches");
}

}  // namespace

std::uint32_t max_units(std::uint32_t units, std::size_t limit, memory_of_part const& memory) {
  if (memory({0, units}) <= limit / 3) return units;
  for (std::size_t const parts : {3u, 2u, 1u})
    if (auto const found = max_within(limit / parts, units, memory); found > 0) return found;
  return 0;
}

std::optional<std::uint32_t> first_unit_over(std::size_t limit, std::uint32_t units,
                                             memory_of_part const& memory) {
  if (memory({0, units}) <= limit) return std::nullopt;
  for (std::uint32_t unit = 0; unit < units; ++unit)
    if (memory({unit, 1}) > limit) return unit;
  return std::nullopt;
}

void throw_unit_too_large(std::string const& job, std::uint32_t unit, std::string const& device,
                          std::span<memory_of_array const> arrays, std::size_t limit) {
  std::size_t sum = 0;
  std::string list;
  for (auto const& array : arrays) {
    sum += array.bytes;
    list += (list.empty() ? "" : ", ") + array.name + " " + std::to_string(array.bytes);
  }
  auto const needs = std::to_string(sum);
  throw_bad_argument("device_bytes", limit,
                     "at least " + needs + ": unit " + std::to_string(unit) + " of job '" + job + "' needs " +
                         needs + " bytes on " + device + " (" + list + ")");
}

std::optional<common_byte> first_common_byte(std::vector<touched_bytes> touched) {
  std::ranges::sort(touched, {}, [](auto const& one) { return one.bytes.begin; });
  furthest all, written;
  for (auto const& one : touched) {
    auto const& against = one.written ? all : written;
    if (auto const other = against.other_beyond(one.bytes.begin, one.unit))
      return common_byte{one.bytes.begin, std::min(one.unit, *other), std::max(one.unit, *other)};
    all.add(one);
    if (one.written) written.add(one);
  }
  return std::nullopt;
}

std::vector<job_part> boundary_first(job_part part, std::uint32_t units, read_in_common const& meet) {
  auto const most = std::min(part.count / parts_per_boundary, max_boundary_units);
  if (most == 0) return {part};
  auto const end = part.first + part.count;
  auto const low = part.first == 0 ? 0 : depth(part.first, 1, most, meet);
  auto const high = end == units ? 0 : depth(end - 1, -1, most, meet);
  if (low + high == 0 || low > most || high > most) return {part};
  std::vector<job_part> pieces;
  if (low != 0) pieces.push_back({part.first, low});
  if (high != 0) pieces.push_back({end - high, high});
  pieces.push_back({part.first + low, part.count - low - high});
  return pieces;
}

std::vector<task_piece> pieces_of(planned_task const& task) {
  auto const& job = *task.job;
  auto const whole_share = job.own.count / std::uint32_t(2 * job.devices.size());
  auto const is_alone = job.devices.size() < 2 && job.own.count == job.units();
  if (is_alone || task.part.count < whole_share) return {{task.part, task.uses}};
  auto const parts = boundary_first(task.part, job.units(), [&](std::uint32_t unit, std::uint32_t other) {
    return job.read_in_common(unit, other);
  });
  if (parts.size() == 1) return {{task.part, task.uses}};
  std::vector<task_piece> pieces;
  for (auto const part : parts) pieces.push_back({part, job.uses(part)});
  return pieces;
}

void check_units_fit(job_record const& job, std::string const& largest_device, std::size_t limit) {
  auto const unit = first_unit_over(limit, job.units(), [&](job_part part) { return job.memory_of(part); });
  if (!unit) return;
  std::vector<memory_of_array> arrays;
  auto const uses = job.uses({*unit, 1});
  for (auto const& need : needs_of(*uses)) {
    auto const argument = std::ranges::find(*uses, need.array, &array_use::array) - uses->begin();
    arrays.push_back({job.request.arguments[std::size_t(argument)].array->name(), memory_of(need.hull)});
  }
  throw_unit_too_large(job.report.name, *unit, largest_device, arrays, limit);
}

void check_units_write_apart(job_record const& job, bool were_tried) {
  auto const& arguments = job.request.arguments;
  for (auto const& argument : arguments) {
    bool const is_alone = std::ranges::count(arguments, argument.array, &job_argument::array) == 1;
    auto const overlap = argument.map.overlap();
    bool const is_disjoint =
        overlap == unit_overlap::never || (were_tried && overlap == unit_overlap::unknown);
    if (!argument.writes() || (is_alone && is_disjoint)) continue;
    if (auto const common = first_common_byte(touched_by_units(job, argument.array->id)))
      throw_overlap(*argument.array, *common);
  }
}

}  // namespace ballast::detail
