// SPDX-License-Identifier: Apache-2.0
#include "lammps_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
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

std::string_view first_word_of(std::string_view text) {
  auto const words = words_of(text);
  return words.empty() ? std::string_view() : words.front();
}

/// The word after "units =", or after "units" if it is one of LAMMPS's; empty if there is none.
std::string_view units_in(std::string_view title) {
  constexpr std::string_view styles[] = {"lj", "real", "metal", "si", "cgs", "electron", "micro", "nano"};
  constexpr std::string_view key = "units";
  auto const at = title.rfind(key);  // "time units = fs, units = real"
  if (at == title.npos) return {};
  auto const rest = title.substr(at + key.size());
  auto const begin = rest.find_first_not_of(" \t=:");
  if (begin == rest.npos) return {};
  auto const word = rest.substr(begin, rest.find_first_of(" \t\r,;", begin) - begin);
  bool const is_assigned = rest.substr(0, begin).find_first_of("=:") != rest.npos;
  return is_assigned || std::ranges::find(styles, word) != std::end(styles) ? word : std::string_view();
}

/// The non-empty lines of a LAMMPS data file, as words, without the title.
class lammps_lines {
 public:
  /// Throws bad_file if the file cannot be opened, or if its title names other units than real.
  explicit lammps_lines(std::string const& path) : lines_(path) {
    if (auto const title = lines_.next()) check_units(*title);
  }

  /// Moves to the next line that is neither empty nor only a comment; false at the end of the file.
  bool next() {
    while (auto const line = lines_.next()) {
      auto const hash = line->find('#');
      hint_ = hash == line->npos ? std::string_view() : first_word_of(line->substr(hash + 1));
      words_ = words_of(line->substr(0, hash));
      if (!words_.empty()) return true;
    }
    return false;
  }

  /// The words of the present line, valid until the next call of next().
  std::vector<std::string_view> const& words() const { return words_; }
  std::string_view word(std::size_t i) const { return words_[i]; }
  /// The first word after the line's '#', or nothing.
  std::string_view hint() const { return hint_; }
  /// True if the line begins with a number, as lines of the header and within sections do.
  bool numeric() const { return words_[0].find_first_not_of("+-.0123456789eE") == words_[0].npos; }
  std::string joined() const { return fmt::format("{}", fmt::join(words_, " ")); }

  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values const&...> sentence, Values const&... values) const {
    lines_.fail(sentence, values...);
  }
  template <class... Values>
  void warn(fmt::format_string<Values const&...> sentence, Values const&... values) const {
    lines_.warn(sentence, values...);
  }
  double number(std::size_t i, std::string_view what) const { return lines_.number(words_[i], what); }
  std::int64_t integer(std::size_t i, std::string_view what) const { return lines_.integer(words_[i], what); }

 private:
  /// Throws bad_file if the title names other units than real. LAMMPS writes "units = metal" there; other
  /// titles are free text.
  void check_units(std::string_view title) const {
    auto const units = units_in(title);
    if (!units.empty() && units != "real")
      lines_.fail("the title says units = {}, but only files in units real are read.", units);
  }

  text_lines lines_;
  std::vector<std::string_view> words_;
  std::string_view hint_;
};

/// The counts and box that a LAMMPS data file announces before its first section.
struct lammps_header {
  std::int64_t atoms = 0, types = 0;
  bounds box;
};

/// Reads up to the name of the first section, where `lines` then stands. Throws bad_file for a count or a
/// side of the box that is missing or out of range, a tilted box, any other nonzero count (bonds), and a file
/// without sections.
class header_reader {
 public:
  explicit header_reader(lammps_lines& lines) : lines_(&lines) {}

  lammps_header read() {
    while (lines_->next()) {
      if (!lines_->numeric()) return complete();
      read_line();
    }
    lines_->fail("the file ends without the section Atoms.");
  }

