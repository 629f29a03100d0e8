// SPDX-License-Identifier: Apache-2.0
#include "rank_ledger.hpp"

#include <algorithm>
#include <utility>

#include "range_map.hpp"

namespace ballast::detail {
namespace {

/// The ranks that have the same bytes, ascending. All ranks are written as an empty list, which would
/// otherwise mean no rank.
using holders = std::vector<std::uint32_t>;

std::uint32_t distance(std::uint32_t one, std::uint32_t other) {
  return one < other ? other - one : one - other;
}

bool lacks(holders const& have, std::uint32_t rank) {
  return !have.empty() && !std::ranges::binary_search(have, rank);
}

void add_bytes(std::vector<byte_range>& to, byte_range more) {
  if (!to.empty() && to.back().end == more.begin)
    to.back().end = more.end;
  else
    to.push_back(more);
}

}  // namespace

class rank_ledger::array_holders {
 public:
  explicit array_holders(std::size_t bytes) : of_bytes(bytes, {}) {}

  range_map<holders> of_bytes;
};

rank_ledger::rank_ledger(std::uint32_t ranks) : ranks_(ranks), turns_(ranks) {}
rank_ledger::~rank_ledger() = default;

void rank_ledger::add(array_id array, std::size_t bytes) {
  if (arrays_.size() <= array.value()) arrays_.resize(array.value() + 1);
  arrays_[array.value()] = std::make_unique<array_holders>(bytes);
}

void rank_ledger::forget(array_id array) { arrays_[array.value()].reset(); }

/// The first that is free, and of those the nearest: ranks of a host have neighbouring numbers.
std::uint32_t rank_ledger::best_source(std::vector<std::uint32_t> const& holders, std::uint32_t to) const {
  return *std::ranges::min_element(
      holders, {}, [&](std::uint32_t rank) { return std::pair(turns_[rank], distance(rank, to)); });
}

void rank_ledger::fetch(std::uint32_t rank, array_use const& use, std::vector<rank_exchange>& exchanges) {
  std::vector<rank_exchange> found;
  use.read.for_each_interval([&](byte_range interval) {
    arrays_[use.array.value()]->of_bytes.visit(interval, [&](byte_range bytes, holders const& have) {
      if (!lacks(have, rank)) return;
      auto const from = best_source(have, rank);
      auto same = std::ranges::find(found, from, &rank_exchange::from);
      if (same == found.end()) same = found.insert(same, {use.array, from, rank});
      add_bytes(same->bytes, bytes);
    });
  });
  for (auto const& exchange : found) record_arrivals(exchange);
  exchanges.insert(exchanges.end(), found.begin(), found.end());
}

void rank_ledger::record_arrivals(rank_exchange const& exchange) {
  turns_[exchange.to] = std::max(turns_[exchange.to], ++turns_[exchange.from]);
  for (auto const bytes : exchange.bytes)
    arrays_[exchange.array.value()]->of_bytes.change(bytes, [&](holders& have) {
      have.insert(std::ranges::lower_bound(have, exchange.to), exchange.to);
      if (have.size() == ranks_) have.clear();
    });
}

// Ranks fetch values from before the step, so all writes come after all reads. A map that throws has changed
// nothing.
std::vector<rank_exchange> rank_ledger::step(uses_of_rank const& uses) {
  std::vector<rank_exchange> exchanges;
  std::vector<std::vector<array_use>> all;
  turns_.assign(ranks_, 0);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) all.push_back(uses(rank));
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    for (auto const& use : all[rank]) fetch(rank, use, exchanges);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    for (auto const& use : all[rank])
      use.written.for_each_interval(
          [&](byte_range bytes) { arrays_[use.array.value()]->of_bytes.assign(bytes, {rank}); });
  return exchanges;
}

void rank_ledger::record_common_write(array_id array, byte_runs const& bytes) {
  bytes.for_each_interval(
      [&](byte_range interval) { arrays_[array.value()]->of_bytes.assign(interval, {}); });
}

}  // namespace ballast::detail
