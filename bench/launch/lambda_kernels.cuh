// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/launch_queue.hpp"

namespace ballast::bench {

/// Launches that add three times x[i] to y[i] for i < n, a multiple of numbers_of_block.
struct scaled_sum {
  array_ref<std::uint32_t const> x;
  array_ref<std::uint32_t> y;
  std::uint32_t n;
};
inline constexpr std::uint32_t numbers_of_block = 1024;

completion launch_functor(launch_stream& on, scaled_sum const& of);
completion launch_lambda_of_blocks(launch_stream& on, scaled_sum const& of);
completion launch_lambda_of_items(launch_stream& on, scaled_sum const& of);

}  // namespace ballast::bench