 private:
  void read_line() {
    auto const& words = lines_->words();
    auto const ends_with = [&](std::vector<std::string_view> const& end) {
      return words.size() > end.size() && std::equal(end.rbegin(), end.rend(), words.rbegin());
    };
    if (words.size() == 2 && words[1] == "atoms") return read_atom_count();
    if (words.size() == 3 && ends_with({"atom", "types"})) return read_type_count();
    if (words.size() == 4) return read_side();
    if (words.size() == 6 && ends_with({"xy", "xz", "yz"})) return check_no_tilt();
    if (words.size() >= 2 && lines_->integer(0, "a header's count") == 0) return;  // "0 bonds"
    lines_->fail(
        "the header line \"{}\" is not understood; only atoms, atom types and box sides are supported.",
        lines_->joined());
  }

  void read_atom_count() {
    if (header_.atoms != 0) lines_->fail("the header says the number of atoms twice.");
    header_.atoms = lines_->integer(0, "the number of atoms");
    if (header_.atoms >= 1 && header_.atoms <= std::numeric_limits<std::int32_t>::max()) return;
    lines_->fail("the number of atoms should be 1 to 2147483647.");
  }

  void read_type_count() {
    if (header_.types != 0) lines_->fail("the header says the number of atom types twice.");
    header_.types = lines_->integer(0, "the number of atom types");
    if (header_.types >= 1 && header_.types <= 65535) return;
    lines_->fail("the number of atom types should be 1 to 65535.");
  }

  void read_side() {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names{
        {{"xlo", "xhi"}, {"ylo", "yhi"}, {"zlo", "zhi"}}};
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (std::pair(lines_->word(2), lines_->word(3)) == names[axis]) return set_side(axis);
    lines_->fail("the header line is not understood; box sides are given as \"low high xlo xhi\".");
  }

  void check_no_tilt() {
    for (std::size_t i = 0; i < 3; ++i) {
      if (lines_->number(i, "the tilt of the box") == 0) continue;
      lines_->fail("tilted boxes (xy xz yz) are not supported.");
    }
  }

  void set_side(std::size_t axis) {
    if (side_given_[axis]) lines_->fail("the header says this side of the box twice.");
    double const low = lines_->number(0, "the box's lower side");
    double const high = lines_->number(1, "the box's upper side");
    if (!(low < high)) lines_->fail("the box's lower side should be below its upper side.");
    static constexpr double vec3::*component[] = {&vec3::x, &vec3::y, &vec3::z};
    header_.box.low.*component[axis] = low;
    header_.box.high.*component[axis] = high;
    side_given_[axis] = true;
  }

  lammps_header complete() const {
    auto const refuse = [&](std::string const& missing) {
      lines_->fail("the section {} comes before {}.", lines_->joined(), missing);
    };
    if (header_.atoms == 0) refuse("the header line \"N atoms\"");
    if (header_.types == 0) refuse("the header line \"N atom types\"");
    if (!(side_given_[0] && side_given_[1] && side_given_[2]))
      refuse("all of the box's sides (xlo xhi, ylo yhi, zlo zhi) are given");
    return header_;
  }

  lammps_lines* lines_;
  lammps_header header_;
  std::array<bool, 3> side_given_{};
};

/// Reads the sections of a data file, whose first line is the name of one.
class section_reader {
 public:
  section_reader(lammps_lines& lines, lammps_header const& header)
      : lines_(&lines), atoms_(header.atoms), types_(header.types) {
    all_.box = header.box;
    mass_.assign(static_cast<std::size_t>(types_), 0.0);
  }

  atoms read() {
    do {
      check_no_surplus_line();
      section_ = lines_->joined();
      if (!sections_.insert(section_).second) lines_->fail("the section {} is there twice.", section_);
      ids_.clear();
      read_section(section_);
    } while (lines_->next());
    finish();
    return std::move(all_);
  }

 private:
  void check_no_surplus_line() {
    if (!lines_->numeric()) return;
    auto const announced = section_ == "Atoms" || section_ == "Velocities" ? atoms_ : types_;
    lines_->fail("the section {} has more lines than the {} that the header announces.", section_, announced);
  }

