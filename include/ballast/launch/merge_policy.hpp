// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ballast/launch/model.hpp"
#include "ballast/launch/named_policy.hpp"

namespace ballast::inline launch {

/// What a decision about merging knows of a kernel that waits to be launched.
struct merge_candidate {
  std::uint32_t blocks = 1;   ///< of its grid, at least 1
  std::int64_t block_ns = 0;  ///< how long one block is expected to run, 0 if that is unknown; at least 0
};

/// What a merge policy sees when it decides. All candidates may run at the same time: none depends on
/// another.
struct merge_view {
  std::span<merge_candidate const> waiting;  ///< in the order of the queue, oldest first
  multiprocessor_count multiprocessors{1};   ///< of the device, at least 1
  std::size_t max_kernels = 64;              ///< that fit into one launch, at least 2
};

/// The kernels of one launch: places in merge_view::waiting, in the order in which their blocks are to begin.
using merge_group = std::vector<std::size_t>;

/// Decides which waiting kernels become one launch. Pure: no clock, no device, no randomness, and nothing is
/// remembered, so the same view gives the same groups and any thread may ask.
class merge_policy {
 public:
  virtual ~merge_policy() = default;

  /// All of view.waiting, each kernel in exactly one group, the groups in the order in which to launch them.
  /// Throws bad_argument ("multiprocessors", "max_kernels", "blocks", "block_ns") for a view outside the
  /// ranges above.
  std::vector<merge_group> group(merge_view const& view) const;

  /// The first of these groups alone, for who launches one at a time; that of the oldest kernel. It replaces
  /// what `first` held, and is empty if nothing waits. Throws likewise.
  void first_group(merge_view const& view, merge_group& first) const;

 private:
  /// At least one kernel waits; `first` is empty.
  virtual void choose_first(merge_view const& view, merge_group& first) const = 0;
};

/// Every merge policy by name; "together" is the default.
std::vector<named_policy> merge_policies();

/// Throws bad_argument ("merge") listing the names.
std::unique_ptr<merge_policy> make_merge_policy(std::string_view name = "together");

/// The blocks of each launch that the groups make of view.waiting, which is what the model asks for.
std::vector<std::uint64_t> blocks_of_launches(merge_view const& view, std::span<merge_group const> groups);

}  // namespace ballast::inline launch
