// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "pool_executor.hpp"

namespace ballast::inline pool {
namespace {

constexpr std::uint32_t least_capacity = 8, most_capacity = 1u << 20, usual_hand = 256, hand_of_many = 1024;

}  // namespace

pool_plan make_plan(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
                    pool_options const& options) {
  if (options.capacity < least_capacity || options.capacity > most_capacity)
    refuse_argument("capacity", options.capacity, "8 to 1048576 tasks a worker");
  pool_plan plan{std::move(device), &kernels, options, std::bit_ceil(options.capacity), 0};
  auto const hand = tasks_at_once(plan) > 1 ? hand_of_many : usual_hand;
  auto const children = kernels.most_spawns() + 1;
  plan.hand_capacity = std::max(std::min(plan.capacity, hand), std::bit_ceil(children));
  return plan;
}

}  // namespace ballast::inline pool
