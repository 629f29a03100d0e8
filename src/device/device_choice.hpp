// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "gpu_code.hpp"

namespace ballast::detail {

/// The GPUs that the driver offers, in its order, and what this build has code for.
struct offered_gpus {
  gpu_code code;
  std::vector<compute_capability> gpus;
};

/// Which devices a list stands for.
struct device_choice {
  std::vector<device_spec> specs;  ///< each GPU by its index
  std::string left_out;  ///< a line on the GPUs that `cuda` does not stand for; empty if there are none
};

/// `cuda` alone stands for every GPU that there is code for. Throws bad_argument ("devices") if the list is
/// empty, names a GPU twice or one that there is not or no code for, or none is left for `cuda`.
device_choice choose_devices(std::vector<device_spec> const& specs, offered_gpus const& offered);

/// The list of who names no device: `text` is "cuda" if there is code for a GPU, else "host"; `left_out` is a
/// line on the GPUs, if these are why it is "host".
struct default_choice {
  std::string text, left_out;
};
default_choice choose_default(offered_gpus const& offered);

}  // namespace ballast::detail
