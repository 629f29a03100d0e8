// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "arrays/coherence_directory.hpp"

namespace ballast::test {
using namespace detail;

inline constexpr place_id host{0}, left{1}, right{2};

/// An array of 100 bytes, at the host and on two devices; each operation is in a stream of its own.
struct coherence_fixture : testing::Test {
  op_id plan(op_kind kind = op_kind::kernel) { return ops.add(kind, {0, streams++}); }
  op_id arrive(place_id from, place_id to, byte_range bytes) {
    auto const copy = plan(op_kind::copy);
    directory.record_arrival(copy, from, to, bytes);
    return copy;
  }
  op_id read(place_id place, byte_range bytes) {
    auto const op = plan();
    directory.record_read(op, place, bytes);
    return op;
  }
  op_id write(place_id place, byte_range bytes) {
    auto const op = plan();
    directory.record_write(op, place, bytes);
    return op;
  }
  op_set const& after(op_id op) const { return ops.at(op).dependencies; }
  void end(op_id op, bool failed = false) {
    ops.mark_issued(op);
    ops.mark_ended(op, failed);
  }

  std::uint32_t streams = 0;
  operations ops;
  coherence_directory directory{100, 3, ops};
};

}  // namespace ballast::test
