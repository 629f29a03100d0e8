// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ballast/stream.hpp"
#include "plain_shape.hpp"

namespace ballast::detail {

/// What a graph cannot change: how many launches each branch has, and what they are but for the arguments.
struct batch_shape {
  std::uint64_t hash = 0;
  std::vector<std::uint32_t> lengths;  ///< of the branches
  std::vector<plain_shape> launches;   ///< branch after branch
};

struct batched_launch {
  plain_shape what;
  std::span<std::uint32_t const> argument_bytes;
  std::size_t first_address = 0;  ///< of its arguments, among those of all
};

/// Launches of one launch stream, in their order.
struct batch_branch {
  std::uint64_t hash = 0;  ///< of what they are
  std::uint32_t launch_stream = 0;
  std::size_t first = 0;
  std::uint32_t length = 0;
};

/// Plain launches that wait, in branches of one launch stream each, sorted so that the same launches give the
/// same shape whichever launch streams they are of, and launch streams keep their branches from one batch to
/// the next. Refers to the arguments of the submissions. One thread at a time.
class plain_batch {
 public:
  void clear();
  void begin_branch(std::uint32_t launch_stream);
  /// The next launch of the branch that was begun last; `addresses` of its arguments, which are copied.
  void add(described_launch const& added, void* const* addresses);
  /// Sorts the branches: once, after the last add().
  void sort();

  std::size_t launches() const { return launches_.size(); }
  std::span<batch_branch const> branches() const { return branches_; }
  std::span<batched_launch const> of(batch_branch const& one) const {
    return {&launches_[one.first], one.length};
  }
  void* const* arguments_of(batched_launch const& one) const { return &addresses_[one.first_address]; }

  // After sort().
  std::uint64_t hash() const { return hash_; }
  bool has(batch_shape const& shape) const;
  batch_shape shape() const;
  /// The arguments are the batch's.
  std::vector<graph_branch> graph_branches() const;

 private:
  std::vector<batched_launch> launches_;
  std::vector<batch_branch> branches_;
  std::vector<void*> addresses_;
  std::uint64_t hash_ = 0;
};

}  // namespace ballast::detail
