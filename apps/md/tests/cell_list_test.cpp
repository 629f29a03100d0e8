// SPDX-License-Identifier: Apache-2.0
#include "md/cell_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ballast/error.hpp"
#include "complaint.hpp"
#include "md/gaussian_system.hpp"
#include "md/reference.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

using test::complaint;

cell_list cells_of(atoms const& all, double reach, boundary edges = boundary::open) {
  return make_cell_list(all.position, grid_for(all.position, all.box, reach, edges));
}

double nearest(double d, double period) { return d - period * std::round(d / period); }

bool in_range(atoms const& all, force_field const& field, std::size_t i, std::size_t j) {
  vec3 d{all.position[i].x - all.position[j].x, all.position[i].y - all.position[j].y,
         all.position[i].z - all.position[j].z};
  if (field.edges == boundary::periodic)
    d = {nearest(d.x, all.box.length(0)), nearest(d.y, all.box.length(1)), nearest(d.z, all.box.length(2))};
  return d.x * d.x + d.y * d.y + d.z * d.z < field.cutoff * field.cutoff;
}

/// Ordered pairs within the cut-off, found through the cells.
std::int64_t pairs_by_cells(atoms const& all, force_field const& field, cell_list const& cells) {
  std::int64_t found = 0;
  for (std::uint32_t slot = 0; slot < all.size(); ++slot) {
    cells.grid.for_each_range_around(cells.cell[slot], [&](std::int32_t first, std::int32_t last) {
      for (auto other = cells.start[std::size_t(first)]; other < cells.start[std::size_t(last) + 1];
           ++other) {
        found += other != slot && in_range(all, field, cells.atom[slot], cells.atom[other]);
      }
    });
  }
  return found;
}

void expect_every_pair_once(atoms const& all, double cutoff, boundary edges) {
  force_field const field{helium_parameters, cutoff, potential::truncated, edges};
  auto const cells = cells_of(all, cutoff, edges);
  EXPECT_EQ(pairs_by_cells(all, field, cells), 2 * reference_forces(all, field).sum.pairs)
      << cells.grid.n[0] << " x " << cells.grid.n[1] << " x " << cells.grid.n[2] << " cells";
}

TEST(md_cell_list, finds_every_pair_of_an_open_system_once) {
  expect_every_pair_once(gaussian_system(1024), 12, boundary::open);
  expect_every_pair_once(s64(), 8, boundary::open);
  expect_every_pair_once(s64(), 3, boundary::open);
  expect_every_pair_once(scattered(500, {30, 20, 10}, 1), 4, boundary::open);
}

TEST(md_cell_list, finds_every_pair_of_a_periodic_system_once_however_few_cells_a_side_has) {
  for (double const side : {8.0, 9.0, 12.5, 16.0, 21.0}) {  // 2, 2, 3, 4 and 5 cells of 4 Angstrom
    expect_every_pair_once(scattered(300, {side, 8.5, 12.0}, 7), 4, boundary::periodic);
    expect_every_pair_once(scattered(300, {8.0, side, 17.0}, 8), 4, boundary::periodic);
    expect_every_pair_once(scattered(300, {13.0, 8.0, side}, 9), 4, boundary::periodic);
  }
  expect_every_pair_once(scattered(100, {4.0, 4.0, 4.0}, 4), 2, boundary::periodic);
}

TEST(md_cell_list, has_a_single_cell_when_the_reach_exceeds_the_box) {
  auto const all = scattered(50, {5, 5, 5}, 2);
  auto const cells = cells_of(all, 6, boundary::periodic);
  EXPECT_EQ(cells.grid.cells(), 1);
  EXPECT_EQ(cells.atoms_in(0), 50u);
  int ranges = 0;
  cells.grid.for_each_range_around(0, [&](auto...) { ++ranges; });
  EXPECT_EQ(ranges, 1);
}

TEST(md_cell_list, keeps_every_atom_once_and_in_the_given_order_within_a_cell) {
  auto const all = gaussian_system(3000);
  auto const cells = cells_of(all, 12);
  std::set<std::uint32_t> const seen(cells.atom.begin(), cells.atom.end());
  EXPECT_EQ(seen.size(), 3000u);
  for (std::int32_t c = 0; c < cells.grid.cells(); ++c) {
    auto const begin = cells.atom.begin() + cells.start[std::size_t(c)];
    EXPECT_TRUE(std::is_sorted(begin, begin + cells.atoms_in(c)));
  }
}

