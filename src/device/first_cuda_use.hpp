// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "ballast/device.hpp"

namespace ballast::detail {

/// The variable CUDA_DEVICE_MAX_CONNECTIONS and what it said at the first use of CUDA. Any thread may call
/// any member.
class connection_setting {
 public:
  hardware_connections current() const;
  /// As request_connections().
  bool request(std::uint32_t count);
  /// Only the first call has an effect.
  void record_first_use();

 private:
  mutable std::mutex mutex_;
  std::optional<hardware_connections> at_first_use_;
};

/// To be called before ballast's first call of CUDA; of later calls nothing is noted.
void record_first_cuda_use();

}  // namespace ballast::detail
