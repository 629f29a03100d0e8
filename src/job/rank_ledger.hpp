// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "byte_runs.hpp"
#include "job_order.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// Bytes of one array that a rank lacks, and which rank is to send them.
struct rank_exchange {
  array_id array;
  std::uint32_t from = 0, to = 0;
  std::vector<byte_range> bytes{};  ///< ascending, none of them empty

  bool operator==(rank_exchange const&) const = default;
};

/// Which ranks have the current bytes of the arrays. Each rank keeps one, and as all ranks submit the same
/// jobs all ledgers are alike: so each knows what to send without being asked, and what will come. It
/// distinguishes ranks, not places within a rank: those are the directories' matter. Pure; one thread at a
/// time.
class rank_ledger {
 public:
  /// What a rank reads and writes in one step, which is a job or an access of the host.
  using uses_of_rank = std::function<std::vector<array_use>(std::uint32_t rank)>;

  explicit rank_ledger(std::uint32_t ranks);
  ~rank_ledger();

  /// All ranks have its bytes.
  void add(array_id array, std::size_t bytes);
  void forget(array_id array);

  /// What is exchanged before the step, in one order on all ranks: a receiver of bytes may have to send them
  /// on to the next rank, so that what many read spreads as a tree. Afterwards a rank alone has what it
  /// writes.
  std::vector<rank_exchange> step(uses_of_rank const& uses);
  /// All ranks write the same values.
  void record_common_write(array_id array, byte_runs const& bytes);

 private:
  class array_holders;

  std::uint32_t best_source(std::vector<std::uint32_t> const& holders, std::uint32_t to) const;
  void fetch(std::uint32_t rank, array_use const& use, std::vector<rank_exchange>& exchanges);
  void record_arrivals(rank_exchange const& exchange);

  std::uint32_t const ranks_;
  std::vector<std::uint32_t> turns_;  ///< of each rank: when in this step it is free to send, in exchanges
  std::vector<std::unique_ptr<array_holders>> arrays_;  ///< by number; null where one was forgotten
};

}  // namespace ballast::detail
