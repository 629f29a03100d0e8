// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ballast::inline launch {

/// Whether producers may issue their launches on their own threads instead of handing them over.
enum class self_issue { never, always, where_better };

/// Of an order policy.
constexpr self_issue self_issue_of(std::string_view order) {
  if (order == "passthrough") return self_issue::always;
  return order == "adaptive" ? self_issue::where_better : self_issue::never;
}

}  // namespace ballast::inline launch
