// SPDX-License-Identifier: Apache-2.0
#include "diagnostic_text.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "ballast/arguments.hpp"

namespace ballast::mesicc {
namespace {

char const* name_of(severity level) {
  switch (level) {
    case severity::error:
      return "error";
    case severity::warning:
      return "warning";
    default:
      return "remark";
  }
}

std::string line_of(std::string const& text, std::uint32_t number) {
  std::istringstream stream(text);
  std::string line;
  for (std::uint32_t i = 0; i < number; ++i)
    if (!std::getline(stream, line)) return {};
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

/// "   ^~~" below the place: tabs stay tabs, so that it lines up.
std::string marks_below(std::string const& line, place const& where) {
  std::string marks;
  std::size_t const begin = std::min<std::size_t>(where.column - 1, line.size());
  for (char const c : line.substr(0, begin)) marks += c == '\t' ? '\t' : ' ';
  std::size_t const most = std::max<std::size_t>(line.size() - begin, 1);
  return marks + '^' + std::string(std::clamp<std::size_t>(where.length, 1, most) - 1, '~');
}

std::string with_number(std::string const& number, std::string const& text) {
  return std::string(std::max<std::size_t>(5, number.size()) - number.size(), ' ') + number + " | " + text +
         '\n';
}

/// The line, escaped for a terminal. Tabs stay, since marks_below() repeats them.
std::string shown(std::string_view line) {
  std::string all;
  for (auto tab = line.find('\t'); tab != line.npos; tab = line.find('\t')) {
    all += escape_control_characters(line.substr(0, tab)) + '\t';
    line.remove_prefix(tab + 1);
  }
  return all + escape_control_characters(line);
}

/// Where the place is in the line as it is shown.
place shown_place(std::string const& line, place where) {
  std::size_t const before = std::min<std::size_t>(where.column - 1, line.size());
  auto const marked = std::string_view(line).substr(before, where.length);
  where.column = static_cast<std::uint32_t>(shown(std::string_view(line).substr(0, before)).size() + 1);
  where.length = static_cast<std::uint32_t>(shown(marked).size());
  return where;
}

std::string snippet(place const& where, source_text const& source) {
  auto const line = where.line == 0 ? std::string() : line_of(source(where.file), where.line);
  if (line.empty() || where.column == 0) return {};
  auto const text = shown(line);
  return with_number(std::to_string(where.line), text) +
         with_number("", marks_below(text, shown_place(line, where)));
}

std::string headed(place const& where, std::string const& kind, std::string const& message,
                   source_text const& source) {
  std::string text = where.file.empty() ? "mesicc" : escape_control_characters(where.file);
  if (where.line > 0) text += ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
  return text + ": " + kind + ": " + escape_message(message) + "\n" + snippet(where, source);
}

}  // namespace

std::string text_of(diagnostic const& what, source_text const& source) {
  auto text = headed(what.where, name_of(what.level), what.message, source);
  for (auto const& note : what.notes) text += headed(note.where, "note", note.message, source);
  return text;
}

std::string texts_of(std::vector<diagnostic> const& all) {
  auto const on_disk = [](std::string const& name) {
    std::ifstream file(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::string text;
  for (auto const& what : all) text += text_of(what, on_disk);
  return text;
}

}  // namespace ballast::mesicc
