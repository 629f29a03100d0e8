// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "ballast/resident/compiled_kernels.hpp"

namespace ballast::inline resident {

/// Puts the tasks into start_order(), if any has a cost, and into the form in which they travel, in place of
/// what `into` held. Throws like compiled_kernels::record_of().
void prepare(compiled_kernels const& kernels, std::span<task const> tasks, std::vector<task_record>& into);

/// Tasks that were checked against a list and put into the form in which they travel: for programs that
/// submit the same tasks again and again. Immutable; the list must outlive it.
class prepared_tasks {
 public:
  prepared_tasks() = default;
  /// By prepare().
  prepared_tasks(compiled_kernels const& kernels, std::span<task const> tasks);

  compiled_kernels const* kernels() const { return kernels_; }
  std::span<task_record const> records() const { return records_; }
  bool has_grids() const;
  /// The same without grid tasks: each of their blocks is a task in the list.
  prepared_tasks expand_grids() const;

 private:
  compiled_kernels const* kernels_ = nullptr;
  std::vector<task_record> records_;
};

}  // namespace ballast::inline resident
