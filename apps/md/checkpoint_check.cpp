// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_check.hpp"

#include <cmath>
#include <string>

#include "ballast/error.hpp"
#include "physics.hpp"
#include "text_file.hpp"

namespace ballast::md {
namespace {

constexpr std::int64_t max_step = 1'000'000'000'000'000'000;  ///< leaves room for those of the next run
constexpr double max_side = 2 * max_coordinate;               ///< an origin and a length within 1e9

void check_length(std::string const& name, std::size_t length, std::size_t atoms) {
  if (length == atoms) return;
  throw_bad_argument("the length of " + name, length, std::to_string(atoms) + ", as of position");
}

void check_lengths(checkpoint const& point) {
  auto const& s = point.state;
  check_length("velocity", s.velocity.size(), s.size());
  check_length("charge", s.charge.size(), s.size());
  check_length("mass", s.mass.size(), s.size());
  check_length("id", s.id.size(), s.size());
  check_length("type", s.type.size(), s.size());
  check_length("rebuilt_at", point.rebuilt_at.size(), s.size());
}

/// A trajectory has the name as one word of a line.
void check_name(std::string const& name, std::size_t type) {
  auto const words = words_of(name);
  bool const is_word = words.size() == 1 && words[0] == name && name.find('\n') == name.npos;
  if (!is_word)
    throw_bad_argument("type_name " + std::to_string(type), "\"" + name + "\"",
                       "one word, without line ends");
}

void check_types(atoms const& all) {
  auto const names = all.type_name.size();
  if (names == 0) throw_bad_argument("the length of type_name", names, "at least 1");
  for (std::size_t type = 0; type < names; ++type) check_name(all.type_name[type], type);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.type[i] < names) continue;
    throw_bad_argument("the type of atom " + std::to_string(all.id[i]), all.type[i],
                       "0 to " + std::to_string(names - 1));
  }
}

void check_side(std::string const& axis, double low, double high) {
  auto const is_sound = [](double side) { return std::abs(side) <= max_side; };
  auto const legal = "a finite coordinate within 2e9 Angstrom";
  if (!is_sound(low)) throw_bad_argument("the lower " + axis + " of box", low, legal);
  if (!is_sound(high)) throw_bad_argument("the upper " + axis + " of box", high, legal);
  if (low > high) throw_bad_argument("the upper " + axis + " of box", high, "the lower side or more");
}

void check_box(bounds const& box) {
  check_side("x", box.low.x, box.high.x);
  check_side("y", box.low.y, box.high.y);
  check_side("z", box.low.z, box.high.z);
}

void check_rebuilt(checkpoint const& point) {
  for (std::size_t i = 0; i < point.rebuilt_at.size(); ++i) {
    auto const& p = point.rebuilt_at[i];
    for (double const x : {p.x, p.y, p.z}) {
      if (std::abs(x) <= max_coordinate) continue;
      throw_bad_argument("rebuilt_at of atom " + std::to_string(point.state.id[i]), x,
                         "a finite coordinate within 1e9 Angstrom");
    }
  }
}

/// They are only kept: a run has those of its force field.
void check_parameters(lennard_jones const& kept) {
  auto const legal = "a finite number within 1e9";
  if (!(std::abs(kept.epsilon) <= max_coordinate))
    throw_bad_argument("the file's epsilon", kept.epsilon, legal);
  if (!(std::abs(kept.sigma) <= max_coordinate)) throw_bad_argument("the file's sigma", kept.sigma, legal);
}

}  // namespace

void check_checkpoint(checkpoint const& point) {
  if (point.step < 0 || point.step > max_step) throw_bad_argument("step", point.step, "0 to 1e18");
  check_lengths(point);
  check_atoms(point.state);
  check_types(point.state);
  check_box(point.state.box);
  if (point.state.parameters) check_parameters(*point.state.parameters);
  check_physics({point.field, point.single_precision, point.all_pairs, point.time_step, point.skin},
                point.state);
  check_rebuilt(point);
}

}  // namespace ballast::md
