// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::inline device {

/// Who takes part in the accesses to a word: the threads of one device, or other devices and the host as
/// well. Every access to one word uses one scope: mixing scopes on a word is a data race.
enum class scope { device, system };

}  // namespace ballast::inline device
