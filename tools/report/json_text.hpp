// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast {

/// How deep lists and objects of a JSON text may be nested: far more than anything that is written here.
inline constexpr int most_json_levels = 64;

/// Throws ballast::error ("is nested too deeply: ...") if the text is nested deeper than most_json_levels.
/// Need not be JSON.
void check_json_levels(std::string_view text);

/// The document. Whoever reads JSON reads it by this, since what walks over a document, and its destructor,
/// call themselves for each level and would run out of stack. Throws ballast::error: nested too deeply, or
/// where and why the text is not JSON; the name of the text fits before both.
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
