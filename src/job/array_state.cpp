// SPDX-License-Identifier: Apache-2.0
#include "array_state.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_runtime.hpp"

namespace ballast::detail {
namespace {

std::size_t checked_bytes(extents const& shape, std::size_t element_bytes) {
  auto const most = std::numeric_limits<std::size_t>::max() / 2 / element_bytes;
  if (shape.elements() > most)
    throw_bad_argument("sizes", std::to_string(shape.elements()) + " elements",
                       "at most " + std::to_string(most) + " elements");
  return shape.elements() * element_bytes;
}

void check_memory(memory_to_adopt memory, extents const& shape) {
  auto const address = reinterpret_cast<std::uintptr_t>(memory.first);
  if (address == 0 && shape.elements() != 0)
    throw_bad_argument("memory", "null for " + std::to_string(shape.elements()) + " elements",
                       "the address of the first element");
  if (address % memory.alignment != 0)
    throw_bad_argument("memory", "address " + std::to_string(address),
                       "a multiple of " + std::to_string(memory.alignment) + ", as the elements need");
}

/// Copies the newest values to the adopted memory, for the caller. Afterwards they are valid nowhere else,
/// and no operation touches the memory any more. If it throws, as open() does, nothing has changed.
void release_memory(std::shared_ptr<array_state> const& array, deadline until) {
  auto& runtime = *array->runtime;
  runtime.set_released(*array, true);
  try {
    runtime.open(array, {host_use::take_home}, until);
  } catch (...) {
    runtime.set_released(*array, false);
    throw;
  }
}

/// Waits until no operation uses the adopted memory; false if that fails or takes too long. Lost values do
/// not matter, since nothing is read.
bool is_unused_within(std::shared_ptr<array_state> const& array, deadline until) {
  try {
    array->runtime->open(array, {host_use::give_up}, until);
    return true;
  } catch (error const&) { return false; }
}

/// Releases the memory like release_memory(), for destructors: logs failures, and calls std::terminate() if a
/// device may still use the memory.
void give_back_memory(std::shared_ptr<array_state> const& array) noexcept {
  auto& runtime = *array->runtime;
  if (runtime.process().is_parent()) return;
  auto const at_most = runtime.options().timeout;
  auto const until = deadline::in(at_most);
  std::string why;
  try {
    runtime.log_wait_for_jobs(array->name() + " is destroyed, whose memory goes back to the caller", at_most);
    return release_memory(array, until);
  } catch (std::exception const& failure) { why = failure.what(); }
  bool const is_unused = is_unused_within(array, until) || runtime.is_at_rest_within(until);
  runtime.set_released(*array, true);
  write_log(log_level::warning, "the memory of " + array->name() +
                                    (is_unused ? " goes back without its newest values: "
                                               : " is still used when its array goes: ") +
                                    why);
  if (!is_unused) std::terminate();
}

}  // namespace

array_state::array_state(std::uint32_t places, operations& ops, array_id number, std::string array_name,
                         extents const& of_shape, std::size_t bytes_of_element,
                         std::optional<adopted_copy> adopted, std::shared_ptr<job_runtime> of)
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
                   : std::make_shared<pinned_buffer<std::byte> const>(runtime->pinning_device(), bytes())) {}

array_state::~array_state() {
  if (runtime != nullptr) runtime->release_array(id);
}

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

void check_sizes(extents const& sizes, std::size_t elements) {
  if (sizes.elements() != elements)
    throw_bad_argument("sizes", std::to_string(sizes.elements()) + " elements",
                       std::to_string(elements) + ", as the span has");
}

void check_has_no_gaps(bool is_contiguous) {
  if (!is_contiguous)
    throw_bad_argument("view", "one with gaps or in another order", "row-major without gaps");
}

extents const& shape_of(array_state const& array) noexcept { return array.shape; }

}  // namespace ballast::detail

namespace ballast {

using namespace detail;

array_handle::array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes,
                           std::string name)
    : state_(of.runtime()->make_array(shape, element_bytes, std::move(name), {})), open_(&state_->open) {}

array_handle::array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes,
                           std::string name, memory_to_adopt memory)
    : state_((check_memory(memory, shape),
              of.runtime()->make_array(shape, element_bytes, std::move(name),
                                       adopted_copy{static_cast<std::byte*>(memory.first),
                                                    of.runtime()->place_of(memory.device)}))),
      open_(&state_->open) {}

extents const& array_handle::shape() const noexcept { return state_->shape; }

void* array_handle::address() const noexcept { return state_->host_memory(); }

void* array_handle::adopted_address() const noexcept { return state_->home_memory(); }

index_range array_handle::own() const { return state_->runtime->own_elements_of(*state_); }

index_range array_handle::open(access_request const& what, std::optional<deadline> until) const {
  auto& runtime = *state_->runtime;
  return runtime.open(state_, what, until ? *until : deadline::in(runtime.options().timeout));
}

void array_handle::release(std::optional<deadline> until) {
  if (!state_->is_adopted())
    throw_bad_argument("array", state_->name() + ", whose memory is its own", "an array of adopted memory");
  auto& runtime = *state_->runtime;
  release_memory(state_, until ? *until : deadline::in(runtime.options().timeout));
  state_ = nullptr;
}

void array_handle::give_up() noexcept {
  if (state_ != nullptr && state_->is_adopted()) give_back_memory(state_);
}

}  // namespace ballast
