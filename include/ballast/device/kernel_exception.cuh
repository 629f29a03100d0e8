// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "ballast/device/kernel_identity.hpp"
#include "ballast/device/qualifiers.cuh"

namespace ballast::inline device {

/// What a kernel of a list threw on CPU cores. The code that runs it is called by the list's name, so this
/// names the kernel.
class kernel_exception : public std::runtime_error {
 public:
  kernel_exception(std::string kernel, char const* what)
      : std::runtime_error(what), kernel_(std::move(kernel)) {}
  std::string const& kernel() const noexcept { return kernel_; }

 private:
  std::string kernel_;
};

/// Calls the kernel; throws kernel_exception if that throws.
template <class K, class Block>
BALLAST_HD void invoke_kernel(K const& kernel, Block& block) {
#if BALLAST_ON_GPU
  kernel(block);
#else
  try {
    kernel(block);
  } catch (std::exception const& failure) {
    throw kernel_exception(type_name<K>(), failure.what());
  } catch (...) { throw kernel_exception(type_name<K>(), "something that is not a std::exception"); }
#endif
}

}  // namespace ballast::inline device
