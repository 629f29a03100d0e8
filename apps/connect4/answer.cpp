// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"

namespace ballast::connect4 {
namespace {

json_value as_json(std::optional<score> const& value) {
  if (!value) return {};
  if (*value == win) return "W";
  if (*value == -win) return "-W";
  return *value;
}

}  // namespace

json_value answer_as_json(search_answer const& answer, double seconds) {
  json_value::list values;
  for (auto const& value : answer.values) values.push_back(as_json(value));
  int const best = best_column(answer.values);
  return json_value::object{{"values", values},
                            {"best_column", best + 1},
                            {"best_value", as_json(answer.values[static_cast<std::size_t>(best)])},
                            {"nodes", answer.nodes},
                            {"stored_tasks", answer.stored_tasks},
                            {"seconds", seconds}};
}

}  // namespace ballast::connect4
