// SPDX-License-Identifier: Apache-2.0
#include "array_state.hpp"

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

}  // namespace

array_state::array_state(std::shared_ptr<job_runtime> of, array_id number, std::string array_name,
                         extents const& of_shape, std::size_t bytes_of_element)
    : runtime(std::move(of)),
      id(number),
      shape(of_shape),
      element_bytes(bytes_of_element),
      directory(checked_bytes(of_shape, bytes_of_element), runtime->places(), runtime->array_operations()),
      name_(std::move(array_name)),
      on_host_(runtime->pinning_device(), bytes()) {}

array_state::~array_state() { runtime->release_array(id); }

std::string array_state::name() const {
  return name_.empty() ? "array " + std::to_string(id.value()) : "array '" + name_ + "'";
}

}  // namespace ballast::detail

namespace ballast {

using namespace detail;

array_handle::array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes,
                           std::string name)
    : state_(of.runtime()->make_array(shape, element_bytes, std::move(name))), open_(&state_->open) {}

extents const& array_handle::shape() const noexcept { return state_->shape; }

void* array_handle::address() const noexcept { return state_->host_memory(); }

index_range array_handle::open(host_use use, index_range elements, std::optional<deadline> until) const {
  auto& runtime = *state_->runtime;
  return runtime.open(state_, use, elements, until ? *until : deadline::in(runtime.options().timeout));
}

}  // namespace ballast
