// SPDX-License-Identifier: Apache-2.0
#include "arrays/array_state.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::size_t checked_bytes(extents const& shape, std::size_t element_bytes) {
  auto const most = std::numeric_limits<std::size_t>::max() / 2 / element_bytes;
  if (shape.elements() > most)
    throw_bad_argument("sizes", std::to_string(shape.elements()) + " elements",
                       "at most " + std::to_string(most) + " elements");
  return shape.elements() * element_bytes;
}

}  // namespace

array_state::array_state(std::uint32_t places, operations& ops, array_id number, std::string array_name,
                         extents const& of_shape, std::size_t bytes_of_element,
                         std::optional<adopted_copy> adopted, std::shared_ptr<job_runtime> of,
                         std::shared_ptr<compute_device> const& pinned_by)
    : runtime(std::move(of)),
      id(number),
      shape(of_shape),
      element_bytes(bytes_of_element),
      directory(checked_bytes(of_shape, bytes_of_element), places, ops,
                adopted ? adopted->place : host_place),
      name_(std::move(array_name)),
      adopted_(adopted),
      on_host_(is_adopted() && home() == host_place
                   ? nullptr
                   : std::make_shared<pinned_buffer<std::byte> const>(pinned_by, bytes())) {}

std::string array_state::name() const {
  return name_.empty() ? "array " + std::to_string(id.value()) : "array '" + name_ + "'";
}

std::byte* array_state::memory_at(place_id place, std::byte* of_device) const {
  if (place == host_place) return host_memory();
  return place == home() ? home_memory() : of_device;
}

/// Devices and the host share one address space.
bool array_state::shares_memory_with(array_state const& other) const {
  for (auto const* const own : {host_memory(), home_memory()})
    for (auto const* const others : {other.host_memory(), other.home_memory()}) {
      auto const begin = reinterpret_cast<std::uintptr_t>(own);
      auto const begin_of_other = reinterpret_cast<std::uintptr_t>(others);
      if (std::max(begin, begin_of_other) < std::min(begin + bytes(), begin_of_other + other.bytes()))
        return true;
    }
  return false;
}

extents const& shape_of(array_state const& array) noexcept { return array.shape; }

}  // namespace ballast::detail
