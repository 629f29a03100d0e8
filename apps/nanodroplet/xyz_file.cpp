// SPDX-License-Identifier: Apache-2.0
#include "xyz_file.hpp"

#include <filesystem>
#include <utility>

#include "ballast/error.hpp"
#include "report/json_value.hpp"

namespace ballast::nanodroplet {
namespace {

std::string line_of(char const* symbol, vec3 at) {
  return std::string(symbol) + " " + seventeen_digits(at.x) + " " + seventeen_digits(at.y) + " " +
         seventeen_digits(at.z) + "\n";
}

}  // namespace

xyz_file::xyz_file(std::string path) : path_(std::move(path)) {
  bool const already_exists = std::filesystem::exists(path_);
  if (!already_exists) out_.open(path_, std::ios::binary);
  if (already_exists || !out_)
    throw_bad_argument("xyz", path_, "a file that is not there, in a folder that is");
}

void xyz_file::add(droplet const& state, std::uint64_t trajectory, double time, double potential) {
  std::string text = std::to_string(state.atoms()) +
                     "\nProperties=species:S:1:pos:R:3 trajectory=" + std::to_string(trajectory) +
                     " time=" + seventeen_digits(time) + " potential=" + seventeen_digits(potential) + "\n";
  for (std::size_t i = 0; i < state.water.size(); ++i)
    text += line_of(i % 3 == 0 ? "O" : "H", state.water[i]);
  for (auto const& bead : state.beads) text += line_of("C", bead);
  out_ << text << std::flush;
  if (!out_) throw error("a frame cannot be written to " + path_);
}

}  // namespace ballast::nanodroplet
