// SPDX-License-Identifier: Apache-2.0
#include "lammps_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ballast::md {
namespace {

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
    lines_->fail("the header line \"" + lines_->joined() +
                 "\" is not understood; only atoms, atom types and box sides are supported.");
  }

  void read_atom_count() {
    header_.atoms = lines_->integer(0, "the number of atoms");
    if (header_.atoms >= 1 && header_.atoms <= std::numeric_limits<std::int32_t>::max()) return;
    lines_->fail("the number of atoms should be 1 to 2147483647.");
  }

  void read_type_count() {
    header_.types = lines_->integer(0, "the number of atom types");
    if (header_.types >= 1 && header_.types <= 65535) return;
    lines_->fail("the number of atom types should be 1 to 65535.");
  }

  void read_side() {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names{
        {{"xlo", "xhi"}, {"ylo", "yhi"}, {"zlo", "zhi"}}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::pair(lines_->word(2), lines_->word(3)) == names[axis]) return set_side(axis);
    }
    lines_->fail("the header line is not understood; box sides are given as \"low high xlo xhi\".");
  }

  void check_no_tilt() {
    for (std::size_t i = 0; i < 3; ++i) {
      if (lines_->number(i, "the tilt of the box") == 0) continue;
      lines_->fail("tilted boxes (xy xz yz) are not supported.");
    }
  }

  void set_side(std::size_t axis) {
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
      lines_->fail("the section " + lines_->joined() + " comes before " + missing + ".");
    };
    if (header_.atoms == 0) refuse("the header line \"N atoms\"");
    if (header_.types == 0) refuse("the header line \"N atom types\"");
    if (!(side_given_[0] && side_given_[1] && side_given_[2])) {
      refuse("all of the box's sides (xlo xhi, ylo yhi, zlo zhi) are given");
    }
    return header_;
  }

  lammps_lines* lines_;
  lammps_header header_;
  std::array<bool, 3> side_given_{};
};

}  // namespace

lammps_header read_lammps_header(lammps_lines& lines) { return header_reader(lines).read(); }

}  // namespace ballast::md
