// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "array_ledger.hpp"
#include "ballast/device/buffer.hpp"
#include "ballast/job/array_handle.hpp"
#include "ballast/job/extents.hpp"
#include "ids.hpp"

namespace ballast::inline job {

class scheduler_core;

/// What a shared array stands for: its copies on the host and on devices, and what is known of them. All but
/// the constants is the core's, under its mutex; the memory lives as long as anything that was planned with
/// it.
class array_home {
 public:
  array_home(std::shared_ptr<scheduler_core> of, array_id number, std::string called, extents const& of_shape,
             std::size_t bytes_of_element);
  ~array_home();

  std::size_t bytes() const { return shape.elements() * element_bytes; }
  /// As messages call it.
  std::string name() const;
  /// Of its copy at `place`; null if there is none.
  std::byte* address(place_id place) const;
  /// Makes a copy on a device, of all bytes, unless it is there.
  void need_copy_on(std::uint32_t device);

  std::shared_ptr<scheduler_core> const core;
  array_id const id;
  extents const shape;
  std::size_t const element_bytes;
  array_ledger ledger;
  array_handle::open_uses open;

 private:
  std::string const name_;
  pinned_buffer<std::byte> on_host_;
  std::vector<device_buffer<std::byte>> on_devices_;
};

}  // namespace ballast::inline job
