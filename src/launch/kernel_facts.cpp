// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/kernel_facts.hpp"

#include <cmath>

#include "ballast/base/error.hpp"

namespace ballast::inline launch {
namespace {

void check_least(char const* name, std::uint32_t value, std::uint32_t least) {
  if (value < least) refuse_argument(name, value, "at least " + std::to_string(least));
}

void check_ns(char const* name, double ns) {
  if (!(std::isfinite(ns) && ns >= 0)) refuse_argument(name, ns, "finite and at least 0");
}

void check(kernel_facts const& kernel) {
  check_least("blocks", kernel.blocks, 1);
  check_least("blocks_per_multiprocessor", kernel.blocks_per_multiprocessor, 1);
  if (kernel.block_ns < 0) refuse_argument("block_ns", kernel.block_ns, "at least 0");
  if (kernel.kernel >= most_kernels_of_family) refuse_argument("kernel", kernel.kernel, "0 to 127");
  check_ns("shared_ns", kernel.shared_ns);
}

}  // namespace

void check(std::span<kernel_facts const> kernels) {
  if (kernels.empty()) refuse_argument("kernels", kernels.size(), "at least 1");
  for (auto const& kernel : kernels) check(kernel);
}

void check(family_facts const& family) {
  check_least("blocks_per_multiprocessor", family.blocks_per_multiprocessor, 1);
  check_least("most_kernels", family.most_kernels, 2);
}

void check(launch_costs const& costs) {
  check_least("multiprocessors", costs.multiprocessors.value(), 1);
  check_ns("start_ns", costs.start_ns);
  check_ns("issue_ns", costs.issue_ns);
}

}  // namespace ballast::inline launch
