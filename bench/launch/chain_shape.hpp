// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ballast::bench {

/// Chains of kernels of one block: kernels of a chain run one after another, the chains are independent.
struct chain_shape {
  std::size_t chains = 64, length = 8;
  std::uint64_t busy_ns = 0;  ///< of each kernel

  std::size_t kernels() const { return chains * length; }
};

/// A way to run all chains, and a function that measures it once.
struct way_of_launching {
  std::string name;                ///< of its curve
  std::function<double()> sample;  ///< runs all chains once and returns the seconds
};

}  // namespace ballast::bench
