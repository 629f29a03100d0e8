// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"

namespace ballast {
namespace {

std::string padded(std::string const& text, std::size_t width, alignment side) {
  std::string const blank(width - code_points(text), ' ');
  return side == alignment::left ? text + blank : blank + text;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string repeated(std::string_view sign, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += sign;
  return text;
}

}  // namespace

charset charset_of_environment() {
  for (char const* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (auto const value = environment(name)) {
      bool const utf8 = value->find("UTF-8") != std::string::npos || value->find("utf8") != std::string::npos;
      return utf8 ? charset::utf8 : charset::ascii;
    }
  }
  return charset::ascii;
}

table::table(std::vector<table_column> columns) : columns_(std::move(columns)), widths_(columns_.size()) {
  if (columns_.empty()) throw_bad_argument("columns", 0LL, "at least 1");
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].header = escape_control_characters(columns_[c].header);
    widths_[c] = code_points(columns_[c].header);
  }
}

void table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw_bad_argument("cells", static_cast<long long>(cells.size()),
                       "one per column, " + std::to_string(columns_.size()));
  }
  for (auto& cell : cells) cell = escape_control_characters(cell);
  widen(cells);
  rows_.push_back(std::move(cells));
}

void table::widen(std::vector<std::string> const& cells) {
  for (std::size_t c = 0; c < cells.size(); ++c) widths_[c] = std::max(widths_[c], code_points(cells[c]));
}

std::string table::line(std::vector<std::string> const& cells) const {
  std::string text;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    text += (c == 0 ? "" : "  ") + padded(cells[c], widths_[c], columns_[c].side);
  }
  return without_trailing_spaces(std::move(text)) + '\n';
}

std::string table::text(charset drawn_with) const {
  std::vector<std::string> headers, rules;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    headers.push_back(columns_[c].header);
    rules.push_back(repeated(drawn_with == charset::utf8 ? "─" : "-", widths_[c]));
  }
  std::string text = line(headers) + line(rules);
  for (auto const& row : rows_) text += line(row);
  return text;
}

namespace {

/// The decimals that give `digits` significant digits after rounding (999.96 rounds to four digits before the
/// point).
int decimals(double number, int digits) {
  double const rounded = std::stod(fmt::format("{:.{}e}", number, digits - 1));
  int const before = static_cast<int>(std::floor(std::log10(std::fabs(rounded)))) + 1;
  return std::max(0, digits - before);
}

}  // namespace

std::string rounded(double number, int digits) {
  if (digits < 1 || digits > 17) throw_bad_argument("digits", static_cast<long long>(digits), "1 to 17");
  double const size = std::fabs(number);
  if (number == 0) return "0";
  if (!(size >= 1e-4 && size < 1e15)) return fmt::format("{:.{}g}", number, digits);
  return fmt::format("{:.{}f}", number, decimals(number, digits));
}

namespace {

struct unit_step {
  double size;  ///< in the unit itself
  std::string_view name;
};
constexpr std::array second_steps{unit_step{1e-9, "ns"}, unit_step{1e-6, "us"}, unit_step{1e-3, "ms"},
                                  unit_step{1, "s"}};
constexpr std::array byte_steps{unit_step{1, "B"}, unit_step{0x1p10, "KiB"}, unit_step{0x1p20, "MiB"},
                                unit_step{0x1p30, "GiB"}, unit_step{0x1p40, "TiB"}};
constexpr std::array count_steps{unit_step{1, ""}, unit_step{1e3, "k"}, unit_step{1e6, "M"},
                                 unit_step{1e9, "G"}};

/// The largest that is not above `size`, else the smallest.
unit_step const& step_of(std::span<unit_step const> steps, double size) {
  auto const* fitting = &steps.front();
  for (auto const& one : steps)
    if (one.size <= size) fitting = &one;
  return *fitting;
}

/// The seconds in a unit of time that has a name of its own.
std::optional<double> seconds_in(std::string_view unit) {
  for (auto const& one : second_steps)
    if (one.name == unit) return one.size;
  return std::nullopt;
}

/// True for "tasks/s", but not for "MB/s" or "million/s", which have a prefix.
bool has_no_prefix(std::string_view unit) {
  constexpr std::array<std::string_view, 4> prefixed{"us/s", "MB/s", "million/s", "thousand nodes/s"};
  return unit.ends_with("/s") && std::ranges::find(prefixed, unit) == prefixed.end();
}

}  // namespace

shown_unit shown_unit_for(double value, std::string_view unit) {
  double const size = std::fabs(value);
  if (auto const seconds = seconds_in(unit); seconds && size > 0 && std::isfinite(size)) {
    auto const& step = step_of(second_steps, size * *seconds * (1 + 1e-9));
    return {*seconds / step.size, std::string(step.name)};
  }
  if (unit == "B") {
    auto const& step = step_of(byte_steps, size);
    return {1 / step.size, std::string(step.name)};
  }
  if (!has_no_prefix(unit) || !std::isfinite(size)) return {1, std::string(unit)};
  auto const& step = step_of(count_steps, size);
  auto const between = step.name.empty() || unit == "B/s" ? "" : " ";
  return {1 / step.size, std::string(step.name) + between + std::string(unit)};
}

std::string with_unit(double value, std::string_view unit, int digits) {
  auto const shown = shown_unit_for(value, unit);
  return rounded(value * shown.per_unit, digits) + " " + shown.name;
}

std::string byte_size(std::size_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) size /= 1024, ++unit;
  return fmt::format("{:.4g} {}", size, units[unit]);
}

}  // namespace ballast
