// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ballast::detail {

/// Whether launch streams may issue their launches on their own threads instead of handing them over.
enum class direct_dispatch { never, always, where_better };

/// Of an order policy.
constexpr direct_dispatch direct_dispatch_of(std::string_view order) {
  if (order == "passthrough") return direct_dispatch::always;
  return order == "adaptive" ? direct_dispatch::where_better : direct_dispatch::never;
}

}  // namespace ballast::detail
