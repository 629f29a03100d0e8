// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "ballast/device.hpp"

namespace ballast::detail {

/// The environment variable CUDA_DEVICE_MAX_CONNECTIONS and its value at the first use of CUDA. Any thread
/// may call any member.
class connection_setting {
 public:
  hardware_connections current() const;
  /// Does what request_connections() promises.
  bool request(std::uint32_t count);
  /// Records the value; only the first call has an effect.
  void record_first_use();

 private:
  mutable std::mutex mutex_;
  std::optional<hardware_connections> at_first_use_;
};

/// Must be called before ballast's first call of CUDA; later calls have no effect.
void record_first_cuda_use();

}  // namespace ballast::detail
