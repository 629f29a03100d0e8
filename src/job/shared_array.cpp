// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "array_state.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_runtime.hpp"

namespace ballast {

using namespace detail;

array_handle::array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes,
                           std::string name)
    : state_(of.runtime()->make_array(shape, element_bytes, std::move(name))), open_(&state_->open) {}

extents const& array_handle::shape() const noexcept { return state_->shape; }

void* array_handle::address() const noexcept { return state_->host_memory(); }

index_range array_handle::open(host_use use, index_range elements, deadline until) const {
  return state_->runtime->open(state_, use, elements, until);
}

}  // namespace ballast
