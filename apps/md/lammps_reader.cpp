// SPDX-License-Identifier: Apache-2.0
#include "lammps_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "ballast/base/error.hpp"
#include "element.hpp"
#include "text_file.hpp"

namespace ballast::md {
namespace {

using words = std::vector<std::string_view>;

class data_reader {
 public:
  explicit data_reader(std::string const& path) : lines_(path) {}

  atoms read() {
    lines_.next();  // the title
    while (next_words()) read_header_or_section();
    finish();
    return std::move(all_);
  }

 private:
  /// The next line that is not empty or all comment; its words and its comment.
  bool next_words() {
    while (auto const line = lines_.next()) {
      auto const hash = line->find('#');
      comment_ = hash == line->npos ? std::string_view() : line->substr(hash + 1);
      words_ = words_of(line->substr(0, hash));
      if (!words_.empty()) return true;
    }
    return false;
  }

  void read_header_or_section() {
    bool const numeric = words_[0].find_first_not_of("+-.0123456789eE") == words_[0].npos;
    if (numeric) return read_header();
    std::string name;
    for (auto const& word : words_) name += (name.empty() ? "" : " ") + std::string(word);
    read_section(name);
  }

  void read_header() {
    if (words_.size() == 2 && words_[1] == "atoms") return read_atom_count();
    if (words_.size() == 3 && words_[1] == "atom" && words_[2] == "types") return read_type_count();
    if (words_.size() == 4) return read_side();
    if (words_.size() >= 2 && lines_.integer(words_[0], "a header's count") == 0) return;  // "0 bonds"
    if (words_.size() == 6) lines_.fail("tilted boxes (xy xz yz) are not supported.");
    lines_.fail("the header line \"" + std::string(words_.size() > 1 ? words_[1] : words_[0]) +
                "\" is not understood; only atoms and box sides are supported.");
  }

  void read_atom_count() {
    count_ = lines_.integer(words_[0], "the number of atoms");
    if (count_ < 1 || count_ > std::numeric_limits<std::int32_t>::max()) {
      lines_.fail("the number of atoms should be 1 to 2147483647.");
    }
  }

  void read_type_count() {
    types_ = lines_.integer(words_[0], "the number of atom types");
    if (types_ < 1 || types_ > 65535) lines_.fail("the number of atom types should be 1 to 65535.");
    mass_.assign(static_cast<std::size_t>(types_), 0.0);
  }

  void read_side() {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names{
        {{"xlo", "xhi"}, {"ylo", "yhi"}, {"zlo", "zhi"}}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::pair(words_[2], words_[3]) == names[axis]) return set_side(axis);
    }
    lines_.fail("the header line is not understood; box sides are given as \"low high xlo xhi\".");
  }

  void set_side(std::size_t axis) {
    double const low = lines_.number(words_[0], "the box's lower side");
    double const high = lines_.number(words_[1], "the box's upper side");
    if (!(low < high)) lines_.fail("the box's lower side should be below its upper side.");
    double* const lows[] = {&all_.box.low.x, &all_.box.low.y, &all_.box.low.z};
    double* const highs[] = {&all_.box.high.x, &all_.box.high.y, &all_.box.high.z};
    *lows[axis] = low;
    *highs[axis] = high;
    side_given_[axis] = true;
  }

  void read_section(std::string const& name) {
    if (count_ == 0) lines_.fail("the section " + name + " comes before the header line \"N atoms\".");
    if (types_ == 0) lines_.fail("the section " + name + " comes before the header line \"N atom types\".");
    if (name == "Masses") return read_masses();
    if (name == "Pair Coeffs") return read_parameters();
    if (name == "Atoms") return read_atoms(words_of(comment_));
    if (name == "Velocities") return read_velocities();
    lines_.fail("the section " + name + " is not supported.");
  }

  void need_line(std::string_view section, std::int64_t i, std::int64_t of) {
    if (next_words()) return;
    lines_.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(of) + " lines of " +
                std::string(section) + ".");
  }

  void need_columns(std::size_t least, std::string_view section) {
    if (words_.size() >= least) return;
    lines_.fail("a line of " + std::string(section) + " should have at least " + std::to_string(least) +
                " columns but has " + std::to_string(words_.size()) + ".");
  }

  std::size_t type_in(std::string_view word) {
    auto const type = lines_.integer(word, "the atom type");
    if (type < 1 || type > types_)
      lines_.fail("the atom type should be 1 to " + std::to_string(types_) + ".");
    return static_cast<std::size_t>(type - 1);
  }

