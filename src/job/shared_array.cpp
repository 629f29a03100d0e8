// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "array_home.hpp"
#include "ballast/job/array_handle.hpp"
#include "ballast/job/job_scheduler.hpp"
#include "scheduler_core.hpp"

namespace ballast::inline job {

array_handle::array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes,
                           std::string name)
    : home_(of.core()->make_array(shape, element_bytes, std::move(name))), open_(&home_->open) {}

extents const& array_handle::shape() const noexcept { return home_->shape; }

void* array_handle::address() const noexcept { return home_->host_memory(); }

index_range array_handle::open(host_use use, index_range elements, deadline until) const {
  return home_->core->open(home_, use, elements, until);
}

}  // namespace ballast::inline job
