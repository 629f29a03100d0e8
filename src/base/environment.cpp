// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"

namespace ballast {

using namespace detail;
namespace {

constexpr std::string_view prefix = "BALLAST_";

/// All variables that the library and its programs read; docs/reference/environment.md lists the legal
/// values.
constexpr std::array variables{
    environment_variable{"BALLAST_CALLED_BY",
                         "the version of the `ballast` that runs this program; set by it"},
    environment_variable{"BALLAST_CHECK_MAPS",
                         "1: translated programs check that kernels keep to their maps"},
    environment_variable{"BALLAST_COMMIT", "the commit that records name, where there is no git"},
    environment_variable{"BALLAST_DEVICES", "the devices that programs use unless told otherwise"},
    environment_variable{"BALLAST_DEVICE_BYTES", "memory of each device for arrays of a translated program"},
    environment_variable{"BALLAST_POLICY", "how a translated program splits launches over devices"},
    environment_variable{"BALLAST_TASKS", "tasks that a translated program makes of a launch"},
    environment_variable{"BALLAST_TIMEOUT", "seconds after which a wait of a translated program fails"}};

/// The known variable that `name` was probably meant to be; nothing if none is near, or if `name` itself is
/// known. Compares only the text after the common prefix.
std::optional<std::string> meant_by(std::string_view name) {
  std::vector<std::string_view> ends;
  for (auto const& variable : variables)
    ends.push_back(std::string_view(variable.name).substr(prefix.size()));
  auto const end = name.substr(prefix.size());
  auto const near = nearest_words(ends, end, 1);
  if (near.empty() || near.front() == end) return std::nullopt;
  return std::string(prefix) + std::string(near.front());
}

std::optional<std::string> value_of(std::string_view name) {
  char const* const value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

void warn_of_misspelt_variables() {
  for (auto const& sentence : misspelt_variables(environ)) write_log(log_level::warning, sentence);
}

}  // namespace

std::span<environment_variable const> detail::environment_variables() { return variables; }

std::vector<std::string> detail::misspelt_variables(char const* const* settings) {
  std::vector<std::string> sentences;
  for (; settings != nullptr && *settings != nullptr; ++settings) {
    std::string_view const setting = *settings;
    auto const name = setting.substr(0, setting.find('='));
    if (!name.starts_with(prefix)) continue;
    if (auto const meant = meant_by(name))
      sentences.push_back("the environment variable " + escape_control_characters(name) +
                          " is not read; did you mean " + *meant + "?");
  }
  return sentences;
}

std::optional<std::string> environment(std::string_view name) {
  static bool const warned = (warn_of_misspelt_variables(), true);
  static_cast<void>(warned);
  return value_of(name);
}

}  // namespace ballast
