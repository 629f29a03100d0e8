// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arrays/coherence_directory.hpp"
#include "arrays/operations.hpp"
#include "ballast/access_map.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/device.hpp"

namespace ballast::detail {

class job_runtime;

/// The caller's memory that is an array's copy at one place.
struct adopted_copy {
  std::byte* first;
  place_id place = host_place;
};

/// The state of a shared array: its copy on the host, and the knowledge about all its copies. Except for the
/// constants, it belongs to the runtime, under the runtime's mutex. Lives as long as anything that was
/// planned with it.
class array_state {
 public:
  /// `places` and `ops` are for the directory. `pinned_by` allocates the host's copy; it may be null if that
  /// is adopted.
  array_state(std::uint32_t places, operations& ops, array_id number, std::string array_name,
              extents const& of_shape, std::size_t bytes_of_element, std::optional<adopted_copy> adopted,
              std::shared_ptr<job_runtime> of, std::shared_ptr<compute_device> const& pinned_by = {});

  std::size_t bytes() const { return shape.elements() * element_bytes; }
  /// Its name in messages.
  std::string name() const;
  /// The address of the host's copy; null if there are no bytes.
  std::byte* host_memory() const { return home() == host_place ? home_memory() : on_host_->data(); }
  /// The owner that keeps the host's copy alive; null if that copy is the caller's memory.
  std::shared_ptr<void const> host_owner() const { return on_host_; }
  /// True if one of its copies is the caller's memory.
  bool is_adopted() const { return adopted_.has_value(); }
  /// The place of the adopted copy; the host if there is none.
  place_id home() const { return adopted_ ? adopted_->place : host_place; }
  std::byte* home_memory() const { return adopted_ ? adopted_->first : on_host_->data(); }
  /// The address from which the array's offsets at a place count: the beginning of its copy if that is on the
  /// host or adopted, else `of_device`, where the device's memory for arrays begins.
  std::byte* memory_at(place_id place, std::byte* of_device) const;
  /// True if the host's copy or the adopted one shares a byte with those of the other array.
  bool shares_memory_with(array_state const& other) const;

  std::shared_ptr<job_runtime> const runtime;  ///< null for trial plans without a runtime
  array_id const id;
  extents const shape;
  std::size_t const element_bytes;
  coherence_directory directory;
  array_handle::open_uses open;
  /// True once the array is released, or about to be: no job may use it, and adopted memory is the caller's
  /// again.
  bool is_released = false;

 private:
  std::string const name_;
  std::optional<adopted_copy> const adopted_;
  std::shared_ptr<pinned_buffer<std::byte> const> on_host_;  ///< null if the host's copy is adopted
};

}  // namespace ballast::detail
