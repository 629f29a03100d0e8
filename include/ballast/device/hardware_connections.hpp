// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::inline device {

/// The hardware queues of a GPU, over which CUDA deals the streams of a process: work of two streams in one
/// queue may wait for each other.
struct hardware_connections {
  std::uint32_t count = 8;        ///< 1 to 32
  bool from_environment = false;  ///< by the variable CUDA_DEVICE_MAX_CONNECTIONS; else CUDA's default

  bool operator==(hardware_connections const&) const = default;
};

/// What the variable said when this process first used CUDA by ballast (cuda_device_count(), open_devices()
/// of a GPU); before, and in a build without CUDA, what it says now. A text that is no count from 1 to 32
/// counts as none: CUDA does not say what it makes of that. Any thread may call; nothing is waited for.
hardware_connections process_connections();

/// Sets the variable for this process and what it starts: true. False, and nothing is set, if it is set
/// already, for the environment's own value wins, or if ballast has used CUDA, which reads it once. Another
/// library may have used CUDA before, which ballast cannot see: then true promises too much. Throws
/// bad_argument ("count") outside of 1 to 32. Call it while no other thread reads or changes the environment;
/// without CUDA the variable is set all the same and has no effect.
bool request_connections(std::uint32_t count);

}  // namespace ballast::inline device
