// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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
  for (std::size_t c = 0; c < columns_.size(); ++c) widths_[c] = code_points(columns_[c].header);
}

void table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw_bad_argument("cells", static_cast<long long>(cells.size()),
                       "one per column, " + std::to_string(columns_.size()));
  }
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

/// Digits after the point that leave `digits` significant ones, after rounding (999.96 has four before it).
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

std::string byte_size(std::size_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) size /= 1024, ++unit;
  return fmt::format("{:.4g} {}", size, units[unit]);
}

}  // namespace ballast
