// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_kernels.hpp"

#include <map>
#include <utility>

#include "ballast/error.hpp"

namespace ballast {

using namespace detail;

launch_kernels::launch_kernels(std::string name, std::vector<launchable_kernel> kernels)
    : name_(std::move(name)), kernels_(std::move(kernels)) {
  std::map<void (*)(void const*, host_block_context&), std::uint16_t> numbers;
  for (auto& kernel : kernels_) {
    auto const next = std::uint16_t(numbers.size());
    kernel.family = numbers.try_emplace(kernel.merged.host_function, next).first->second;
    kernel.alone.name = kernel.name;
    kernel.merged.name = name_;
  }
  families_ = std::uint32_t(numbers.size());
}

void launch_kernels::throw_unknown_kernel(kernel_key key) const {
  throw_bad_argument("kernel", ballast::name_of(key), "a kernel of the list " + name_);
}

}  // namespace ballast
