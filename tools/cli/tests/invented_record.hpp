// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ballast::cli {

/// A record as a benchmark might write it on two cores, still without series.
inline nlohmann::json invented_record(std::string const& benchmark) {
  using nlohmann::json;
  return {
      {"schema", "ballast-run/1"},
      {"benchmark", benchmark},
      {"version", "0.1.0"},
      {"started", "2026-01-31T09:05:00Z"},
      {"command", json::array()},
      {"source", {{"commit", "0123456789abcdef"}, {"clean", true}}},
      {"machine",
       {{"name", "two-cores"},
        {"cpu", "invented"},
        {"cores", 2},
        {"memory_bytes", 1},
        {"system", "Linux"},
        {"compiler", "gcc"},
        {"gpus", json::array()},
        {"driver", nullptr},
        {"cuda_runtime", nullptr}}},
      {"devices", {"host:1"}},
      {"policies", json::object()},
      {"parameters", json::object()},
      {"warm_up", 0},
      {"repetitions", 3},
      {"series", json::array()},
      {"axes",
       {{"title", "Time & place"}, {"x_label", "tasks"}, {"y_label", "s"}, {"x_log", true}, {"y_log", true}}},
      {"derived", json::object()},
      {"answer", {{"verified", true}, {"how", "invented"}}}};
}

}  // namespace ballast::cli
