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

/// What the host is about to do with elements of an array; `take_home` and `give_up` are for the memory that
/// the array adopted, wherever it is: with the newest values, or with any.
enum class host_use : std::uint8_t { read, write, update, take_home, give_up };

/// An access of the host.
struct access_request {
  host_use use;
  index_range elements = every_element;    ///< or own_elements
  std::optional<std::uint32_t> rank = {};  ///< the one that alone has them; all ranks without it
};

/// Memory of a caller that becomes the host's or a device's copy of an array.
struct memory_to_adopt {
  void* first;
  std::size_t alignment;         ///< of the elements
  compute_device const* device;  ///< null: it is the host's
};

///@{
/// For adopt(); throws bad_argument ("sizes"), ("view").
BALLAST_API void check_sizes(extents const& sizes, std::size_t elements);
BALLAST_API void check_has_no_gaps(bool is_contiguous);
///@}

BALLAST_API extents const& shape_of(array_state const& array) noexcept;

/// A shared_array without its element type. Copies stand for the same array.
class BALLAST_API array_handle {
 public:
  /// Throws bad_argument ("sizes") if the bytes do not fit in size_t, ballast::error if there is no memory.
  array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes, std::string name);
  /// Throws bad_argument ("memory", "device") too.
  array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes, std::string name,
               memory_to_adopt memory);

  extents const& shape() const noexcept;
  /// The address of the host's copy; null if there are no elements.
  void* address() const noexcept;
  /// The address of the adopted memory, which a device may have.
  void* adopted_address() const noexcept;
  /// Those that own_elements stands for.
  index_range own() const;
  /// Like shared_array::read(), read_on(), write() and update(). Returns the elements that this rank has:
  /// none if they are for another rank.
  index_range open(access_request const& what, std::optional<deadline> until) const;
  /// Like shared_array::release() and its destructor. The array is then without an owner, or has no adopted
  /// memory, which give_up() leaves to the jobs.
  void release(std::optional<deadline> until);
  void give_up() noexcept;
  /// True if open() was called for all elements and this use, and no job has been submitted since that would
  /// end its right.
  bool is_open(host_use use) const noexcept {
    return (use == host_use::read ? open_->to_read : open_->to_update).load(std::memory_order_acquire);
  }
  std::shared_ptr<array_state> const& state() const noexcept { return state_; }

  /// What is_open() looks at.
  struct open_uses {
    std::atomic<bool> to_read = false, to_update = false;
  };

 private:
  std::shared_ptr<array_state> state_;
  open_uses const* open_;
};

}  // namespace ballast::detail
