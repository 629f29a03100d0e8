// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

#include "launch_builder.hpp"

namespace ballast::mesicc {

/// A launch that no one would write: small, with writes that mostly can be partitioned, and reads of any
/// kind.
class random_launch {
 public:
  explicit random_launch(std::uint32_t seed);

  launch_model const& model() const { return kernel_.model(); }

 private:
  std::int64_t number(std::int64_t least, std::int64_t most);
  bool chance(int percent) { return number(1, 100) <= percent; }
  expression leaf();
  expression any_index(int depth);
  condition any_condition(int depth);
  expression fitting(expression const& thread, std::int64_t threads);
  void add_arrays();
  void add_statements(int depth);
  void add_statement(int depth);
  void add_write();
  void add_read();
  template <class Body>
  void in_loop(Body const& body);

  std::mt19937 random_;
  std::int64_t rows_, columns_;
  launch_builder kernel_;
  std::vector<built_array> arrays_;
  std::vector<expression> counters_;
  std::vector<expression> scalars_;
};

}  // namespace ballast::mesicc
