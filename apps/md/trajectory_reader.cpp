// SPDX-License-Identifier: Apache-2.0
#include "trajectory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "element.hpp"
#include "frame_comment.hpp"

namespace ballast::md {
namespace {

/// `before`: how many atoms the frame before this one announced; 0 if this is the first.
std::int64_t read_count(text_lines const& lines, std::string_view line, std::int64_t before) {
  auto const words = words_of(line);
  if (words.size() != 1 && before == 0) {
    lines.fail("a frame should begin with the number of atoms alone on a line.");
  }
  if (words.size() != 1) {
    lines.fail(
        "more follows than the " + std::to_string(before) +
        " atoms announced; only a further frame may, beginning with its number of atoms alone on a line.");
  }
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
  void read_comment() {
    auto const line = lines_->next();
    if (!line) lines_->fail("the file ends where a frame's comment line should be.");
    auto const comment = read_frame_comment(*lines_, *line);
    columns_ = comment.columns;
    frame_.step = comment.step;
    frame_.time = comment.time;
    frame_.state.parameters = comment.parameters;
    frame_.state.box_is_given = comment.box.has_value();
    frame_.state.box = comment.box.value_or(bounds{});
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
  atom_columns columns_;
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

}  // namespace ballast::md
