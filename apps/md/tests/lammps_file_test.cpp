// SPDX-License-Identifier: Apache-2.0
#include "md/lammps_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured_log.hpp"
#include "command_line/text_file.hpp"
#include "complaint.hpp"
#include "folder_test.hpp"
#include "md/gaussian_system.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

using test::complaint;

std::string const head =
    "# a title line\n\n2 atoms\n2 atom types\n0 bonds\n\n-1.5 10 xlo xhi\n0 10 ylo yhi # a comment\n0 12 zlo "
    "zhi\n";
std::string const masses = "\nMasses\n\n1 4.002602\n2 39.95 # argon\n";
std::string const coefficients = "\nPair Coeffs # lj/cut/coul/cut\n\n1 0.02 2.5 12.0\n2 0.02 2.5\n";
std::string const placed = "\nAtoms # charge\n\n7 2 -0.5 1 2 3\n3 1 +0.5 4.0 5e0 6 0 1 -1\n";
std::string const moving = "\nVelocities\n\n3 0.1 0.2 0.3\n7 -1 0 1e-3\n";

using md_lammps_file = test::folder_test;

TEST_F(md_lammps_file, reads_every_section_it_knows) {
  auto const all = read_lammps_data(folder.file("a.data", head + masses + coefficients + placed + moving));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.id, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(all.position[0], (vec3{4, 5, 6}));
  EXPECT_EQ(all.velocity[1], (vec3{-1, 0, 1e-3}));
  EXPECT_EQ(all.charge, (std::vector<double>{0.5, -0.5}));
  EXPECT_EQ(all.mass, (std::vector<double>{4.002602, 39.95}));
  EXPECT_EQ(all.type_name[all.type[0]], "He");
  EXPECT_EQ(all.type_name[all.type[1]], "Ar");
  EXPECT_EQ(all.box, (bounds{{-1.5, 0, 0}, {10, 10, 12}}));
  EXPECT_EQ(all.parameters, (lennard_jones{0.02, 2.5}));
}

TEST_F(md_lammps_file, reads_style_full_and_a_section_without_hint) {
  auto const with_hint = head + masses + "\nAtoms # full\n\n1 1 1 0.1 1 2 3\n2 1 2 0.2 4 5 6\n";
  auto const without = head + masses + "\nAtoms\n\n1 1 1 0.1 1 2 3 0 0 0\n2 1 2 0.2 4 5 6 0 0 0\n";
  EXPECT_EQ(read_lammps_data(folder.file("a.data", with_hint)),
            read_lammps_data(folder.file("b.data", without)));
  EXPECT_FALSE(read_lammps_data(folder.file("a.data")).parameters);
}

TEST_F(md_lammps_file, reads_back_what_it_wrote_bit_for_bit) {
  auto all = gaussian_system(200);
  draw_velocities(all, 50, 3);
  write_lammps_data(folder.file("g.data"), all);
  EXPECT_EQ(read_lammps_data(folder.file("g.data")), all);
}

TEST_F(md_lammps_file, accepts_a_tilt_of_zero) {
  auto const text = "title\n0.0 0 0 xy xz yz\n" + head.substr(head.find("2 atoms")) + masses + placed;
  EXPECT_EQ(read_lammps_data(folder.file("a.data", text)).size(), 2u);
}

TEST_F(md_lammps_file, accepts_windows_line_ends) {
  std::string text;
  for (char const c : head + masses + placed) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read_lammps_data(folder.file("a.data", text)).size(), 2u);
}

TEST_F(md_lammps_file, accepts_a_title_of_units_real_or_of_none_and_a_byte_order_mark) {
  for (std::string const title :
       {"LAMMPS data file via write_data, timestep = 0, units = real", "units real", "the units of work",
        "\xef\xbb\xbf# in other units", "units", "time units = fs, units = real"})
    EXPECT_EQ(read_lammps_data(folder.file("a.data", title + head.substr(head.find('\n')) + masses + placed))
                  .size(),
              2u)
        << title;
}

