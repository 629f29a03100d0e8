// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "pool_executor.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint32_t min_capacity = 8, max_capacity = 1u << 20, default_stack = 256, warp_stack = 1024;

}  // namespace

pool_plan make_plan(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
                    pool_options const& options) {
  if (options.capacity < min_capacity || options.capacity > max_capacity)
    throw_bad_argument("capacity", options.capacity, "8 to 1048576 tasks a worker");
  pool_plan plan{std::move(device), &kernels, options, std::bit_ceil(options.capacity), 0};
  auto const stack = tasks_at_once(plan) > 1 ? warp_stack : default_stack;
  auto const children = kernels.max_spawns() + 1;
  plan.stack_capacity = std::max(std::min(plan.capacity, stack), std::bit_ceil(children));
  return plan;
}

}  // namespace ballast::detail
