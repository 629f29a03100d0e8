// SPDX-License-Identifier: Apache-2.0
#include "trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "atoms.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/text_file.hpp"

namespace ballast::md {
namespace {

using command_line::text_lines;
using command_line::words_of;

static_assert(command_line::max_number == max_coordinate, "what is written can be read, and nothing else");

/// The column of an atom's line at which each quantity begins; -1 for absent ones.
struct atom_columns {
  int species = -1, position = -1, velocity = -1, momentum = -1, charge = -1, mass = -1, id = -1, count = 0;
};

/// ASE's unit of velocity in A/fs. Its momenta are in sqrt(amu eV), so divided by masses in amu they are
/// velocities in sqrt(eV / amu), which is sqrt(1.602176634e-19 J / 1.66053906660e-27 kg) = 9822.69475 m/s;
/// and 1 m/s is 1e-5 A/fs.
constexpr double ase_velocity = 0.09822694750253;
constexpr double ase_error = ase_velocity * ase_velocity / (1.602176634e-19 / 1.66053906660e-27 * 1e-10) - 1;
static_assert(-1e-12 < ase_error && ase_error < 1e-12);

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

/// Reads the line with the number of atoms of a frame. `before`: that of the previous frame; 0 for the first
/// one.
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

/// "T T T" or "F F F"; nothing for values that a run does not support.
std::optional<boundary> edges_in(std::string_view pbc) {
  auto const words = words_of(pbc);
  auto const are_all = [&](std::string_view word) {
    return words.size() == 3 && std::ranges::count(words, word) == 3;
  };
  if (are_all("T")) return boundary::periodic;
  return are_all("F") ? std::optional(boundary::open) : std::nullopt;
}

class frame_reader {
 public:
  /// `warns`: whether it warns of columns and keys that are not used.
  frame_reader(text_lines& lines, bool warns) : lines_(&lines), warns_(warns) {}

  frame read(std::int64_t count) {
    read_comment();
    reserve(count);
    for (std::int64_t i = 0; i < count; ++i) read_atom(i, count);
    if (!frame_.state.box_is_given) frame_.state.box = enclosing_box(frame_.state.position);
    return std::move(frame_);
  }

 private:
  /// Reads the comment line of the frame, whose keys `frame` lists.
  void read_comment() {
    auto const line = lines_->next();
    if (!line) lines_->fail("the file ends where a frame's comment line should be.");
    for (auto const word : words_of(*line)) {
      auto const equals = word.find('=');
      if (equals != word.npos) read_key(word.substr(0, equals), unquoted(word.substr(equals + 1)));
    }
    warn_of_unused();
    auto& all = frame_.state;
    all.box_is_given = side_.has_value();
    if (side_) all.box = {origin_, {origin_.x + side_->x, origin_.y + side_->y, origin_.z + side_->z}};
    if (epsilon_ && sigma_) all.parameters = lennard_jones{*epsilon_, *sigma_};
  }

  void read_key(std::string_view key, std::string_view value) {
    if (!is_used(key, value)) return unused_keys_.push_back(key);
    if (std::ranges::find(keys_, key) != keys_.end()) lines_->fail("the key {} is there twice.", key);
    keys_.push_back(key);
  }

  bool is_used(std::string_view key, std::string_view value) {
    if (key == "Lattice") return read_lattice(value), true;
    if (key == "Origin") return read_origin(value), true;
    if (key == "Properties") return read_properties(value), true;
    if (key == "step") return frame_.step = lines_->integer(value, "step"), true;
    if (key == "time") return frame_.time = lines_->finite(value, "time"), true;
    if (key == "epsilon") return epsilon_ = lines_->number(value, "epsilon"), true;
    if (key == "sigma") return sigma_ = lines_->number(value, "sigma"), true;
    if (key != "pbc") return false;
    frame_.edges = edges_in(value);
    return frame_.edges.has_value();
  }

  void warn_of_unused() const {
    if (!unused_columns_.empty()) warn_of("columns", unused_columns_);
    if (!unused_keys_.empty()) warn_of("keys", unused_keys_);
  }

