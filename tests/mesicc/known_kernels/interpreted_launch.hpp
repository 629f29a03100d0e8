// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// Elements by the variable that they belong to.
using touched_elements = std::map<std::string, std::set<std::int64_t>>;

/// What threads really did.
struct row_accesses {
  touched_elements read_before_written;  ///< by a thread that had not written them itself
  touched_elements written;
};

/// Carries out a model for one thread row after the other, with invented values for what is unknown.
class interpreted_launch {
 public:
  interpreted_launch(launch_model const& model, axis cut, std::vector<std::int64_t> scalars,
                     std::uint32_t seed);

  std::int64_t rows() const { return rows_; }
  row_accesses const& of_row(std::int64_t row) const { return done_.at(std::size_t(row)); }
  /// Of all rows from `first` to before `end`.
  row_accesses of_rows(std::int64_t first, std::int64_t end) const;
  /// Elements of the variable behind an argument; 0 where that is unknown.
  std::int64_t elements(int argument) const;
  /// Which variable an argument is.
  std::string variable(int argument) const;
  std::int64_t offset(int argument) const;
  leaf_values const& leaves() const { return leaves_; }

 private:
  void run_thread(std::int64_t x, std::int64_t y, row_accesses& done);
  void run(std::size_t first, std::size_t end, std::size_t depth);
  void run_loop(std::size_t first, std::size_t end, std::size_t depth);
  std::size_t end_of_loop(std::size_t first, std::size_t end, std::size_t depth) const;
  void carry_out(access const& one);

  launch_model const& model_;
  leaf_values leaves_;
  std::mt19937 random_;
  std::int64_t rows_ = 0;
  std::vector<row_accesses> done_;
  row_accesses* row_ = nullptr;
  touched_elements written_by_thread_;
};

}  // namespace ballast::mesicc
