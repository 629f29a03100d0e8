// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ballast::inline launch {

/// A policy as it is offered to a user: its name and one sentence.
struct named_policy {
  std::string_view name, summary;
};

}  // namespace ballast::inline launch