  void read_masses() {
    for (std::int64_t i = 0; i < types_; ++i) {
      need_line("Masses", i, types_);
      need_columns(2, "Masses");
      double const mass = lines_.number(words_[1], "the mass");
      if (mass <= 0) lines_.fail("the mass should be positive.");
      mass_[type_in(words_[0])] = mass;
    }
  }

  void read_parameters() {
    for (std::int64_t i = 0; i < types_; ++i) {
      need_line("Pair Coeffs", i, types_);
      need_columns(3, "Pair Coeffs");
      type_in(words_[0]);
      lennard_jones const lj{lines_.number(words_[1], "epsilon"), lines_.number(words_[2], "sigma")};
      if (lj.epsilon < 0 || lj.sigma <= 0) lines_.fail("epsilon should not be negative and sigma positive.");
      if (all_.parameters && *all_.parameters != lj) {
        lines_.fail("all types must share one epsilon and sigma, but these differ from the line before.");
      }
      all_.parameters = lj;
    }
  }

  /// How many columns stand before the type: 1 (id) in style charge, 2 (id, molecule) in style full.
  std::size_t columns_before_type(words const& hint) {
    if (!hint.empty() && hint[0] == "charge") return 1;
    if (!hint.empty() && hint[0] == "full") return 2;
    if (!hint.empty()) lines_.fail("the atom style " + std::string(hint[0]) + " is not charge or full.");
    if (words_.size() == 6 || words_.size() == 9) return 1;
    if (words_.size() == 7 || words_.size() == 10) return 2;
    lines_.fail("a line of Atoms has " + std::to_string(words_.size()) +
                " columns, which is neither atom style charge (6 or 9) nor full (7 or 10).");
  }

  void read_atoms(words const& hint) {
    if (all_.size() > 0) lines_.fail("the section Atoms is there twice.");
    for (std::int64_t i = 0; i < count_; ++i) {
      need_line("Atoms", i, count_);
      read_atom(columns_before_type(hint));
    }
  }

  void read_atom(std::size_t before) {
    std::size_t const columns = before + 5;
    if (words_.size() != columns && words_.size() != columns + 3) {
      lines_.fail("a line of Atoms should have " + std::to_string(columns) + " or " +
                  std::to_string(columns + 3) + " columns but has " + std::to_string(words_.size()) + ".");
    }
    auto const id = lines_.integer(words_[0], "the atom's id");
    if (!index_.emplace(id, all_.size()).second) {
      lines_.fail("the atom id " + std::to_string(id) + " is there twice.");
    }
    vec3 const position{lines_.number(words_[before + 2], "x"), lines_.number(words_[before + 3], "y"),
                        lines_.number(words_[before + 4], "z")};
    add_atom(all_, id, static_cast<std::uint16_t>(type_in(words_[before])), position, {},
             lines_.number(words_[before + 1], "the charge"), 0.0);
  }

  void read_velocities() {
    if (all_.size() == 0) lines_.fail("the section Velocities comes before the section Atoms.");
    for (std::int64_t i = 0; i < count_; ++i) {
      need_line("Velocities", i, count_);
      need_columns(4, "Velocities");
      auto const found = index_.find(lines_.integer(words_[0], "the atom's id"));
      if (found == index_.end()) lines_.fail("there is no atom with the id " + std::string(words_[0]) + ".");
      all_.velocity[found->second] = {lines_.number(words_[1], "vx"), lines_.number(words_[2], "vy"),
                                      lines_.number(words_[3], "vz")};
    }
  }

  void need_mass(std::size_t type) {
    if (mass_[type] > 0) return;
    lines_.fail("the file ends without a mass for atom type " + std::to_string(type + 1) + ".");
  }

  void finish() {
    if (all_.size() == 0) lines_.fail("the file ends without the section Atoms.");
    if (!(side_given_[0] && side_given_[1] && side_given_[2])) {
      lines_.fail("the file ends without all of the box's sides (xlo xhi, ylo yhi, zlo zhi).");
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      need_mass(all_.type[i]);
      all_.mass[i] = mass_[all_.type[i]];
    }
    for (double const mass : mass_) all_.type_name.push_back(element_of_mass(mass));
    order_by_id();
  }

  void order_by_id() {
    std::vector<std::uint32_t> order(all_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return all_.id[a] < all_.id[b]; });
    all_ = reordered(all_, order);
  }

  text_lines lines_;
  words words_;
  std::string_view comment_;
  atoms all_;
  std::int64_t count_ = 0, types_ = 0;
  std::vector<double> mass_;
  std::array<bool, 3> side_given_{};
  std::unordered_map<std::int64_t, std::size_t> index_;
};

}  // namespace

atoms read_lammps_data(std::string const& path) { return data_reader(path).read(); }

}  // namespace ballast::md
