// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// A program of kernels that nobody would write: counters, loops of all forms within each other, branches and
/// pointers, in a row of 16 elements for each thread. Launched, it prints a line for each kernel. The same
/// seed gives the same program.
class random_program {
 public:
  random_program(std::uint32_t seed, int kernels);

  std::string const& text() const { return text_; }

 private:
  using words = std::vector<std::string>;

  int below(int bound) { return int(random_() % std::uint32_t(bound)); }
  bool with_chance(int percent) { return below(100) < percent; }
  std::string one_of(words const& all) { return all[std::size_t(below(int(all.size())))]; }
  std::string number(int least, int most) { return std::to_string(least + below(most - least + 1)); }
  std::string counter() { return one_of({"i", "j"}); }

  std::string kernel(int number);
  std::string statement(int depth);
  std::string expression();
  std::string assignment();
  std::string branch(int depth);
  std::string loop(int depth);
  std::string loop_body(std::string const& counted, int depth);
  std::string access();
  std::string last_write();

  std::mt19937 random_;
  std::string text_;
  int guards_ = 0;  ///< that end loops whose counter their body may set back
};

}  // namespace ballast::mesicc
