// SPDX-License-Identifier: Apache-2.0
#include "job_residence.hpp"

#include <algorithm>
#include <utility>

#include "byte_runs.hpp"
#include "scheduler_core.hpp"

namespace ballast::inline job {
namespace {

constexpr std::size_t room_between_arrays = 256 * memory_alignment;

std::uint32_t bit_of(place_id place) { return 1u << place.value(); }

byte_runs runs_of(std::vector<byte_range> const& bytes) {
  std::vector<index_range> ranges;
  std::size_t end = 0;
  for (auto const range : bytes) {
    ranges.push_back({range.begin, range.end});
    end = std::max(end, range.end);
  }
  return {region(std::move(ranges)), extents{end}, 1};
}

}  // namespace

job_residence::job_residence(scheduler_core& core, std::uint32_t device, std::size_t bytes,
                             operations const& ops)
    : core_(core), device_(device), memory_(core.devices()[device], bytes), set_(bytes, ops) {}

std::optional<std::vector<resident_bytes>> job_residence::pin(std::span<needed_bytes const> needs,
                                                              moved_bytes& moved) {
  moved_ = {};
  auto residents = set_.pin(needs, *this);
  moved += moved_;
  return residents;
}

std::vector<byte_range> job_residence::only_here(array_ledger const& ledger, byte_range bytes) const {
  std::vector<byte_range> found;
  for (auto const& piece : ledger.holders(bytes))
    if (piece.places == bit_of(place())) found.push_back(piece.bytes);
  return found;
}

/// An array that is gone has nothing that anybody could want.
bool job_residence::is_clean(array_id array, byte_range bytes) const {
  auto const home = core_.home_of(array);
  return home == nullptr || only_here(home->ledger, bytes).empty();
}

std::vector<op_id> job_residence::drop(array_id array, byte_range bytes) {
  auto const home = core_.home_of(array);
  if (home == nullptr) return {};
  moved_ += core_.bring(home, runs_of(only_here(home->ledger, bytes)), host_place, {}, {});
  return home->ledger.note_drop(place(), bytes);
}

std::vector<op_id> job_residence::move(array_id array, byte_range bytes, std::size_t from, std::size_t to,
                                       std::span<op_id const> after) {
  auto const home = core_.home_of(array);
  if (home == nullptr) return {};
  core_.move_on_device(home, device_, bytes, from, to, after);
  return home->ledger.users(place(), bytes);
}

std::vector<needed_bytes> needs_of(std::vector<array_use> const& uses) {
  std::vector<needed_bytes> needs;
  for (auto const& use : uses) {
    auto const hull = joined(use.read.hull(), use.written.hull());
    auto const same = std::ranges::find(needs, use.array, &needed_bytes::array);
    if (same == needs.end())
      needs.push_back({use.array, hull});
    else
      same->hull = joined(same->hull, hull);
  }
  return needs;
}

std::size_t memory_to_take(device_list const& devices, std::uint32_t device, std::uint64_t array_bytes) {
  auto const free = devices[device]->free_bytes();
  if (devices[device]->is_cuda()) return free / 10 * 9;
  auto const on_cores = std::ranges::count_if(devices, [](auto const& one) { return !one->is_cuda(); });
  auto const quarter = free / 4 / std::size_t(on_cores);
  return array_bytes == 0 ? quarter : std::min<std::size_t>(quarter, array_bytes + room_between_arrays);
}

}  // namespace ballast::inline job
