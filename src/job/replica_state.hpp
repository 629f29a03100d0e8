// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "byte_range.hpp"
#include "ids.hpp"
#include "operations.hpp"
#include "range_map.hpp"

namespace ballast::detail {

/// Which bytes of an array are valid at one place, and which operations touch them there. Bytes that become
/// invalid keep their operations: the memory is still touched. Bytes lie within the array.
class replica_state {
 public:
  replica_state(std::size_t bytes, bool valid)
      : states_(bytes, {.valid = valid, .writer = {}, .readers = {}}) {}

  /// The stretches that are valid, or that are not, ascending, joined.
  std::vector<byte_range> stretches(byte_range bytes, bool valid) const;
  /// What has not ended, as operation::dependencies.
  std::vector<op_id> users(operations const& ops, byte_range bytes) const;
  std::vector<op_id> writers(operations const& ops, byte_range bytes) const;

  /// `op` comes after what writes the bytes, and who writes them next comes after `op`, which fails with a
  /// copy that brings them.
  void record_read(operations& ops, op_id op, byte_range bytes);
  /// `op` comes after all that touches the bytes, which are valid then.
  void record_write(operations& ops, op_id op, byte_range bytes);
  void invalidate(byte_range bytes);
  /// Those that `writer` wrote last. Tells which of them were valid.
  std::vector<byte_range> invalidate_of(op_id writer, byte_range bytes);

 private:
  struct byte_state {
    bool valid = false;
    op_id writer;                ///< a kernel, a copy or the host
    std::vector<op_id> readers;  ///< since then, as operation::dependencies

    bool operator==(byte_state const&) const = default;
  };

  static void depend_on_writer(operations& ops, op_id op, op_id writer);

  range_map<byte_state> states_;
};

}  // namespace ballast::detail