  void read_section(std::string const& name) {
    if (name == "Masses") return read_masses();
    if (name == "Pair Coeffs") return read_parameters();
    if (name == "Atoms") return read_atoms(std::string(lines_->hint()));
    if (name == "Velocities") return read_velocities();
    lines_->fail("the section {} is not supported.", name);
  }

  void need_line(std::int64_t i, std::int64_t of) {
    if (lines_->next()) return;
    lines_->fail("the file ends after {} of {} lines of {}.", i, of, section_);
  }

  void need_columns(std::size_t count) {
    if (columns() == count) return;
    lines_->fail("a line of {} should have {} columns but has {}.", section_, count, columns());
  }

  /// The id of an atom or a type at the beginning of a line, unique within the section.
  std::int64_t own_id(std::string_view what) {
    auto const id = lines_->integer(0, what);
    if (ids_.insert(id).second) return id;
    lines_->fail("the {} {} is there twice in {}.", what.substr(what.find(' ') + 1), id, section_);
  }

  std::size_t columns() const { return lines_->words().size(); }

  std::size_t type_in(std::size_t column) { return checked_type(lines_->integer(column, "the atom type")); }

  std::size_t checked_type(std::int64_t type) {
    if (type >= 1 && type <= types_) return static_cast<std::size_t>(type - 1);
    lines_->fail("the atom type should be 1 to {}.", types_);
  }

  void read_masses() {
    for (std::int64_t i = 0; i < types_; ++i) {
      need_line(i, types_);
      need_columns(2);
      double const mass = lines_->number(1, "the mass");
      if (mass <= 0) lines_->fail("the mass should be positive.");
      mass_[checked_type(own_id("the atom type"))] = mass;
    }
  }

  /// Throws bad_file if the hint is a pair style other than lj/cut. LAMMPS writes the style there; other
  /// programs write any text.
  void check_pair_style(std::string const& hint) {
    constexpr std::string_view others[] = {"born", "buck", "gauss", "morse", "table", "yukawa", "zbl"};
    bool const is_style = hint.find('/') != hint.npos || std::ranges::find(others, hint) != std::end(others);
    if (is_style && !hint.starts_with("lj/cut")) lines_->fail("the pair style {} is not lj/cut.", hint);
  }

  void warn_of_cutoff() {
    told_cutoff_ = true;
    lines_->warn("the cutoff {} of Pair Coeffs is not used; --cutoff says it.", lines_->word(3));
  }

  void read_parameters() {
    check_pair_style(std::string(lines_->hint()));
    for (std::int64_t i = 0; i < types_; ++i) {
      need_line(i, types_);
      if (columns() != 4) need_columns(3);
      checked_type(own_id("the atom type"));
      lennard_jones const lj{lines_->number(1, "epsilon"), lines_->number(2, "sigma")};
      if (lj.epsilon < 0 || lj.sigma <= 0) lines_->fail("epsilon should not be negative and sigma positive.");
      if (all_.parameters && *all_.parameters != lj)
        lines_->fail("all types must share one epsilon and sigma, but these differ from the line before.");
      all_.parameters = lj;
      if (columns() == 4 && !told_cutoff_) warn_of_cutoff();
    }
  }

  /// The number of columns before the type: 1 (id) in style charge, 2 (id, molecule) in style full.
  std::size_t columns_before_type(std::string const& hint) {
    if (hint == "charge") return 1;
    if (hint == "full") return 2;
    if (!hint.empty()) lines_->fail("the atom style {} is not charge or full.", hint);
    if (columns() == 6 || columns() == 9) return 1;
    if (columns() == 7 || columns() == 10) return 2;
    lines_->fail(
        "a line of Atoms has {} columns, which is neither atom style charge (6 or 9) nor full (7 or 10).",
        columns());
  }

  void read_atoms(std::string const& hint) {
    for (std::int64_t i = 0; i < atoms_; ++i) {
      need_line(i, atoms_);
      read_atom(columns_before_type(hint));
    }
  }