TEST_F(md_lammps_file, warns_once_of_cutoffs_among_the_coefficients) {
  test::captured_log const log;
  read_lammps_data(
      folder.file("a.data", head + masses + "\nPair Coeffs\n\n1 0.02 2.5 12\n2 0.02 2.5 10\n" + placed));
  EXPECT_EQ(log.lines(),
            folder.file("a.data") + ", line 18: the cutoff 12 of Pair Coeffs is not used; --cutoff says it.");
}

struct flaw {
  std::string name, text, complaint;
};

class md_malformed_lammps_file : public test::folder_test, public testing::WithParamInterface<flaw> {};

TEST_P(md_malformed_lammps_file, is_refused_in_one_sentence_that_names_file_and_line) {
  auto const path = folder.file("flawed.data", GetParam().text);
  auto const said = complaint([&] { read_lammps_data(path); });
  EXPECT_THAT(said, testing::HasSubstr(GetParam().complaint));
  EXPECT_THAT(said, testing::StartsWith(path + ", line "));
  EXPECT_THAT(said, testing::EndsWith("."));
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  return at == text.npos ? "the text to be replaced is missing" : text.replace(at, from.size(), to);
}

std::string const whole = head + masses + coefficients + placed + moving;

INSTANTIATE_TEST_SUITE_P(
    each, md_malformed_lammps_file,
    testing::Values(
        flaw{"cut_off_in_atoms", head + masses + "\nAtoms # charge\n\n7 2 -0.5 1 2 3\n",
             "line 18: the file ends after 1 of 2 lines of Atoms"},
        flaw{"cut_off_in_velocities", head + masses + placed + "\nVelocities\n\n3 0 0 0\n",
             "after 1 of 2 lines of Velocities"},
        flaw{"cut_off_before_atoms", head + masses, "without the section Atoms"},
        flaw{"without_masses", head + placed, "without a mass for atom type"},
        flaw{"a_word_for_a_number", replaced(whole, "4.0 5e0 6", "4.0 five 6"),
             "line 24: y should be a number but is \"five\""},
        flaw{"not_a_number", replaced(whole, "4.0 5e0 6", "nan 5e0 6"), "x should be a finite number"},
        flaw{"infinite", replaced(whole, "4.0 5e0 6", "4.0 5e0 inf"), "z should be a finite number"},
        flaw{"overflowing", replaced(whole, "4.0 5e0 6", "4.0 5e0 1e999"), "z should be a number"},
        flaw{"half_a_number", replaced(whole, "4.0 5e0 6", "4.0 5e0 6x"), "\"6x\""},
        flaw{"too_few_columns", replaced(whole, "7 2 -0.5 1 2 3", "7 2 -0.5 1 2"),
             "should have 6 or 9 columns but has 5"},
        flaw{"too_many_columns", replaced(whole, "7 2 -0.5 1 2 3", "7 2 -0.5 1 2 3 4"), "has 7"},
        flaw{"type_out_of_range", replaced(whole, "7 2 -0.5", "7 3 -0.5"), "atom type should be 1 to 2"},
        flaw{"the_same_id_twice", replaced(whole, "7 2 -0.5", "3 2 -0.5"), "id 3 is there twice"},
        flaw{"the_same_mass_twice", replaced(whole, "2 39.95 # argon", "1 39.95"),
             "line 14: the atom type 1 is there twice in Masses"},
        flaw{"the_same_coefficients_twice", replaced(whole, "2 0.02 2.5", "1 0.02 2.5"),
             "line 19: the atom type 1 is there twice in Pair Coeffs"},
        flaw{"the_same_velocity_twice", replaced(whole, "7 -1 0 1e-3", "3 -1 0 1e-3"),
             "the atom id 3 is there twice in Velocities"},
        flaw{"masses_twice", whole + masses, "the section Masses is there twice"},
        flaw{"a_count_twice", replaced(whole, "0 bonds", "2 atoms"),
             "line 5: the header says the number of atoms twice"},
        flaw{"a_side_twice", replaced(whole, "0 bonds", "0 12 zlo zhi"), "this side of the box twice"},
        flaw{"a_mass_with_more", replaced(whole, "1 4.002602", "1 4.002602 2"),
             "Masses should have 2 columns but has 3"},
        flaw{"a_velocity_with_more", replaced(whole, "7 -1 0 1e-3", "7 -1 0 1e-3 1"),
             "should have 4 columns but has 5"},
        flaw{"coefficients_of_another_style", replaced(whole, "lj/cut/coul/cut", "buck"),
             "pair style buck is not lj/cut"},
        flaw{
            "units_metal",
            replaced(whole, "# a title line", "LAMMPS data file via write_data, timestep = 0, units = metal"),
            "line 1: the title says units = metal, but only files in units real are read"},
        flaw{"units_lj_in_words", replaced(whole, "# a title line", "# in units lj"),
             "line 1: the title says units = lj"},
        flaw{"a_velocity_of_nobody", replaced(whole, "7 -1 0 1e-3", "8 -1 0 1e-3"), "no atom with the id 8"},
        flaw{"no_atoms", replaced(whole, "2 atoms", "0 atoms"), "line 3: the number of atoms should be 1"},
        flaw{"negative_atoms", replaced(whole, "2 atoms", "-2 atoms"), "should be 1 to"},
        flaw{"a_fraction_of_atoms", replaced(whole, "2 atoms", "2.5 atoms"), "whole number but is \"2.5\""},
        flaw{"bonds", replaced(whole, "0 bonds", "1 bonds"), "not understood"},
        flaw{"tilted", replaced(whole, "0 bonds", "0 2 3 xy xz yz"), "tilted boxes"},
        flaw{"a_header_of_six_words", replaced(whole, "0 bonds", "1 atom type per 2 atoms"),
             "line 5: the header line \"1 atom type per 2 atoms\" is not understood"},
        flaw{"an_atom_more_than_announced", replaced(whole, "2 atoms", "1 atoms"),
             "line 24: the section Atoms has more lines than the 1 that the header announces"},
        flaw{"a_mass_more_than_announced", replaced(whole, "2 39.95 # argon", "2 39.95\n3 20.18"),
             "line 15: the section Masses has more lines than the 2 that"},
        flaw{"a_box_turned_over", replaced(whole, "-1.5 10 xlo", "10 -1.5 xlo"), "below its upper side"},
        flaw{"a_side_missing", replaced(whole, "0 12 zlo zhi", ""), "comes before all of the box's sides"},
        flaw{"differing_parameters", replaced(whole, "2 0.02 2.5", "2 0.03 2.5"),
             "must share one epsilon and sigma"},
        flaw{"a_negative_mass", replaced(whole, "39.95", "-39.95"), "mass should be positive"},
        flaw{"an_unknown_section", whole + "\nEllipsoids\n\n1 1 1 1\n",
             "section Ellipsoids is not supported"},
        flaw{"another_style", replaced(whole, "Atoms # charge", "Atoms # atomic"), "atom style atomic"},
        flaw{"section_before_counts", "title\n\nAtoms\n", "before the header line"},
        flaw{"atoms_twice", whole + placed, "there twice"},
        flaw{"binary", std::string("\x7f\x45LF\0\0\1\n\0\3\n", 11), "line"},
        flaw{"empty_but_for_a_title", "title\n", "without the section Atoms"}),
    [](auto const& each) { return each.param.name; });

TEST_F(md_lammps_file, complains_of_a_file_that_is_not_there) {
  auto const missing = folder.file("missing/a.data");
  EXPECT_THAT(complaint([&] { read_lammps_data(missing); }),
              testing::Eq(missing + ": the file cannot be opened."));
  EXPECT_THAT(complaint([&] { read_lammps_data(folder.path()); }), testing::HasSubstr("folder, not a file"));
}

TEST_F(md_lammps_file, cut_off_anywhere_never_yields_a_system_of_another_size) {
  for (std::size_t length = 0; length < whole.size(); ++length) {
    auto const path = folder.file("cut.data", whole.substr(0, length));
    try {
      EXPECT_EQ(read_lammps_data(path).size(), 2u);  // only sections after the atoms may be missing
    } catch (command_line::bad_file const&) {}
  }
}

}  // namespace
}  // namespace ballast::md
