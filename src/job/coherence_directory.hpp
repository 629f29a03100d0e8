// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "byte_runs.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// Bytes of one set of holders.
struct held_bytes {
  byte_range bytes;
  std::uint32_t places = 0;  ///< a bit for each place_id where they are valid; 0: they are lost

  bool operator==(held_bytes const&) const = default;
};

/// Where the bytes of one array are valid, and which operations touch them at each place: the rules of
/// coherence without any device. State changes when an operation is planned, not when it ends, so that jobs
/// run ahead: what an operation has to wait for is put in its `dependencies` here. At first all bytes are
/// valid at one place.
///
/// Operations are noted in the order of their ids, and before they are issued. Each call that names bytes
/// throws bad_argument ("bytes") beyond the array, ("place") beyond the places; a refused record_... has not
/// changed the directory. One thread at a time.
class coherence_directory {
 public:
  /// `places`: 1 to 32, with the host; throws bad_argument ("places"). `ops` outlives the directory. The
  /// bytes are valid at `first`; throws bad_argument ("place").
  coherence_directory(std::size_t bytes, std::uint32_t places, operations& ops, place_id first = host_place);
  coherence_directory(coherence_directory&&) noexcept;
  ~coherence_directory();

  /// The bytes that are not valid at `place`, ascending, joined.
  std::vector<byte_range> missing(place_id place, byte_range bytes) const;
  /// Ascending, cut so that each piece has one set of holders, as few as that allows.
  std::vector<held_bytes> holders(byte_range bytes) const;

  /// The unfinished operations that touch these bytes at `place`, and those that write them there, in the
  /// form of operation::dependencies.
  op_set users(place_id place, byte_range bytes) const;
  op_set writers(place_id place, byte_range bytes) const;

  /// `copy` brings bytes that are valid at `from`: it comes after what writes them there and after all that
  /// touches them at `to`. They are valid there too then. Throws bad_argument ("bytes") if they are not at
  /// `from`.
  void record_arrival(op_id copy, place_id from, place_id to, byte_range bytes);
  /// `op` reads bytes that are valid at `place`, after what writes them there, and fails if what made them
  /// does, wherever that was. Throws bad_argument ("bytes").
  void record_read(op_id op, place_id place, byte_range bytes);
  /// `op` writes bytes at `place`, after all that touches them there. They are valid nowhere else then, and
  /// lost no more.
  void record_write(op_id op, place_id place, byte_range bytes);

  /// The bytes are no longer kept at `place`. Returns the operations that touch them there and have not
  /// ended, ascending, of each stream the newest: the next user of the memory comes after them. Throws
  /// bad_argument ("bytes") if some of them are valid nowhere else.
  op_set record_eviction(place_id place, byte_range bytes);

  /// `writer` of job `job` has failed: those of the bytes that nothing has written since are lost.
  void record_loss(op_id writer, byte_range bytes, job_number job);
  /// `job` has failed before what was to write the bytes was planned: they are lost.
  void record_unwritten(byte_range bytes, job_number job);
  /// `copy`, which job `job` asked for, has failed, and before anything else is planned: those of the bytes
  /// that nothing has written at `to` since are not valid there. The rest of the places have them as before;
  /// if none has, because they were dropped there meanwhile, they are lost.
  void record_failed_copy(op_id copy, place_id to, byte_range bytes, job_number job);
  /// All that is kept at `place` is gone; what was valid nowhere else is lost by `job`.
  void record_place_loss(place_id place, job_number job);
  /// The job that lost the first lost one of the bytes.
  std::optional<job_number> lost(byte_range bytes) const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast::detail
