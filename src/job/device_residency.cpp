// SPDX-License-Identifier: Apache-2.0
#include "device_residency.hpp"

#include <algorithm>
#include <utility>

#include "byte_runs.hpp"
#include "job_runtime.hpp"

namespace ballast::detail {
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

device_residency::device_residency(job_runtime& runtime, std::uint32_t device, std::size_t bytes,
                                   operations const& ops)
    : runtime_(runtime), device_(device), memory_(runtime.devices()[device], bytes), set_(bytes, ops) {}

std::optional<std::vector<resident_bytes>> device_residency::pin(std::span<needed_bytes const> needs,
                                                                 moved_bytes& moved) {
  moved_ = {};
  auto residents = set_.pin(needs, *this);
  moved += moved_;
  return residents;
}

std::vector<byte_range> device_residency::only_here(coherence_directory const& directory,
                                                    byte_range bytes) const {
  std::vector<byte_range> found;
  for (auto const& piece : directory.holders(bytes))
    if (piece.places == bit_of(place())) found.push_back(piece.bytes);
  return found;
}

/// An array that is gone has nothing that anybody could want.
bool device_residency::is_clean(array_id array, byte_range bytes) const {
  auto const state = runtime_.find_array(array);
  return state == nullptr || only_here(state->directory, bytes).empty();
}

std::vector<op_id> device_residency::evict(array_id array, byte_range bytes) {
  auto const state = runtime_.find_array(array);
  if (state == nullptr) return {};
  moved_ += runtime_.fetch_to(state, runs_of(only_here(state->directory, bytes)), host_place, {}, {});
  return state->directory.record_eviction(place(), bytes);
}

std::vector<op_id> device_residency::move(array_id array, byte_range bytes, std::size_t from, std::size_t to,
                                          std::span<op_id const> after) {
  auto const state = runtime_.find_array(array);
  if (state == nullptr) return {};
  runtime_.move_on_device(state, device_, bytes, from, to, after);
  return state->directory.users(place(), bytes);
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

namespace {

/// Nine tenths of a GPU's memory, in equal shares for the parts of it that the list names. They take theirs
/// in the order of the list: of k parts with m to come (10 k F) / (k + 9 m) was free at first, if F is now.
std::size_t share_of_gpu(device_list const& devices, std::uint32_t device, std::size_t free) {
  auto const is_same_gpu = [&](auto const& other) {
    return other->is_cuda() && other->spec().index == devices[device]->spec().index;
  };
  auto const all = std::ranges::count_if(devices, is_same_gpu);
  auto const left = std::count_if(devices.begin() + device, devices.end(), is_same_gpu);
  return free / std::size_t(all + 9 * left) * 9;
}

}  // namespace

std::size_t default_device_bytes(device_list const& devices, std::uint32_t device,
                                 std::uint64_t array_bytes) {
  auto const free = devices[device]->free_bytes();
  if (devices[device]->is_cuda()) return share_of_gpu(devices, device, free);
  auto const on_cores = std::ranges::count_if(devices, [](auto const& one) { return !one->is_cuda(); });
  auto const quarter = free / 4 / std::size_t(on_cores);
  return array_bytes == 0 ? quarter : std::min<std::size_t>(quarter, array_bytes + room_between_arrays);
}

}  // namespace ballast::detail
