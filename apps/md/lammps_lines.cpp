// SPDX-License-Identifier: Apache-2.0
#include "lammps_lines.hpp"

namespace ballast::md {
namespace {

std::string_view first_word_of(std::string_view text) {
  auto const words = words_of(text);
  return words.empty() ? std::string_view() : words.front();
}

}  // namespace

lammps_lines::lammps_lines(std::string const& path) : lines_(path) { lines_.next(); }

bool lammps_lines::next() {
  while (auto const line = lines_.next()) {
    auto const hash = line->find('#');
    hint_ = hash == line->npos ? std::string_view() : first_word_of(line->substr(hash + 1));
    words_ = words_of(line->substr(0, hash));
    if (!words_.empty()) return true;
  }
  return false;
}

bool lammps_lines::numeric() const {
  return words_[0].find_first_not_of("+-.0123456789eE") == std::string_view::npos;
}

std::string lammps_lines::joined() const {
  std::string line;
  for (auto const& word : words_) line += (line.empty() ? "" : " ") + std::string(word);
  return line;
}

}  // namespace ballast::md
