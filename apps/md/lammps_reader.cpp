// SPDX-License-Identifier: Apache-2.0
#include "lammps_file.hpp"

#include <unordered_map>
#include <utility>

#include "element.hpp"
#include "lammps_header.hpp"

namespace ballast::md {
namespace {

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
      read_section(section_ = lines_->joined());
    } while (lines_->next());
    finish();
    return std::move(all_);
  }

 private:
  void check_no_surplus_line() {
    if (!lines_->numeric()) return;
    auto const announced = section_ == "Atoms" || section_ == "Velocities" ? atoms_ : types_;
    lines_->fail("the section " + section_ + " has more lines than the " + std::to_string(announced) +
                 " that the header announces.");
  }

  void read_section(std::string const& name) {
    if (name == "Masses") return read_masses();
    if (name == "Pair Coeffs") return read_parameters();
    if (name == "Atoms") return read_atoms(std::string(lines_->hint()));
    if (name == "Velocities") return read_velocities();
    lines_->fail("the section " + name + " is not supported.");
  }

  void need_line(std::int64_t i, std::int64_t of) {
    if (lines_->next()) return;
    lines_->fail("the file ends after " + std::to_string(i) + " of " + std::to_string(of) + " lines of " +
                 section_ + ".");
  }

  void need_columns(std::size_t least) {
    if (columns() >= least) return;
    lines_->fail("a line of " + section_ + " should have at least " + std::to_string(least) +
                 " columns but has " + std::to_string(columns()) + ".");
  }

  std::size_t columns() const { return lines_->words().size(); }

  std::size_t type_in(std::size_t column) {
    auto const type = lines_->integer(column, "the atom type");
    if (type >= 1 && type <= types_) return static_cast<std::size_t>(type - 1);
    lines_->fail("the atom type should be 1 to " + std::to_string(types_) + ".");
  }

  void read_masses() {
    for (std::int64_t i = 0; i < types_; ++i) {
      need_line(i, types_);
      need_columns(2);
      double const mass = lines_->number(1, "the mass");
      if (mass <= 0) lines_->fail("the mass should be positive.");
      mass_[type_in(0)] = mass;
    }
  }

  void read_parameters() {
    for (std::int64_t i = 0; i < types_; ++i) {
      need_line(i, types_);
      need_columns(3);
      type_in(0);
      lennard_jones const lj{lines_->number(1, "epsilon"), lines_->number(2, "sigma")};
      if (lj.epsilon < 0 || lj.sigma <= 0) lines_->fail("epsilon should not be negative and sigma positive.");
      if (all_.parameters && *all_.parameters != lj) {
        lines_->fail("all types must share one epsilon and sigma, but these differ from the line before.");
      }
      all_.parameters = lj;
    }
  }

  /// How many columns stand before the type: 1 (id) in style charge, 2 (id, molecule) in style full.
  std::size_t columns_before_type(std::string const& hint) {
    if (hint == "charge") return 1;
    if (hint == "full") return 2;
    if (!hint.empty()) lines_->fail("the atom style " + hint + " is not charge or full.");
    if (columns() == 6 || columns() == 9) return 1;
    if (columns() == 7 || columns() == 10) return 2;
    lines_->fail("a line of Atoms has " + std::to_string(columns()) +
                 " columns, which is neither atom style charge (6 or 9) nor full (7 or 10).");
  }

  void read_atoms(std::string const& hint) {
    if (all_.size() > 0) lines_->fail("the section Atoms is there twice.");
    for (std::int64_t i = 0; i < atoms_; ++i) {
      need_line(i, atoms_);
      read_atom(columns_before_type(hint));
    }
  }

  void read_atom(std::size_t before) {
    std::size_t const least = before + 5;
    if (columns() != least && columns() != least + 3) {
      lines_->fail("a line of Atoms should have " + std::to_string(least) + " or " +
                   std::to_string(least + 3) + " columns but has " + std::to_string(columns()) + ".");
    }
    auto const id = lines_->integer(0, "the atom's id");
    if (!index_.emplace(id, all_.size()).second) {
      lines_->fail("the atom id " + std::to_string(id) + " is there twice.");
    }
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
      auto const found = index_.find(lines_->integer(0, "the atom's id"));
      if (found == index_.end())
        lines_->fail("there is no atom with the id " + std::string(lines_->word(0)) + ".");
      all_.velocity[found->second] = {lines_->number(1, "vx"), lines_->number(2, "vy"),
                                      lines_->number(3, "vz")};
    }
  }

  void need_mass(std::size_t type) {
    if (mass_[type] > 0) return;
    lines_->fail("the file ends without a mass for atom type " + std::to_string(type + 1) + ".");
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
};

}  // namespace

atoms read_lammps_data(std::string const& path) {
  lammps_lines lines(path);
  auto const header = read_lammps_header(lines);
  return section_reader(lines, header).read();
}

}  // namespace ballast::md
