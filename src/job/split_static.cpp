// SPDX-License-Identifier: Apache-2.0
#include "split_kinds.hpp"

namespace ballast::detail {
namespace {

/// One range per device, all of the same size: what a program without a scheduler does.
class static_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    device_parts parts;
    for (auto const& part : equal_parts({0, shape.units}, static_cast<std::uint32_t>(shape.devices.size())))
      parts.push_back({part});
    return split_as_mapped(shape, parts);
  }
};

}  // namespace

std::unique_ptr<split_policy> make_static_split() { return std::make_unique<static_policy>(); }

}  // namespace ballast::detail
