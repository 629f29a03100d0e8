// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "code_points.hpp"

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

}  // namespace ballast
