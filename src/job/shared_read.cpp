// SPDX-License-Identifier: Apache-2.0
#include "shared_read.hpp"

#include <algorithm>

namespace ballast::detail {
namespace {

constexpr std::size_t stripe_alignment = 256;

using pieces = std::vector<std::vector<byte_range>>;

bool are_linked(place_id one, place_id other, copy_links const& links) {
  return links.between(one, other).direct && links.between(other, one).direct;
}

/// Readers that all have direct links to each other, in as few groups as taking each in turn gives.
std::vector<std::vector<place_id>> linked_groups(std::span<place_id const> readers, copy_links const& links) {
  std::vector<std::vector<place_id>> groups;
  for (auto const reader : readers) {
    auto const fits = [&](std::vector<place_id> const& group) {
      return std::ranges::all_of(group, [&](place_id one) { return are_linked(one, reader, links); });
    };
    auto const group = std::ranges::find_if(groups, fits);
    if (group == groups.end())
      groups.push_back({reader});
    else
      group->push_back(reader);
  }
  return groups;
}

/// Each in chunks; no more than `most` stripes.
std::vector<pieces> striped(std::span<byte_range const> bytes, std::size_t most) {
  std::size_t sum = 0;
  for (auto const range : bytes) sum += range.size();
  auto const count = std::clamp<std::size_t>(sum / min_stripe_bytes, 1, most);
  auto const each = ((sum + count - 1) / count + stripe_alignment - 1) / stripe_alignment * stripe_alignment;
  std::vector<pieces> stripes;
  for (auto const& stripe : pieces_of(bytes, each)) stripes.push_back(pieces_of(stripe, max_copy_bytes));
  return stripes;
}

/// The first chunks of all stripes, then the second ones, and so on: what came from the host goes on to the
/// other devices while the next comes.
void add_ring(std::vector<shared_copy>& copies, std::vector<place_id> const& group,
              std::span<byte_range const> bytes) {
  auto const stripes = striped(bytes, group.size());
  auto const chunks = stripes.empty() ? 0 : stripes.front().size();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    for (std::size_t step = 0; step < group.size(); ++step)
      for (std::size_t reader = 0; reader < group.size(); ++reader) {
        auto const owner = (reader + step) % group.size();
        if (owner >= stripes.size() || chunk >= stripes[owner].size()) continue;
        copies.push_back({step == 0 ? host_place : group[owner], group[reader], stripes[owner][chunk]});
      }
}

}  // namespace

std::vector<std::vector<byte_range>> pieces_of(std::span<byte_range const> bytes, std::size_t each) {
  pieces found;
  std::size_t room = 0;
  for (auto range : bytes)
    while (!range.is_empty()) {
      if (room == 0) found.emplace_back(), room = each;
      auto const size = std::min(room, range.size());
      found.back().push_back({range.begin, range.begin + size});
      range.begin += size;
      room -= size;
    }
  return found;
}

std::vector<shared_copy> shared_read(std::span<byte_range const> bytes, std::span<place_id const> readers,
                                     copy_links const& links) {
  std::vector<shared_copy> copies;
  for (auto const& group : linked_groups(readers, links)) add_ring(copies, group, bytes);
  return copies;
}

}  // namespace ballast::detail
