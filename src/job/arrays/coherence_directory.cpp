// SPDX-License-Identifier: Apache-2.0
#include "arrays/coherence_directory.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/range_map.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

/// The valid bytes of an array at one place, and the operations that touch them there. Bytes that become
/// invalid keep their operations: the memory is still in use. Bytes lie within the array.
class replica_state {
 public:
  replica_state(std::size_t bytes, bool valid)
      : states_(bytes, {.valid = valid, .writer = {}, .readers = {}}) {}

  /// The stretches that are valid (or invalid), ascending, joined.
  std::vector<byte_range> stretches(byte_range bytes, bool valid) const;
  /// The unfinished operations, in the form of operation::dependencies.
  op_set users(operations const& ops, byte_range bytes) const;
  op_set writers(operations const& ops, byte_range bytes) const;

  /// Makes `op` wait for the writers of the bytes, and the bytes' next writer wait for `op`. `op` fails if a
  /// copy that brings the bytes fails.
  void record_read(operations& ops, op_id op, byte_range bytes);
  /// Makes `op` wait for all operations that touch the bytes, which are valid afterwards.
  void record_write(operations& ops, op_id op, byte_range bytes);
  void invalidate(byte_range bytes);
  /// Invalidates the bytes that `writer` wrote last. Returns those that were valid.
  std::vector<byte_range> invalidate_of(op_id writer, byte_range bytes);

 private:
  struct byte_state {
    bool valid = false;
    op_id writer;    ///< a kernel, a copy or the host
    op_set readers;  ///< since that write, in the form of operation::dependencies

    bool operator==(byte_state const&) const = default;
  };

  static void depend_on_writer(operations& ops, op_id op, op_id writer);

  range_map<byte_state> states_;
};

std::vector<byte_range> replica_state::stretches(byte_range bytes, bool valid) const {
  std::vector<byte_range> found;
  states_.visit(bytes, [&](byte_range piece, byte_state const& state) {
    if (state.valid == valid) append(found, piece);
  });
  return found;
}

op_set replica_state::users(operations const& ops, byte_range bytes) const {
  op_set found;
  states_.visit(bytes, [&](byte_range, byte_state const& state) {
    ops.add_newest(found, state.writer);
    for (auto const reader : state.readers) ops.add_newest(found, reader);
  });
  return found;
}

op_set replica_state::writers(operations const& ops, byte_range bytes) const {
  op_set found;
  states_.visit(bytes, [&](byte_range, byte_state const& state) { ops.add_newest(found, state.writer); });
  return found;
}

/// Omits ended operations from the states, so that neighbours that differ only in these are joined.
void replica_state::record_read(operations& ops, op_id op, byte_range bytes) {
  states_.change(bytes, [&](byte_state& state) {
    depend_on_writer(ops, op, state.writer);
    if (ops.has_ended(state.writer)) state.writer = {};
    ops.add_newest(state.readers, op);
  });
}

/// Makes `op` wait for `writer`, and fail with it if `writer` is a copy. A copy does not fail because it
/// moves wrong bytes: its other bytes may be right.
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

/// The operation that produced the bytes, wherever they lie.
struct byte_origin {
  op_id writer;
  std::optional<job_number> lost_by = std::nullopt;

  bool operator==(byte_origin const&) const = default;
};

[[noreturn]] void throw_bad_bytes(byte_range bytes, std::string_view legal) {
  throw_bad_argument("bytes", std::to_string(bytes.begin) + " to " + std::to_string(bytes.end), legal);
}

std::uint32_t bit_of(std::size_t place) { return std::uint32_t(1) << place; }

std::uint32_t checked_places(std::uint32_t places) {
  if (places < 1 || places > 32) throw_bad_argument("places", places, "1 to 32");
  return places;
}

}  // namespace

class coherence_directory::state {
 public:
  state(std::size_t bytes, std::uint32_t places, operations& operations, place_id first)
      : ops(operations), all(places, replica_state(bytes, false)), origins(bytes, {}), size(bytes) {
    at(first) = replica_state(bytes, true);
  }

  void check(byte_range bytes) const {
    if (!bytes.is_empty() && bytes.end > size)
      throw_bad_bytes(bytes, "within the array's " + std::to_string(size));
  }
  std::size_t checked(place_id place) const {
    if (place.value() < all.size()) return place.value();
    throw_bad_argument("place", place.value(), "below " + std::to_string(all.size()));
  }
  replica_state& at(place_id place) { return all[checked(place)]; }
  replica_state const& at(place_id place) const { return all[checked(place)]; }
  void check_valid(place_id place, byte_range bytes) const;
  void check_valid_elsewhere(place_id place, byte_range bytes) const;
  /// The positions where the set of holders may change, ascending, and the ends of `bytes`.
  std::vector<std::size_t> borders(byte_range bytes) const;
  std::vector<held_bytes> holders(byte_range bytes) const;
  void lose(byte_range bytes, job_number job);

  operations& ops;
  std::vector<replica_state> all;
  range_map<byte_origin> origins;
  std::size_t size;
};

void coherence_directory::state::check_valid(place_id place, byte_range bytes) const {
  check(bytes);
  auto const missing = at(place).stretches(bytes, false);
  if (!missing.empty())
    throw_bad_bytes(missing.front(), "bytes that are valid at place " + std::to_string(place.value()));
}

