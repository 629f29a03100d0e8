// SPDX-License-Identifier: Apache-2.0
#include "report/source_state.hpp"

#include "ballast/arguments.hpp"
#include "ballast_source.hpp"  // made by the build: BALLAST_SOURCE

namespace ballast {
source_state parse_source(std::string_view text) {
  if (text.empty()) return {};
  constexpr std::string_view mark = "-dirty";
  bool const dirty = text.ends_with(mark);
  if (dirty) text.remove_suffix(mark.size());
  return {std::string(text), !dirty};
}

source_state current_source() {
  auto const given = environment("BALLAST_COMMIT");
  return parse_source(given ? *given : BALLAST_SOURCE);
}

}  // namespace ballast
