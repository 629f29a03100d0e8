// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ballast {

/// Which source a program was built from, as far as that can be known.
struct source_state {
  std::string commit;         ///< the full hash; empty if unknown
  std::optional<bool> clean;  ///< whether the tracked files were as committed; nothing if unknown

  bool operator==(source_state const&) const = default;
};

/// The variable BALLAST_COMMIT if it is set (a hash, with "-dirty" at the end if the tree was changed); else
/// what git said about the folder that this library was compiled from, when it was, if that was a checkout of
/// its own; else unknown.
source_state current_source();

/// Reads what BALLAST_COMMIT holds; nothing is unknown.
source_state parse_source(std::string_view text);

}  // namespace ballast
