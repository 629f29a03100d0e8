// SPDX-License-Identifier: Apache-2.0
#include "trajectory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "element.hpp"
#include "text_file.hpp"

namespace ballast::md {
namespace {

/// Which column each quantity begins at; absent quantities are -1.
struct columns {
  int species = -1, position = -1, velocity = -1, charge = -1, mass = -1, id = -1, count = 0;
};

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

class frame_reader {
 public:
  explicit frame_reader(text_lines& lines) : lines_(&lines) {}

  frame read(std::string_view first_line) {
    auto const count = read_count(first_line);
    read_comment();
    reserve(count);
    for (std::int64_t i = 0; i < count; ++i) read_atom(i, count);
    if (!frame_.state.box_is_given) frame_.state.box = enclosing_box(frame_.state.position);
    return std::move(frame_);
  }

 private:
  std::int64_t read_count(std::string_view line) {
    auto const words = words_of(line);
    if (words.size() != 1) lines_->fail("a frame should begin with the number of atoms alone on a line.");
    auto const count = lines_->integer(words[0], "the number of atoms");
    if (count >= 1 && count <= std::numeric_limits<std::int32_t>::max()) return count;
    lines_->fail("the number of atoms should be 1 to 2147483647.");
  }

  void read_comment() {
    auto const line = lines_->next();
    if (!line) lines_->fail("the file ends where a frame's comment line should be.");
    frame_.state.box_is_given = false;
    columns_ = {0, 1, -1, -1, -1, -1, 4};
    for (auto const word : words_of(*line)) {
      auto const equals = word.find('=');
      if (equals != word.npos) read_key(word.substr(0, equals), unquoted(word.substr(equals + 1)));
    }
    if (frame_.state.box_is_given) place_box();
    if (epsilon_ && sigma_) frame_.state.parameters = lennard_jones{*epsilon_, *sigma_};
  }

  void read_key(std::string_view key, std::string_view value) {
    if (key == "Lattice") return read_lattice(value);
    if (key == "Origin") return read_origin(value);
    if (key == "Properties") return read_properties(value);
    if (key == "step") frame_.step = lines_->integer(value, "step");
    if (key == "time") frame_.time = lines_->number(value, "time");
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
    frame_.state.box_is_given = true;
  }

  void read_origin(std::string_view value) {
    auto const words = words_of(value);
    if (words.size() != 3) lines_->fail("Origin should be three numbers.");
    origin_ = {lines_->number(words[0], "Origin"), lines_->number(words[1], "Origin"),
               lines_->number(words[2], "Origin")};
  }

  void place_box() {
    frame_.state.box = {origin_, {origin_.x + side_.x, origin_.y + side_.y, origin_.z + side_.z}};
  }

  void read_properties(std::string_view value) {
    columns_ = {};
    auto const parts = split(value, ':');
    if (parts.size() % 3 != 0) lines_->fail("Properties should be a list of name:type:columns.");
    for (std::size_t i = 0; i < parts.size(); i += 3) {
      auto const width = lines_->integer(parts[i + 2], "the number of columns of a property");
      if (width < 1 || width > 100) lines_->fail("a property should have 1 to 100 columns.");
      note_property(parts[i], parts[i + 1], static_cast<int>(width));
    }
    if (columns_.position < 0) lines_->fail("Properties should contain pos:R:3.");
  }

  void note_property(std::string_view name, std::string_view type, int width) {
    struct known {
      std::string_view name, type;
      int width;
      int columns::*begin;
    };
    static constexpr known all[] = {{"species", "S", 1, &columns::species},
                                    {"pos", "R", 3, &columns::position},
                                    {"velo", "R", 3, &columns::velocity},
                                    {"charge", "R", 1, &columns::charge},
                                    {"mass", "R", 1, &columns::mass},
                                    {"masses", "R", 1, &columns::mass},
                                    {"id", "I", 1, &columns::id}};
    for (auto const& property : all) {
      if (property.name != name) continue;
      if (property.type != type || property.width != width) {
        lines_->fail("the property " + std::string(name) + " should be " + std::string(name) + ":" +
                     std::string(property.type) + ":" + std::to_string(property.width) + ".");
      }
      columns_.*property.begin = columns_.count;
    }
    columns_.count += width;
  }

  void reserve(std::int64_t count) {
    auto const most = static_cast<std::size_t>(std::min<std::int64_t>(count, 1 << 20));
    frame_.state.position.reserve(most);
    frame_.state.velocity.reserve(most);
  }

  void read_atom(std::int64_t i, std::int64_t count) {
    auto const line = lines_->next();
    if (!line) {
      lines_->fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count) + " atoms.");
    }
    words_ = words_of(*line);
    if (words_.size() < static_cast<std::size_t>(columns_.count)) {
      lines_->fail("an atom's line should have " + std::to_string(columns_.count) + " columns but has " +
                   std::to_string(words_.size()) + ".");
    }
    auto const type = read_type();
    auto const id = columns_.id < 0 ? i + 1 : lines_->integer(word(columns_.id), "the atom's id");
    add_atom(frame_.state, id, type, triple(columns_.position, "the position"),
             triple(columns_.velocity, "the velocity"), scalar(columns_.charge, "the charge", 0.0),
             read_mass(type));
  }

  std::string_view word(int column) const { return words_[static_cast<std::size_t>(column)]; }
  double scalar(int column, std::string_view what, double otherwise) {
    return column < 0 ? otherwise : lines_->number(word(column), what);
  }
  vec3 triple(int column, std::string_view what) {
    if (column < 0) return {};
    return {lines_->number(word(column), what), lines_->number(word(column + 1), what),
            lines_->number(word(column + 2), what)};
  }

  std::uint16_t read_type() {
    auto const name = columns_.species < 0 ? std::string_view("X") : word(columns_.species);
    auto& names = frame_.state.type_name;
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      if (names.size() == 65535) lines_->fail("there are more than 65535 species.");
      names.emplace_back(name);
      found = names.end() - 1;
    }
    return static_cast<std::uint16_t>(found - names.begin());
  }

  double read_mass(std::uint16_t type) {
    auto const& name = frame_.state.type_name[type];
    if (columns_.mass >= 0) {
      double const mass = lines_->number(word(columns_.mass), "the mass");
      return mass > 0 ? mass : (lines_->fail("the mass should be positive."), 0.0);
    }
    if (auto const mass = mass_of_element(name)) return *mass;
    lines_->fail("the mass of the species " + name + " is not known; give it in a column mass:R:1.");
  }

  text_lines* lines_;
  frame frame_;
  columns columns_;
  std::vector<std::string_view> words_;
  std::optional<double> epsilon_, sigma_;
  vec3 origin_, side_;
};

std::optional<frame> next_frame(text_lines& lines) {
  while (auto const line = lines.next()) {
    if (!words_of(*line).empty()) return frame_reader(lines).read(*line);
  }
  return std::nullopt;
}

}  // namespace

std::vector<frame> read_frames(std::string const& path) {
  text_lines lines(path);
  std::vector<frame> frames;
  while (auto next = next_frame(lines)) frames.push_back(std::move(*next));
  if (frames.empty()) lines.fail("the file holds no frame.");
  return frames;
}

atoms read_xyz(std::string const& path) {
  text_lines lines(path);
  auto first = next_frame(lines);
  if (!first) lines.fail("the file holds no frame.");
  return std::move(first->state);
}

}  // namespace ballast::md