TEST(md_cell_list, made_again_from_atoms_in_slot_order_changes_nothing) {
  auto const all = gaussian_system(3000);
  auto const once = cells_of(all, 12);
  auto const sorted = reordered(all, once.atom);
  auto const again = cells_of(sorted, 12);
  EXPECT_TRUE(std::ranges::is_sorted(again.atom));
  EXPECT_EQ(again.start, once.start);
}

TEST(md_cell_list, encloses_atoms_that_left_an_open_box) {
  auto all = s64();
  all.position[0] = {100, -50, 7};
  expect_every_pair_once(all, 8, boundary::open);
}

TEST(md_cell_list, stays_affordable_when_two_atoms_are_very_far_apart) {
  auto const grid =
      grid_for({{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}}, {{0, 0, 0}, {1, 1, 1}}, 1.0, boundary::open);
  EXPECT_LE(grid.cells(), 8 * 2 + 4096);
  EXPECT_GE(grid.edge[0], 1.0);
}

TEST(md_cell_list, refuses_atoms_at_the_same_place_and_names_them) {
  auto all = s64();
  all.position[40] = all.position[11];
  auto const cells = cells_of(all, 8);
  auto const text = complaint([&] { check_no_coincident_atoms(all, cells); });
  EXPECT_THAT(text, testing::HasSubstr("atoms 12 and 41 are at the same place"));
  auto const sound = s64();
  EXPECT_NO_THROW(check_no_coincident_atoms(sound, cells_of(sound, 8)));
}

TEST(md_cell_list, refuses_a_reach_of_zero) {
  EXPECT_THROW(grid_for({{0, 0, 0}}, {{0, 0, 0}, {1, 1, 1}}, 0, boundary::open), bad_argument);
}

TEST(md_cell_list, wraps_positions_into_the_box_whatever_the_rounding) {
  bounds const box{{-1, 0, 2}, {4, 10, 3}};
  std::vector<vec3> at{{-1, 0, 2}, {4, 10, 3}, {4 - 1e-17, -1e-17, 2 - 1e-17}, {104.5, -1000, 7.25}};
  wrap_into(at, box);
  for (auto const& p : at) EXPECT_TRUE(p.x >= -1 && p.x < 4 && p.y >= 0 && p.y < 10 && p.z >= 2 && p.z < 3);
  EXPECT_EQ(at[0], (vec3{-1, 0, 2}));
  EXPECT_EQ(at[3], (vec3{-0.5, 0, 2.25}));
}

TEST(md_solution_order, decomposition_sort_takes_full_boxes_first_and_each_atom_once) {
  auto const all = gaussian_system(5000);
  auto const cells = cells_of(all, 12);
  auto const order = decomposition_order(cells);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 5000u);
  for (std::size_t a = 1; a < order.size(); ++a) {
    auto const before = cells.cell[order[a - 1]], here = cells.cell[order[a]];
    ASSERT_GE(cells.atoms_in(before), cells.atoms_in(here));
    ASSERT_TRUE(before != here || order[a] == order[a - 1] + 1);
    ASSERT_TRUE(cells.atoms_in(before) != cells.atoms_in(here) || before <= here);
  }
}

/// The most in-range pairs of one of `parts` equal slices, over the mean.
double imbalance(std::vector<atom_result> const& per_atom, cell_list const& cells, std::size_t parts) {
  auto const order = decomposition_order(cells);
  std::vector<double> work(parts);
  double total = 0;
  for (std::size_t a = 0; a < order.size(); ++a) {
    auto const pairs = static_cast<double>(per_atom[cells.atom[order[a]]].neighbours);
    work[a * parts / order.size()] += pairs;
    total += pairs;
  }
  return *std::ranges::max_element(work) * static_cast<double>(parts) / total;
}

TEST(md_solution_order, decomposition_sort_is_as_unbalanced_as_published) {
  auto const all = gaussian_system(4096);
  auto const cells = cells_of(all, 12);
  auto const per_atom = reference_forces(all, {}).per_atom;
  EXPECT_NEAR(imbalance(per_atom, cells, 2), 1.556, 0.0006);
  EXPECT_NEAR(imbalance(per_atom, cells, 4), 1.853, 0.0006);
  EXPECT_NEAR(imbalance(per_atom, cells, 8), 1.927, 0.0006);
}

TEST(md_solution_order, a_random_order_is_a_permutation_that_its_seed_decides) {
  auto const order = random_order(1000, 1);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 1000u);
  EXPECT_EQ(order, random_order(1000, 1));
  EXPECT_NE(order, random_order(1000, 2));
  int fixed = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) fixed += order[i] == i;
  EXPECT_LT(fixed, 10);
  EXPECT_TRUE(random_order(0, 1).empty());
}

}  // namespace
}  // namespace ballast::md