void coherence_directory::state::check_valid_elsewhere(place_id place, byte_range bytes) const {
  for (auto const& piece : holders(bytes))
    if (piece.places == bit_of(checked(place)))
      throw_bad_bytes(piece.bytes, "bytes that are valid elsewhere too");
}

std::vector<std::size_t> coherence_directory::state::borders(byte_range bytes) const {
  std::vector<std::size_t> found{bytes.begin, bytes.end};
  for (auto const& place : all)
    for (auto const valid : place.stretches(bytes, true)) {
      found.push_back(valid.begin);
      found.push_back(valid.end);
    }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

std::vector<held_bytes> coherence_directory::state::holders(byte_range bytes) const {
  std::vector<held_bytes> pieces;
  if (bytes.is_empty()) return pieces;
  auto const cuts = borders(bytes);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) pieces.push_back({{cuts[i], cuts[i + 1]}, 0});
  for (std::size_t place = 0; place < all.size(); ++place)
    for (auto const valid : all[place].stretches(bytes, true)) {
      auto piece =
          std::ranges::lower_bound(pieces, valid.begin, {}, [](auto const& p) { return p.bytes.begin; });
      for (; piece != pieces.end() && piece->bytes.end <= valid.end; ++piece) piece->places |= bit_of(place);
    }
  return pieces;
}

/// Marks the bytes as lost by the job, except those that an earlier job has lost.
void coherence_directory::state::lose(byte_range bytes, job_number job) {
  origins.change(bytes, [&](byte_origin& origin) {
    if (!origin.lost_by) origin.lost_by = job;
  });
}

coherence_directory::coherence_directory(std::size_t bytes, std::uint32_t places, operations& ops,
                                         place_id first)
    : state_(std::make_unique<state>(bytes, checked_places(places), ops, first)) {}
coherence_directory::coherence_directory(coherence_directory&&) noexcept = default;
coherence_directory::~coherence_directory() = default;

std::vector<byte_range> coherence_directory::missing(place_id place, byte_range bytes) const {
  state_->check(bytes);
  return state_->at(place).stretches(bytes, false);
}

std::vector<held_bytes> coherence_directory::holders(byte_range bytes) const {
  state_->check(bytes);
  return state_->holders(bytes);
}

op_set coherence_directory::users(place_id place, byte_range bytes) const {
  state_->check(bytes);
  return state_->at(place).users(state_->ops, bytes);
}

op_set coherence_directory::writers(place_id place, byte_range bytes) const {
  state_->check(bytes);
  return state_->at(place).writers(state_->ops, bytes);
}

void coherence_directory::record_arrival(op_id copy, place_id from, place_id to, byte_range bytes) {
  auto& target = state_->at(to);
  state_->check_valid(from, bytes);
  state_->at(from).record_read(state_->ops, copy, bytes);
  target.record_write(state_->ops, copy, bytes);
}

void coherence_directory::record_read(op_id op, place_id place, byte_range bytes) {
  state_->check_valid(place, bytes);
  state_->at(place).record_read(state_->ops, op, bytes);
  state_->origins.visit(bytes, [&](byte_range, byte_origin const& origin) {
    state_->ops.add_data_dependency(op, origin.writer);
  });
}

void coherence_directory::record_write(op_id op, place_id place, byte_range bytes) {
  state_->check(bytes);
  auto& written = state_->at(place);
  written.record_write(state_->ops, op, bytes);
  for (auto& other : state_->all)
    if (&other != &written) other.invalidate(bytes);
  state_->origins.assign(bytes, {.writer = op});
}

op_set coherence_directory::record_eviction(place_id place, byte_range bytes) {
  state_->check(bytes);
  state_->check_valid_elsewhere(place, bytes);
  state_->at(place).invalidate(bytes);
  return state_->at(place).users(state_->ops, bytes);
}

void coherence_directory::record_loss(op_id writer, byte_range bytes, job_number job) {
  state_->check(bytes);
  state_->origins.change(bytes, [&](byte_origin& origin) {
    if (origin.writer == writer) origin.lost_by = job;
  });
}

void coherence_directory::record_unwritten(byte_range bytes, job_number job) {
  state_->check(bytes);
  state_->lose(bytes, job);
}

void coherence_directory::record_failed_copy(op_id copy, place_id to, byte_range bytes, job_number job) {
  state_->check(bytes);
  for (auto const missing : state_->at(to).invalidate_of(copy, bytes))
    for (auto const& piece : state_->holders(missing))
      if (piece.places == 0) state_->lose(piece.bytes, job);
}

void coherence_directory::record_place_loss(place_id place, job_number job) {
  byte_range const all{0, state_->size};
  for (auto const& piece : state_->holders(all))
    if (piece.places == bit_of(state_->checked(place))) state_->lose(piece.bytes, job);
  state_->at(place).invalidate(all);
}

std::optional<job_number> coherence_directory::lost(byte_range bytes) const {
  state_->check(bytes);
  std::optional<job_number> found;
  state_->origins.visit(bytes, [&](byte_range, byte_origin const& origin) {
    if (!found) found = origin.lost_by;
  });
  return found;
}

}  // namespace ballast::detail
