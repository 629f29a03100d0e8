// SPDX-License-Identifier: Apache-2.0
#include "md/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured_log.hpp"
#include "complaint.hpp"
#include "file_size_limit.hpp"
#include "folder_test.hpp"
#include "md/atoms.hpp"
#include "md/gaussian_system.hpp"
#include "systems.hpp"

namespace ballast::md::trajectory_test {
namespace {

using test::complaint;
using test::content_of;

using md_trajectory = test::folder_test;

TEST_F(md_trajectory, reads_back_the_frames_that_were_appended_bit_for_bit) {
  auto first = gaussian_system(50);
  draw_velocities(first, 30, 1);
  first.box = {{-100, -100, -100}, {156, 156, 156}};  // sums of low and length are exact here
  auto second = first;
  second.position[7].x += 1.0 / 3;
  append_frame(folder.file("t.xyz"), first, 0, 0, boundary::open);
  append_frame(folder.file("t.xyz"), second, 10, 20.5, boundary::periodic);
  auto const frames = read_frames(folder.file("t.xyz"));
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0], (frame{first, 0, 0.0, boundary::open}));
  EXPECT_EQ(frames[1], (frame{second, 10, 20.5, boundary::periodic}));
  EXPECT_EQ(read_xyz(folder.file("t.xyz")), first);
}

TEST_F(md_trajectory, reads_back_the_time_of_a_run_of_microseconds) {
  append_frame(folder.file("t.xyz"), s64(), 600'000'000, 1.2e9, boundary::open);
  EXPECT_EQ(read_frames(folder.file("t.xyz"))[0].time, 1.2e9);
}

TEST_F(md_trajectory, writes_atoms_in_order_of_their_ids) {
  auto const all = s64();
  auto const reversed = reversed_order(64);
  append_frame(folder.file("a.xyz"), all, 0, 0, boundary::open);
  append_frame(folder.file("b.xyz"), reordered(all, reversed), 0, 0, boundary::open);
  EXPECT_EQ(content_of(folder.file("a.xyz")), content_of(folder.file("b.xyz")));
}

TEST_F(md_trajectory, reads_plain_xyz_with_masses_of_the_elements_and_no_box) {
  auto const all =
      read_xyz(folder.file("p.xyz", "3\nwhatever is written here\nHe 0 0 0\nAr 1 2 3\nHe 4 5 6\n"));
  EXPECT_EQ(all.mass, (std::vector<double>{helium_mass, 39.95, helium_mass}));
  EXPECT_EQ(all.type, (std::vector<std::uint16_t>{0, 1, 0}));
  EXPECT_EQ(all.charge, (std::vector<double>(3, 0.0)));
  EXPECT_FALSE(all.box_is_given);
  EXPECT_FALSE(all.parameters);
  EXPECT_EQ(all.box, (bounds{{0, 0, 0}, {4, 5, 6}}));
}