  void read_atom(std::size_t before) {
    std::size_t const least = before + 5;
    if (columns() != least && columns() != least + 3)
      lines_->fail("a line of Atoms should have {} or {} columns but has {}.", least, least + 3, columns());
    auto const id = own_id("the atom id");
    index_.emplace(id, all_.size());
    vec3 const position{lines_->number(before + 2, "x"), lines_->number(before + 3, "y"),
                        lines_->number(before + 4, "z")};
    add_atom(all_, id, static_cast<std::uint16_t>(type_in(before)), position, {},
             lines_->number(before + 1, "the charge"), 0.0);
  }

  void read_velocities() {
    if (all_.size() == 0) lines_->fail("the section Velocities comes before the section Atoms.");
    for (std::int64_t i = 0; i < atoms_; ++i) {
      need_line(i, atoms_);
      need_columns(4);
      auto const found = index_.find(own_id("the atom id"));
      if (found == index_.end()) lines_->fail("there is no atom with the id {}.", lines_->word(0));
      all_.velocity[found->second] = {lines_->number(1, "vx"), lines_->number(2, "vy"),
                                      lines_->number(3, "vz")};
    }
  }

  void need_mass(std::size_t type) {
    if (mass_[type] > 0) return;
    lines_->fail("the file ends without a mass for atom type {}.", type + 1);
  }

  void finish() {
    if (all_.size() == 0) lines_->fail("the file ends without the section Atoms.");
    for (std::size_t i = 0; i < all_.size(); ++i) {
      need_mass(all_.type[i]);
      all_.mass[i] = mass_[all_.type[i]];
    }
    for (double const mass : mass_) all_.type_name.push_back(element_of_mass(mass));
    all_ = reordered(all_, order_of_ids(all_));
  }

  lammps_lines* lines_;
  std::int64_t atoms_, types_;
  std::string section_;  ///< the name of the one being read
  atoms all_;
  std::vector<double> mass_;
  std::unordered_map<std::int64_t, std::size_t> index_;
  std::set<std::string> sections_;        ///< that were read
  std::unordered_set<std::int64_t> ids_;  ///< of the section's lines so far
  bool told_cutoff_ = false;
};

std::vector<double> masses_by_type(atoms const& all) {
  std::vector<double> mass(std::max<std::size_t>(all.type_name.size(), 1), 1.0);
  for (std::size_t i = 0; i < all.size(); ++i) mass[all.type[i]] = all.mass[i];
  return mass;
}

void write_head(std::ostream& out, atoms const& all, std::vector<double> const& mass) {
  out << "written by ballast\n\n" << all.size() << " atoms\n" << mass.size() << " atom types\n\n";
  out << all.box.low.x << ' ' << all.box.high.x << " xlo xhi\n";
  out << all.box.low.y << ' ' << all.box.high.y << " ylo yhi\n";
  out << all.box.low.z << ' ' << all.box.high.z << " zlo zhi\n\nMasses\n\n";
  for (std::size_t t = 0; t < mass.size(); ++t) out << t + 1 << ' ' << mass[t] << '\n';
  if (!all.parameters) return;
  out << "\nPair Coeffs\n\n";
  for (std::size_t t = 0; t < mass.size(); ++t)
    out << t + 1 << ' ' << all.parameters->epsilon << ' ' << all.parameters->sigma << '\n';
}

void write_triple(std::ostream& out, vec3 const& v) { out << ' ' << v.x << ' ' << v.y << ' ' << v.z << '\n'; }

void write_body(std::ostream& out, atoms const& all) {
  out << "\nAtoms # charge\n\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    out << all.id[i] << ' ' << all.type[i] + 1 << ' ' << all.charge[i];
    write_triple(out, all.position[i]);
  }
  out << "\nVelocities\n\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    out << all.id[i];
    write_triple(out, all.velocity[i]);
  }
}

}  // namespace

atoms read_lammps_data(std::string const& path) {
  lammps_lines lines(path);
  auto const header = header_reader(lines).read();
  return section_reader(lines, header).read();
}

void write_lammps_data(std::string const& path, atoms const& all) {
  replace_file(path, [&](std::ostream& out) {
    out.precision(17);
    write_head(out, all, masses_by_type(all));
    write_body(out, all);
  });
}

}  // namespace ballast::md
