// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace ballast::inline launch {

/// Whether producers may issue their launches on their own threads instead of handing them over.
enum class self_issue { never, always, where_better };

/// Of an order policy.
constexpr self_issue self_issue_of(std::string_view order) {
  if (order == "passthrough") return self_issue::always;
  return order == "adaptive" ? self_issue::where_better : self_issue::never;
}

struct self_issue_facts {
  bool is_alone = false;          ///< no other producer has anything waiting or in flight
  bool may_be_merged = false;     ///< with launches of others, if it waits
  std::uint32_t connections = 8;  ///< hardware queues of the device
  std::int64_t typical_ns = 0;    ///< how long the producer's launches took so far, 0 if that is unknown
};

/// Where it is better. Alone there is nobody to wait for. Else one thread issues in a better order, and
/// merges; but it issues a launch in 4 to 5 us, and if the kernels are short and the hardware queues many, so
/// that order matters little, many threads issue more. The limits are where an H200 had 64 chains run about
/// as fast either way (docs/decisions/0011).
constexpr bool is_better_issued_itself(self_issue_facts const& facts) {
  if (facts.is_alone) return true;
  if (facts.may_be_merged || facts.typical_ns == 0) return false;
  if (facts.connections >= 32) return facts.typical_ns < 100'000;
  return facts.connections >= 8 && facts.typical_ns < 30'000;
}

}  // namespace ballast::inline launch