TEST_F(md_trajectory, reads_properties_in_any_order_and_warns_of_those_it_does_not_know) {
  test::captured_log const log;
  auto const all = read_xyz(folder.file("e.xyz",
                                        "1\npbc=\"T T T\" Lattice=\"10 0 0 0 11 0 0 0 12\" "
                                        "Properties=charge:R:1:forces:R:3:velo:R:3:species:S:1:pos:R:3:mass:"
                                        "R:1 note=\"two words\" epsilon=0.5 sigma=3\n"
                                        "0.25 9 9 9 0.1 0.2 0.3 Unobtainium 1 2 3 40.5\n"));
  EXPECT_EQ(all.charge[0], 0.25);
  EXPECT_EQ(all.velocity[0], (vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(all.position[0], (vec3{1, 2, 3}));
  EXPECT_EQ(all.mass[0], 40.5);
  EXPECT_EQ(all.type_name[0], "Unobtainium");
  EXPECT_EQ(all.box, (bounds{{0, 0, 0}, {10, 11, 12}}));
  EXPECT_EQ(all.parameters, (lennard_jones{0.5, 3}));
  EXPECT_EQ(log.lines(), folder.file("e.xyz") + ", line 2: these columns are not used: forces." +
                             folder.file("e.xyz") + ", line 2: these keys are not used: note.");
}

TEST_F(md_trajectory, warns_once_of_columns_that_no_property_names) {
  test::captured_log const log;
  auto const file =
      folder.file("v.xyz", "2\n\nHe 0 0 0 0.1 0 0\nHe 3 0 0 0 0.2 0\n2\n\nHe 0 0 0 1\nHe 3 0 0\n");
  EXPECT_EQ(read_frames(file).size(), 2u);
  EXPECT_EQ(log.lines(), file +
                             ", line 3: what follows the first 4 columns is not used; Properties would say "
                             "what it is.");
}

TEST_F(md_trajectory, warns_of_nothing_in_what_it_wrote) {
  test::captured_log const log;
  auto all = s64();
  all.parameters = lennard_jones{0.5, 3};
  append_frame(folder.file("t.xyz"), all, 0, 0, boundary::periodic);
  EXPECT_EQ(read_first_frame(folder.file("t.xyz")).edges, boundary::periodic);
  EXPECT_EQ(log.lines(), "");
}

TEST_F(md_trajectory, takes_no_edges_from_a_pbc_that_a_run_cannot_have) {
  test::captured_log const log;
  EXPECT_FALSE(read_first_frame(folder.file("t.xyz", "1\npbc=\"T T F\"\nHe 0 0 0\n")).edges);
  EXPECT_THAT(log.lines(), testing::HasSubstr("line 2: these keys are not used: pbc."));
}

// An atom of 1 amu whose momentum is 1 sqrt(amu eV) has a kinetic energy of 0.5 eV, and 1 eV is 23.060548
// kcal/mol.
TEST_F(md_trajectory, reads_momenta_and_initial_charges_as_ase_writes_them) {
  test::captured_log const log;
  auto const all = read_xyz(folder.file("ase.xyz",
                                        "2\nProperties=species:S:1:pos:R:3:momenta:R:3:masses:R:1:"
                                        "initial_charges:R:1 pbc=\"F F F\"\n"
                                        "H 0 0 0 0 -1 0 1 0.5\nHe 3 0 0 0.1 0 8 4 -0.5\n"));
  EXPECT_EQ(all.charge, (std::vector<double>{0.5, -0.5}));
  EXPECT_NEAR(all.velocity[0].y, -0.0982269475, 1e-10);  // A/fs
  EXPECT_NEAR(all.velocity[1].z, 2 * 0.0982269475, 1e-10);
  EXPECT_NEAR(all.velocity[1].x, 0.1 / 4 * 0.0982269475, 1e-10);
  atoms first = reordered(all, {0});
  EXPECT_NEAR(kinetic_energy(first), 0.5 * 23.060548, 1e-5);
  EXPECT_EQ(log.lines(), "");
}

TEST_F(md_trajectory, is_read_behind_a_byte_order_mark) {
  EXPECT_EQ(read_xyz(folder.file("bom.xyz",
                                 "\xef\xbb\xbf"
                                 "1\n\nHe 0 0 0\n"))
                .size(),
            1u);
}

struct flaw {
  std::string name, text, complaint;
};

class md_malformed_xyz : public test::folder_test, public testing::WithParamInterface<flaw> {};

TEST_P(md_malformed_xyz, is_refused_in_one_sentence_that_names_file_and_line) {
  auto const path = folder.file("flawed.xyz", GetParam().text);
  auto const said = complaint([&] { read_frames(path); });
  EXPECT_THAT(said, testing::HasSubstr(GetParam().complaint));
  EXPECT_THAT(said, testing::StartsWith(path));
  EXPECT_THAT(said, testing::EndsWith("."));
}

INSTANTIATE_TEST_SUITE_P(
    each, md_malformed_xyz,
    testing::Values(
        flaw{"empty", "", "holds no frame"}, flaw{"blank", "\n\n", "holds no frame"},
        flaw{"no_comment_line", "1\n", "line 1: the file ends where a frame's comment line"},
        flaw{"cut_off", "2\n\nHe 0 0 0\n", "line 3: the file ends after 1 of 2 atoms"},
        flaw{"second_frame_cut_off", "1\n\nHe 0 0 0\n2\n\nHe 0 0 0\n", "line 6: the file ends after 1 of 2"},
        flaw{"an_atom_too_many", "1\n\nHe 0 0 0\n\nHe 0 0 3\n",
             "line 5: more follows than the 1 atoms announced"},
        flaw{"no_atoms", "0\n\n", "should be 1 to"}, flaw{"a_word", "two\n\n", "whole number but is \"two\""},
        flaw{"a_huge_count", "99999999999999999999\n\n", "whole number"},
        flaw{"count_beyond_the_file", "2000000000\n\nHe 0 0 0\n", "after 1 of 2000000000 atoms"},
        flaw{"more_than_a_count", "2 atoms\n\n", "alone on a line"},
        flaw{"too_few_columns", "1\n\nHe 0 0\n", "should have 4 columns but has 3"},
        flaw{"not_a_number", "1\n\nHe 0 nan 0\n", "the position should be a finite number"},
        flaw{"infinite", "1\n\nHe 0 0 -inf\n", "the position should be a finite number"},
        flaw{"beyond_all_bounds", "1\n\nHe 0 0 1e10\n", "within 1e9"},
        flaw{"unknown_species", "1\n\nQq 0 0 0\n", "mass of the species Qq is not known"},
        flaw{"no_position", "1\nProperties=species:S:1\nHe\n", "should contain pos:R:3"},
        flaw{"broken_properties", "1\nProperties=species:S:1:pos\nHe 0 0 0\n", "name:type:columns"},
        flaw{"wrong_width", "1\nProperties=species:S:1:pos:R:2\nHe 0 0\n", "should be pos:R:3"},
        flaw{"tilted", "1\nLattice=\"9 1 0 0 9 0 0 0 9\"\nHe 0 0 0\n", "orthogonal"},
        flaw{"flat", "1\nLattice=\"9 0 0 0 9 0 0 0 0\"\nHe 0 0 0\n", "positive length"},
        flaw{"short_lattice", "1\nLattice=\"9 9 9\"\nHe 0 0 0\n", "nine numbers"},
        flaw{"a_no_break_space", "1\n\nHe 3\xc2\xa0 0 0\n",
             "line 3: the position should be a number but is \"3\\xc2\\xa0\"."},
        flaw{"another_minus",
             "1\n\nHe \xe2\x88\x92"
             "3 0 0\n",
             "but is \"\\xe2\\x88\\x923\"."},
        flaw{"the_same_id_twice", "2\nProperties=pos:R:3:mass:R:1:id:I:1\n0 0 0 1 7\n3 0 0 1 7\n",
             "line 4: the atom id 7 is there twice"},
        flaw{"a_key_twice", "1\nsigma=2 sigma=3\nHe 0 0 0\n", "line 2: the key sigma is there twice"},
        flaw{"a_property_twice", "1\nProperties=pos:R:3:pos:R:3\n0 0 0 0 0 0\n",
             "property pos is there twice"},
        flaw{"charges_by_two_names",
             "1\nProperties=species:S:1:pos:R:3:charge:R:1:initial_charges:R:1\nHe 0 0 0 1 2\n",
             "property initial_charges is there twice"},
        flaw{"velocities_and_momenta",
             "1\nProperties=species:S:1:pos:R:3:velo:R:3:momenta:R:3\nHe 0 0 0 1 1 1 2 2 2\n",
             "not contain both velo and momenta"},
        flaw{"massless", "1\nProperties=species:S:1:pos:R:3:mass:R:1\nHe 0 0 0 0\n",
             "mass should be positive"}),
    [](auto const& each) { return each.param.name; });

TEST_F(md_trajectory, is_refused_as_a_beginning_if_atoms_follow_that_were_not_announced) {
  auto const path = folder.file("more.xyz", "1\n\nHe 0 0 0\nHe 0 0 3\n");
  EXPECT_THAT(complaint([&] { read_xyz(path); }), testing::HasSubstr("more.xyz, line 4: more follows"));
}

TEST_F(md_trajectory, serves_as_a_beginning_even_if_a_later_frame_is_cut_off) {
  auto const path = folder.file("cut.xyz", "1\n\nHe 0 0 0\n1\n\nHe 0");
  EXPECT_EQ(read_xyz(path).size(), 1u);
}

TEST_F(md_trajectory, says_why_where_no_frame_can_be_written) {
  auto const missing = folder.file("missing/t.xyz");
  EXPECT_EQ(complaint([&] { append_frame(missing, s64(), 0, 0, boundary::open); }),
            "cannot write " + missing + ": No such file or directory");
  EXPECT_EQ(complaint([&] { append_frame("/dev/full", s64(), 0, 0, boundary::open); }),
            "cannot write /dev/full: No space left on device");
}

TEST_F(md_trajectory, keeps_no_part_of_a_frame_that_has_no_room) {
  auto const file = folder.file("t.xyz");
  append_frame(file, s64(), 0, 0, boundary::open);
  auto const whole = content_of(file);
  {
    test::file_size_limit const limit(whole.size() + 1000);
    EXPECT_EQ(complaint([&] { append_frame(file, s64(), 1, 2, boundary::open); }),
              "cannot write " + file + ": File too large");
  }
  EXPECT_EQ(content_of(file), whole);
}

TEST(md_element, knows_the_noble_gases_both_ways) {
  for (auto const* symbol : {"He", "Ne", "Ar", "Kr", "Xe"}) {
    ASSERT_TRUE(mass_of_element(symbol));
    EXPECT_EQ(element_of_mass(*mass_of_element(symbol)), symbol);
  }
  EXPECT_FALSE(mass_of_element("Qq"));
  EXPECT_EQ(element_of_mass(1000), "X");
}

}  // namespace
}  // namespace ballast::md::trajectory_test
