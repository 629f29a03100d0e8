// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ballast/access_map.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/device.hpp"
#include "coherence_directory.hpp"
#include "operations.hpp"

namespace ballast::detail {

class job_runtime;

/// What a shared array stands for: its copy on the host, and what is known of all its copies. All but the
/// constants is the runtime's, under its mutex. It lives as long as anything that was planned with it.
class array_state {
 public:
  /// Places and operations are the directory's. Without a runtime the memory is adopted.
  array_state(std::uint32_t places, operations& ops, array_id number, std::string array_name,
              extents const& of_shape, std::size_t bytes_of_element, std::optional<std::byte*> adopted,
              std::shared_ptr<job_runtime> of);
  /// Gives its memory on the devices back when the runtime looks next. Any thread, with or without the mutex.
  ~array_state();

  std::size_t bytes() const { return shape.elements() * element_bytes; }
  /// What messages call it.
  std::string name() const;
  /// The address of the host's copy; null if there are no bytes.
  std::byte* host_memory() const { return is_adopted() ? *adopted_ : on_host_.data(); }
  /// Whether that is memory of the caller.
  bool is_adopted() const { return adopted_.has_value(); }
  /// Whether a byte of the host's copy is also one of the other array's.
  bool shares_host_memory_with(array_state const& other) const;

  std::shared_ptr<job_runtime> const runtime;  ///< null where planning is tried without one
  array_id const id;
  extents const shape;
  std::size_t const element_bytes;
  coherence_directory directory;
  array_handle::open_uses open;
  bool is_released = false;  ///< or about to be: no job may use it, and the host's copy is the caller's again

 private:
  std::string const name_;
  std::optional<std::byte*> const adopted_;
  pinned_buffer<std::byte> on_host_;  ///< unless there is adopted memory
};

}  // namespace ballast::detail