  void warn_of(std::string_view what, std::vector<std::string_view> const& names) const {
    if (warns_) lines_->warn("these {} are not used: {}.", what, fmt::format("{}", fmt::join(names, ", ")));
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
    if (columns_.velocity >= 0 && columns_.momentum >= 0)
      lines_->fail("Properties should not contain both velo and momenta.");
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
                                    {"momenta", "R", 3, &atom_columns::momentum},
                                    {"charge", "R", 1, &atom_columns::charge},
                                    {"initial_charges", "R", 1, &atom_columns::charge},
                                    {"mass", "R", 1, &atom_columns::mass},
                                    {"masses", "R", 1, &atom_columns::mass},
                                    {"id", "I", 1, &atom_columns::id}};
    auto const property = std::ranges::find(all, name, &known::name);
    if (property == std::end(all)) {
      unused_columns_.push_back(name);
    } else {
      if (property->type != type || property->width != width)
        lines_->fail("the property {0} should be {0}:{1}:{2}.", name, property->type, property->width);
      if (columns_.*property->begin >= 0) lines_->fail("the property {} is there twice.", name);
      columns_.*property->begin = columns_.count;
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
    check_columns();
    auto const type = read_type();
    auto const id = columns_.id < 0 ? i + 1 : read_id();
    auto const mass = read_mass(type);
    add_atom(frame_.state, id, type, triple(columns_.position, "the position"), read_velocity(mass),
             scalar(columns_.charge, "the charge", 0.0), mass);
  }

  void check_columns() {
    auto const count = static_cast<std::size_t>(columns_.count);
    if (words_.size() < count)
      lines_->fail("an atom's line should have {} columns but has {}.", count, words_.size());
    if (words_.size() == count || !std::exchange(warns_, false)) return;
    lines_->warn("what follows the first {} columns is not used; Properties would say what it is.", count);
  }

  std::int64_t read_id() {
    auto const id = lines_->integer(word(columns_.id), "the atom's id");
    if (ids_.insert(id).second) return id;
    lines_->fail("the atom id {} is there twice.", id);
  }

  vec3 read_velocity(double mass) {
    if (columns_.momentum < 0) return triple(columns_.velocity, "the velocity");
    auto const [x, y, z] = triple(columns_.momentum, "the momentum");
    double const factor = ase_velocity / mass;
    return {factor * x, factor * y, factor * z};
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
  bool warns_;
  frame frame_;
  /// The columns of plain XYZ, unless the comment has Properties.
  atom_columns columns_{.species = 0, .position = 1, .count = 4};
  std::vector<std::string_view> keys_, unused_keys_, unused_columns_;  ///< of the comment that is being read
  std::unordered_set<std::int64_t> ids_;                               ///< of the atoms so far
  std::optional<double> epsilon_, sigma_;
  std::optional<vec3> side_;
  vec3 origin_;
  std::vector<std::string_view> words_;
};

/// The frames of a file, one after another.
class frame_sequence {
 public:
  explicit frame_sequence(std::string const& path) : lines_(path) {}

  /// Reads the number of atoms at the beginning of the next frame; false at the end of the file.
  bool read_atom_count_line() {
    is_first_ = count_ == 0;
    while (auto const line = lines_.next()) {
      if (words_of(*line).empty()) continue;
      count_ = read_count(lines_, *line, count_);
      return true;
    }
    if (count_ == 0) lines_.fail("the file holds no frame.");
    return false;
  }
  /// The frame whose number of atoms was read.
  frame read() { return frame_reader(lines_, is_first_).read(count_); }

 private:
  text_lines lines_;
  std::int64_t count_ = 0;
  bool is_first_ = true;
};

/// Text with numbers of the fewest digits that give the same bits.
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

frame read_first_frame(std::string const& path) {
  frame_sequence file(path);
  file.read_atom_count_line();
  auto first = file.read();
  file.read_atom_count_line();  // refuses atoms beyond the announced number
  return first;
}

atoms read_xyz(std::string const& path) { return read_first_frame(path).state; }

void append_frame(std::string const& path, atoms const& state, std::int64_t step, double time,
                  boundary edges) {
  frame_text text;
  text << state.size() << "\n";
  write_comment(text, state, step, time, edges);
  text << "\n";
  for (auto const i : order_of_ids(state)) write_atom(text, state, i);
  append_to_file(path, text.text());
}

}  // namespace ballast::md
