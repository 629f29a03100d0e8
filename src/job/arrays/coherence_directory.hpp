// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "arrays/operations.hpp"

namespace ballast::detail {

/// Bytes with one set of holders.
struct held_bytes {
  byte_range bytes;
  std::uint32_t places = 0;  ///< a bit for each place_id where they are valid; 0: they are lost

  bool operator==(held_bytes const&) const = default;
};

/// The places where the bytes of one array are valid, and the operations that touch them at each place: the
/// rules of coherence without any device. State changes when an operation is planned, not when it ends, so
/// that jobs run ahead: this class fills in an operation's `dependencies`. At first all bytes are valid at
/// one place.
///
/// Operations are recorded in the order of their ids, and before they are issued. Each call that names bytes
/// throws bad_argument ("bytes") beyond the array, ("place") beyond the places; a refused record_... has not
/// changed the directory. One thread at a time.
class coherence_directory {
 public:
  /// `places`: 1 to 32, including the host; throws bad_argument ("places"). `ops` outlives the directory. The
  /// bytes are valid at `first`; throws bad_argument ("place").
  coherence_directory(std::size_t bytes, std::uint32_t places, operations& ops, place_id first = host_place);
  coherence_directory(coherence_directory&&) noexcept;
  ~coherence_directory();

  /// The bytes that are not valid at `place`, ascending, joined.
  std::vector<byte_range> missing(place_id place, byte_range bytes) const;
  /// The places that hold the bytes, ascending, in as few pieces as possible, each with one set of holders.
  std::vector<held_bytes> holders(byte_range bytes) const;

  /// The unfinished operations that touch these bytes at `place`, and those that write them there, in the
  /// form of operation::dependencies.
  op_set users(place_id place, byte_range bytes) const;
  op_set writers(place_id place, byte_range bytes) const;

  /// Records that `copy` brings bytes from `from`, where they are valid, to `to`, where they are valid
  /// afterwards. The copy waits for the bytes' writers at `from` and for all that touches the bytes at `to`.
  /// Throws bad_argument ("bytes") if the bytes are not valid at `from`.
  void record_arrival(op_id copy, place_id from, place_id to, byte_range bytes);
  /// Records that `op` reads bytes that are valid at `place`. `op` waits for the bytes' writers there, and
  /// fails if the operation that produced the bytes fails, wherever that was. Throws bad_argument ("bytes").
  void record_read(op_id op, place_id place, byte_range bytes);
  /// Records that `op` writes bytes at `place`, and waits for all that touches them there. Afterwards the
  /// bytes are valid only there, and no longer lost.
  void record_write(op_id op, place_id place, byte_range bytes);

  /// Records that the bytes are no longer kept at `place`. Returns the unfinished operations that touch them
  /// there, ascending, the newest of each stream: the next user of the memory must wait for them. Throws
  /// bad_argument ("bytes") if some of them are valid nowhere else.
  op_set record_eviction(place_id place, byte_range bytes);

  /// Records that `writer` of job `job` has failed: the bytes that it was to write are lost unless another
  /// operation has written them since.
  void record_loss(op_id writer, byte_range bytes, job_number job);
  /// Records that `job` failed before the operation that should write the bytes was planned: the bytes are
  /// lost.
  void record_unwritten(byte_range bytes, job_number job);
  /// Records that `copy`, which job `job` requested, has failed; call it before planning anything else. Bytes
  /// at `to` that nothing has written since become invalid there. Other places keep their bytes. Bytes that
  /// no place has any more, because they were dropped meanwhile, are lost.
  void record_failed_copy(op_id copy, place_id to, byte_range bytes, job_number job);
  /// Records that all bytes at `place` are gone; `job` has lost those that were valid nowhere else.
  void record_place_loss(place_id place, job_number job);
  /// The job that lost the first of the lost bytes; none if no byte is lost.
  std::optional<job_number> lost(byte_range bytes) const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast::detail
