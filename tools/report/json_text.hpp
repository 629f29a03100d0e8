// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast {

/// The deepest nesting of lists and objects in a JSON text: far more than this program writes.
inline constexpr int most_json_levels = 64;

/// Throws ballast::error ("is nested too deeply: ...") if the text is nested deeper than most_json_levels. It
/// need not be JSON.
void check_json_levels(std::string_view text);

/// The document. All JSON is read by this function: code that walks a document, and its destructor, recurse
/// for each level and could overflow the stack. Throws ballast::error: nested too deeply, or where and why
/// the text is not JSON; the name of the text can be put before both.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  check_json_levels(text);
  try {
    return Json::parse(text);
  } catch (nlohmann::json::exception const& problem) {
    throw error(std::string("is not JSON: ") + problem.what());
  }
}

}  // namespace ballast
