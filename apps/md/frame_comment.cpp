// SPDX-License-Identifier: Apache-2.0
#include "frame_comment.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ballast::md {
namespace {

std::string_view unquoted(std::string_view word) {
  if (word.size() >= 2 && word.front() == '"' && word.back() == '"') return word.substr(1, word.size() - 2);
  return word;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class comment_reader {
 public:
  explicit comment_reader(text_lines const& lines) : lines_(&lines) {}

  frame_comment read(std::string_view line) {
    for (auto const word : words_of(line)) {
      auto const equals = word.find('=');
      if (equals != word.npos) read_key(word.substr(0, equals), unquoted(word.substr(equals + 1)));
    }
    if (side_) comment_.box = {origin_, {origin_.x + side_->x, origin_.y + side_->y, origin_.z + side_->z}};
    if (epsilon_ && sigma_) comment_.parameters = lennard_jones{*epsilon_, *sigma_};
    return comment_;
  }

 private:
  void read_key(std::string_view key, std::string_view value) {
    if (key == "Lattice") return read_lattice(value);
    if (key == "Origin") return read_origin(value);
    if (key == "Properties") return read_properties(value);
    if (key == "step") comment_.step = lines_->integer(value, "step");
    if (key == "time") comment_.time = lines_->finite(value, "time");
    if (key == "epsilon") epsilon_ = lines_->number(value, "epsilon");
    if (key == "sigma") sigma_ = lines_->number(value, "sigma");
  }

  void read_lattice(std::string_view value) {
    auto const words = words_of(value);
    if (words.size() != 9) lines_->fail("Lattice should be nine numbers.");
    double m[9];
    for (std::size_t i = 0; i < 9; ++i) {
      m[i] = lines_->number(words[i], "Lattice");
      if (i % 4 != 0 && m[i] != 0) lines_->fail("Lattice should be orthogonal along x, y and z.");
      if (i % 4 == 0 && m[i] <= 0) lines_->fail("Lattice should have sides of positive length.");
    }
    side_ = {m[0], m[4], m[8]};
  }

  void read_origin(std::string_view value) {
    auto const words = words_of(value);
    if (words.size() != 3) lines_->fail("Origin should be three numbers.");
    origin_ = {lines_->number(words[0], "Origin"), lines_->number(words[1], "Origin"),
               lines_->number(words[2], "Origin")};
  }

  void read_properties(std::string_view value) {
    comment_.columns = {};
    auto const parts = split(value, ':');
    if (parts.size() % 3 != 0) lines_->fail("Properties should be a list of name:type:columns.");
    for (std::size_t i = 0; i < parts.size(); i += 3) {
      auto const width = lines_->integer(parts[i + 2], "the number of columns of a property");
      if (width < 1 || width > 100) lines_->fail("a property should have 1 to 100 columns.");
      record_property(parts[i], parts[i + 1], static_cast<int>(width));
    }
    if (comment_.columns.position < 0) lines_->fail("Properties should contain pos:R:3.");
  }

  void record_property(std::string_view name, std::string_view type, int width) {
    struct known {
      std::string_view name, type;
      int width;
      int atom_columns::*begin;
    };
    static constexpr known all[] = {{"species", "S", 1, &atom_columns::species},
                                    {"pos", "R", 3, &atom_columns::position},
                                    {"velo", "R", 3, &atom_columns::velocity},
                                    {"charge", "R", 1, &atom_columns::charge},
                                    {"mass", "R", 1, &atom_columns::mass},
                                    {"masses", "R", 1, &atom_columns::mass},
                                    {"id", "I", 1, &atom_columns::id}};
    for (auto const& property : all) {
      if (property.name != name) continue;
      if (property.type != type || property.width != width) {
        lines_->fail("the property " + std::string(name) + " should be " + std::string(name) + ":" +
                     std::string(property.type) + ":" + std::to_string(property.width) + ".");
      }
      comment_.columns.*property.begin = comment_.columns.count;
    }
    comment_.columns.count += width;
  }

  text_lines const* lines_;
  frame_comment comment_;
  std::optional<double> epsilon_, sigma_;
  std::optional<vec3> side_;
  vec3 origin_;
};

}  // namespace

frame_comment read_frame_comment(text_lines const& lines, std::string_view line) {
  return comment_reader(lines).read(line);
}

}  // namespace ballast::md
