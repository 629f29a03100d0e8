// SPDX-License-Identifier: Apache-2.0
#include "trajectory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoms.hpp"
#include "command_line/text_file.hpp"

namespace ballast::md {
namespace {

using command_line::bad_file;
using command_line::text_lines;
using command_line::words_of;

static_assert(command_line::max_number == max_coordinate, "what is written can be read, and nothing else");

/// Which column of an atom's line each quantity begins at; absent quantities are -1.
struct atom_columns {
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

/// `before`: how many atoms the frame before this one announced; 0 if this is the first.
std::int64_t read_count(text_lines const& lines, std::string_view line, std::int64_t before) {
  auto const words = words_of(line);
  if (words.size() != 1 && before == 0)
    lines.fail("a frame should begin with the number of atoms alone on a line.");
  if (words.size() != 1)
    lines.fail(
        "more follows than the {} atoms announced; only a further frame may, beginning with its number of "
        "atoms alone on a line.",
        before);
  auto const count = lines.integer(words[0], "the number of atoms");
  if (count >= 1 && count <= std::numeric_limits<std::int32_t>::max()) return count;
  lines.fail("the number of atoms should be 1 to 2147483647.");
}

class frame_reader {
 public:
  explicit frame_reader(text_lines& lines) : lines_(&lines) {}

  frame read(std::int64_t count) {
    read_comment();
    reserve(count);
    for (std::int64_t i = 0; i < count; ++i) read_atom(i, count);
    if (!frame_.state.box_is_given) frame_.state.box = enclosing_box(frame_.state.position);
    return std::move(frame_);
  }

 private:
  /// See `frame` for its keys.
  void read_comment() {
    auto const line = lines_->next();
    if (!line) lines_->fail("the file ends where a frame's comment line should be.");
    for (auto const word : words_of(*line)) {
      auto const equals = word.find('=');
      if (equals != word.npos) read_key(word.substr(0, equals), unquoted(word.substr(equals + 1)));
    }
    auto& all = frame_.state;
    all.box_is_given = side_.has_value();
    if (side_) all.box = {origin_, {origin_.x + side_->x, origin_.y + side_->y, origin_.z + side_->z}};
    if (epsilon_ && sigma_) all.parameters = lennard_jones{*epsilon_, *sigma_};
  }

  void read_key(std::string_view key, std::string_view value) {
    if (key == "Lattice") return read_lattice(value);
    if (key == "Origin") return read_origin(value);
    if (key == "Properties") return read_properties(value);
    if (key == "step") frame_.step = lines_->integer(value, "step");
    if (key == "time") frame_.time = lines_->finite(value, "time");
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
    columns_ = {};
    auto const parts = split(value, ':');
    if (parts.size() % 3 != 0) lines_->fail("Properties should be a list of name:type:columns.");
    for (std::size_t i = 0; i < parts.size(); i += 3) {
      auto const width = lines_->integer(parts[i + 2], "the number of columns of a property");
      if (width < 1 || width > 100) lines_->fail("a property should have 1 to 100 columns.");
      record_property(parts[i], parts[i + 1], static_cast<int>(width));
    }
    if (columns_.position < 0) lines_->fail("Properties should contain pos:R:3.");
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
      if (property.type != type || property.width != width)
        lines_->fail("the property {0} should be {0}:{1}:{2}.", name, property.type, property.width);
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
    if (!line) lines_->fail("the file ends after {} of {} atoms.", i, count);
    words_ = words_of(*line);
    if (words_.size() < static_cast<std::size_t>(columns_.count))
      lines_->fail("an atom's line should have {} columns but has {}.", columns_.count, words_.size());
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
    auto found = std::ranges::find(names, name);
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
    lines_->fail("the mass of the species {} is not known; give it in a column mass:R:1.", name);
  }

  text_lines* lines_;
  frame frame_;
  atom_columns columns_{0, 1, -1, -1, -1, -1, 4};  ///< of plain XYZ, unless the comment has Properties
  std::optional<double> epsilon_, sigma_;
  std::optional<vec3> side_;
  vec3 origin_;
  std::vector<std::string_view> words_;
};

/// The frames of a file one after the other.
class frame_sequence {
 public:
  explicit frame_sequence(std::string const& path) : lines_(path) {}

  /// Reads the number of atoms that the next frame begins with; false at the end of the file.
  bool read_atom_count_line() {
    while (auto const line = lines_.next()) {
      if (words_of(*line).empty()) continue;
      count_ = read_count(lines_, *line, count_);
      return true;
    }
    if (count_ == 0) lines_.fail("the file holds no frame.");
    return false;
  }
  /// The frame that was announced.
  frame read() { return frame_reader(lines_).read(count_); }

 private:
  text_lines lines_;
  std::int64_t count_ = 0;
};

/// Text with numbers of as few digits as give the same bits.
class frame_text {
 public:
  frame_text& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> frame_text& operator<<(Number value) {
    char digits[40];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }
  frame_text& operator<<(vec3 const& v) { return *this << v.x << " " << v.y << " " << v.z; }
  std::string const& text() const { return text_; }

 private:
  std::string text_;
};

void write_comment(frame_text& to, atoms const& state, std::int64_t step, double time, boundary edges) {
  auto const& box = state.box;
  if (state.box_is_given)
    to << "Lattice=\"" << box.length(0) << " 0 0 0 " << box.length(1) << " 0 0 0 " << box.length(2)
       << "\" Origin=\"" << box.low << "\" ";
  to << "Properties=species:S:1:pos:R:3:velo:R:3:charge:R:1:mass:R:1:id:I:1 pbc=\""
     << (edges == boundary::periodic ? "T T T" : "F F F") << "\" step=" << step << " time=" << time;
  if (state.parameters)
    to << " epsilon=" << state.parameters->epsilon << " sigma=" << state.parameters->sigma;
}

void write_atom(frame_text& to, atoms const& state, std::size_t i) {
  to << state.type_name[state.type[i]] << " " << state.position[i] << " " << state.velocity[i] << " "
     << state.charge[i] << " " << state.mass[i] << " " << state.id[i] << "\n";
}

}  // namespace

std::vector<frame> read_frames(std::string const& path) {
  frame_sequence file(path);
  std::vector<frame> frames;
  while (file.read_atom_count_line()) frames.push_back(file.read());
  return frames;
}

atoms read_xyz(std::string const& path) {
  frame_sequence file(path);
  file.read_atom_count_line();
  auto first = file.read();
  file.read_atom_count_line();  // refuses atoms beyond those announced
  return std::move(first.state);
}

void append_frame(std::string const& path, atoms const& state, std::int64_t step, double time,
                  boundary edges) {
  frame_text text;
  text << state.size() << "\n";
  write_comment(text, state, step, time, edges);
  text << "\n";
  for (auto const i : order_of_ids(state)) write_atom(text, state, i);
  std::ofstream out(path, std::ios::app | std::ios::binary);
  out.write(text.text().data(), static_cast<std::streamsize>(text.text().size()));
  out.flush();
  if (!out) throw bad_file(path, 0, "the frame cannot be written.");
}

}  // namespace ballast::md
