// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "coherence_directory.hpp"
#include "job_order.hpp"
#include "working_set.hpp"

namespace ballast::detail {

class job_runtime;

/// The memory of one device, and which bytes of arrays lie in it: the runtime's, under its mutex. What leaves
/// the memory or moves in it is planned here.
class device_residency final : public eviction_handler {
 public:
  /// Takes `bytes` of the device's memory. Throws ballast::error if there is not as much.
  device_residency(job_runtime& runtime, std::uint32_t device, std::size_t bytes, operations const& ops);

  std::byte* memory() const { return memory_.data(); }
  /// When nothing of it is used any more; waits for the device.
  void free_memory() { memory_ = {}; }
  working_set& set() { return set_; }
  working_set const& set() const { return set_; }
  /// As working_set::pin(); what had to be copied to the host is added to `moved`.
  std::optional<std::vector<resident_bytes>> pin(std::span<needed_bytes const> needs, moved_bytes& moved);
  /// What no task needs now leaves the device.
  void evict_unpinned() { set_.evict_unpinned(*this); }

  bool is_clean(array_id array, byte_range bytes) const override;
  std::vector<op_id> evict(array_id array, byte_range bytes) override;
  std::vector<op_id> move(array_id array, byte_range bytes, std::size_t from, std::size_t to,
                          std::span<op_id const> after) override;

 private:
  place_id place() const { return place_id(1 + device_); }
  std::vector<byte_range> only_here(coherence_directory const& directory, byte_range bytes) const;

  job_runtime& runtime_;
  std::uint32_t const device_;
  device_buffer<std::byte> memory_;
  working_set set_;
  moved_bytes moved_;
};

/// One hull per array, though it may be several arguments.
std::vector<needed_bytes> needs_of(std::vector<array_use> const& uses);

/// The most of a device's memory that a scheduler takes if nothing else was said: 0.9 of what is free on a
/// GPU, of which each part takes as much if memory is taken in the order of the list; of what the process can
/// have a quarter for all CPU cores of the list, but not much more than `array_bytes` if that is not 0.
std::size_t default_device_bytes(device_list const& devices, std::uint32_t device,
                                 std::uint64_t array_bytes = 0);

}  // namespace ballast::detail
