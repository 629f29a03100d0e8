// SPDX-License-Identifier: Apache-2.0
#include "ballast/policy/merge.hpp"

#include <cmath>

#include "ballast/error.hpp"

namespace ballast {

using namespace detail;
namespace {

void check_min(char const* name, std::uint32_t value, std::uint32_t least) {
  if (value < least) throw_bad_argument(name, value, "at least " + std::to_string(least));
}

void check_ns(char const* name, double ns) {
  if (!(std::isfinite(ns) && ns >= 0)) throw_bad_argument(name, ns, "finite and at least 0");
}

void check(kernel_facts const& kernel) {
  check_min("blocks", kernel.blocks, 1);
  check_min("blocks_per_multiprocessor", kernel.blocks_per_multiprocessor, 1);
  if (kernel.block_ns < 0) throw_bad_argument("block_ns", kernel.block_ns, "at least 0");
  if (kernel.kernel >= max_family_kernels) throw_bad_argument("kernel", kernel.kernel, "0 to 127");
  check_ns("shared_ns", kernel.shared_ns);
}

}  // namespace

void check(std::span<kernel_facts const> kernels) {
  if (kernels.empty()) throw_bad_argument("kernels", kernels.size(), "at least 1");
  for (auto const& kernel : kernels) check(kernel);
}

void check(family_facts const& family) {
  check_min("blocks_per_multiprocessor", family.blocks_per_multiprocessor, 1);
  check_min("max_kernels", family.max_kernels, 2);
}

void check(launch_costs const& costs) {
  check_min("multiprocessors", costs.multiprocessors.value(), 1);
  check_ns("start_ns", costs.start_ns);
  check_ns("issue_ns", costs.issue_ns);
}

}  // namespace ballast
