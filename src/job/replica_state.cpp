// SPDX-License-Identifier: Apache-2.0
#include "replica_state.hpp"

namespace ballast::detail {

std::vector<byte_range> replica_state::stretches(byte_range bytes, bool valid) const {
  std::vector<byte_range> found;
  states_.visit(bytes, [&](byte_range piece, byte_state const& state) {
    if (state.valid != valid) return;
    if (!found.empty() && found.back().end == piece.begin)
      found.back().end = piece.end;
    else
      found.push_back(piece);
  });
  return found;
}

std::vector<op_id> replica_state::users(operations const& ops, byte_range bytes) const {
  std::vector<op_id> found;
  states_.visit(bytes, [&](byte_range, byte_state const& state) {
    ops.add_newest(found, state.writer);
    for (auto const reader : state.readers) ops.add_newest(found, reader);
  });
  return found;
}

std::vector<op_id> replica_state::writers(operations const& ops, byte_range bytes) const {
  std::vector<op_id> found;
  states_.visit(bytes, [&](byte_range, byte_state const& state) { ops.add_newest(found, state.writer); });
  return found;
}

/// What has ended is left out of the states, so that neighbours that differ in that alone become one.
void replica_state::record_read(operations& ops, op_id op, byte_range bytes) {
  states_.change(bytes, [&](byte_state& state) {
    depend_on_writer(ops, op, state.writer);
    if (ops.has_ended(state.writer)) state.writer = {};
    ops.add_newest(state.readers, op);
  });
}

/// Wrong bytes are no failure of the copy that moves them: others of the same copy may be right.
void replica_state::depend_on_writer(operations& ops, op_id op, op_id writer) {
  if (ops.has_ended(writer)) return;
  ops.add_dependency(op, writer);
  if (ops.at(writer).kind == op_kind::copy) ops.add_data_dependency(op, writer);
}

void replica_state::record_write(operations& ops, op_id op, byte_range bytes) {
  for (auto const user : users(ops, bytes)) ops.add_dependency(op, user);
  states_.assign(bytes, {.valid = true, .writer = op, .readers = {}});
}

std::vector<byte_range> replica_state::invalidate_of(op_id writer, byte_range bytes) {
  std::vector<byte_range> found;
  states_.visit(bytes, [&](byte_range piece, byte_state const& state) {
    if (state.valid && state.writer == writer) found.push_back(piece);
  });
  for (auto const piece : found) invalidate(piece);
  return found;
}

void replica_state::invalidate(byte_range bytes) {
  states_.change(bytes, [](byte_state& state) { state.valid = false; });
}

}  // namespace ballast::detail
