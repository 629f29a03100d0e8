// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ballast/access_map.hpp"
#include "ballast/deadline.hpp"
#include "ballast/version.hpp"

namespace ballast {
class compute_device;
class job_scheduler;
}

namespace ballast::detail {

class array_state;

/// The next use of an array's elements by the host. `take_home` and `give_up` release adopted memory,
/// wherever it is; only `take_home` copies the newest values there first.
enum class host_use : std::uint8_t { read, write, update, take_home, give_up };

/// An access by the host.
struct access_request {
  host_use use;
  index_range elements = every_element;    ///< or own_elements
  std::optional<std::uint32_t> rank = {};  ///< the only rank that gets the elements; all ranks if empty
};

/// A caller's memory that becomes the host's or a device's copy of an array.
struct memory_to_adopt {
  void* first;
  std::size_t alignment;         ///< of the elements
  compute_device const* device;  ///< null: host memory
};

///@{
/// Checks an argument of adopt(): throws bad_argument ("sizes") unless the sizes are those of `elements`
/// elements, ("view") unless `is_contiguous`.
BALLAST_API void check_sizes(extents const& sizes, std::size_t elements);
BALLAST_API void check_has_no_gaps(bool is_contiguous);
///@}

BALLAST_API extents const& shape_of(array_state const& array) noexcept;

/// A shared_array without its element type. Copies refer to the same array.
class BALLAST_API array_handle {
 public:
  /// Throws bad_argument ("sizes") if the bytes do not fit in size_t, ballast::error if there is no memory.
  array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes, std::string name);
  /// The same for adopted memory. Also throws bad_argument ("memory", "device").
  array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes, std::string name,
               memory_to_adopt memory);

  extents const& shape() const noexcept;
  /// The address of the host's copy; null if there are no elements.
  void* address() const noexcept;
  /// The address of the adopted memory, on the host or on a device.
  void* adopted_address() const noexcept;
  /// The elements that own_elements stands for.
  index_range own() const;
  /// Like shared_array::read(), read_on(), write() and update(). Returns the elements of this rank: none if
  /// they go to another rank.
  index_range open(access_request const& what, std::optional<deadline> until) const;
  /// release() is like shared_array::release(), after which this handle has no array. give_up() is like the
  /// destructor of shared_array: it gives adopted memory back, and leaves an array without adopted memory to
  /// the jobs that use it.
  void release(std::optional<deadline> until);
  void give_up() noexcept;
  /// True if open() was called for all elements and this use, and no job that ends the use was submitted
  /// since.
  bool is_open(host_use use) const noexcept {
    return (use == host_use::read ? open_->to_read : open_->to_update).load(std::memory_order_acquire);
  }
  std::shared_ptr<array_state> const& state() const noexcept { return state_; }

  /// The uses for which is_open() returns true.
  struct open_uses {
    std::atomic<bool> to_read = false, to_update = false;
  };

 private:
  std::shared_ptr<array_state> state_;
  open_uses const* open_;
};

}  // namespace ballast::detail
