// SPDX-License-Identifier: Apache-2.0
#include "launch/lambda_kernels.cuh"

namespace ballast::bench {
namespace {

constexpr int threads_of_all = 256;

struct add_scaled {
  static constexpr int threads = threads_of_all;
  array_ref<std::uint32_t const> x;
  array_ref<std::uint32_t> y;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const first = block.index() * numbers_of_block;
    block.for_each(items<numbers_of_block>, [&](std::uint32_t i) { y[first + i] += 3 * x[first + i]; });
  }
};

}  // namespace

completion launch_functor(launch_stream& on, scaled_sum const& of) {
  return on.launch(add_scaled{of.x, of.y}, of.n / numbers_of_block);
}

completion launch_lambda_of_blocks(launch_stream& on, scaled_sum const& of) {
  auto const x = of.x;
  auto const y = of.y;
  return on.launch(
      [=] BALLAST_HD(block_of<threads_of_all> const& block) {
        auto const first = block.index() * numbers_of_block;
        block.for_each(items<numbers_of_block>, [&](std::uint32_t i) { y[first + i] += 3 * x[first + i]; });
      },
      of.n / numbers_of_block);
}

completion launch_lambda_of_items(launch_stream& on, scaled_sum const& of) {
  auto const x = of.x;
  auto const y = of.y;
  return on.launch([=] BALLAST_HD(item i) { y[i] += 3 * x[i]; }, of.n);
}

}  // namespace ballast::bench
