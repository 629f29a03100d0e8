// SPDX-License-Identifier: Apache-2.0
#include "shared_read.hpp"

#include <algorithm>

namespace ballast::inline job {
namespace {

constexpr place_id host{0};
constexpr std::size_t stripe_alignment = 256;

/// Calls visit(first, count) for groups of the `count` that have at most most_bytes_of_copy, or one each.
template <class F>
void group(std::size_t count, std::size_t bytes_each, F visit) {
  auto const most = std::max<std::size_t>(most_bytes_of_copy / bytes_each, 1);
  for (std::size_t first = 0; first < count; first += most) visit(first, std::min(most, count - first));
}

class chunks {
 public:
  void add(pitched_run const& run) {
    if (run.planes > 1) return add_planes(run);
    if (run.rows > 1) return add_rows(run);
    group(run.length, 1, [&](std::size_t first, std::size_t count) {
      found.push_back({.first = run.first + first, .length = count});
    });
  }
  std::vector<pitched_run> found;

 private:
  void add_planes(pitched_run const& run) {
    group(run.planes, run.length * run.rows, [&](std::size_t first, std::size_t count) {
      take_or_cut(
          {run.first + first * run.plane_pitch, run.length, run.rows, run.row_pitch, count, run.plane_pitch});
    });
  }
  void add_rows(pitched_run const& run) {
    group(run.rows, run.length, [&](std::size_t first, std::size_t count) {
      take_or_cut({run.first + first * run.row_pitch, run.length, count, run.row_pitch, 1, 0});
    });
  }
  /// A group that is still too large is one plane, or one row.
  void take_or_cut(pitched_run const& part) {
    auto const run = normalised(part);
    if (run.bytes() > most_bytes_of_copy) return add(run);
    found.push_back(run);
  }
};

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

/// One for each of `count`, though some may be empty.
std::vector<std::vector<byte_range>> striped(byte_range bytes, std::size_t count) {
  auto const exact = (bytes.size() + count - 1) / count;
  auto const each = (exact + stripe_alignment - 1) / stripe_alignment * stripe_alignment;
  std::vector<std::vector<byte_range>> stripes;
  for (std::size_t i = 0; i < count; ++i) {
    auto const begin = std::min(bytes.begin + i * each, bytes.end);
    stripes.push_back(chunks_of(byte_range{begin, std::min(begin + each, bytes.end)}));
  }
  return stripes;
}

/// The first chunks of all stripes, then the second ones, and so on: what came from the host goes on to the
/// other devices while the next comes.
void add_ring(std::vector<shared_copy>& copies, std::vector<place_id> const& group, byte_range bytes) {
  auto const stripes = striped(bytes, group.size());
  for (std::size_t chunk = 0; chunk < stripes.front().size(); ++chunk)
    for (std::size_t step = 0; step < group.size(); ++step)
      for (std::size_t reader = 0; reader < group.size(); ++reader) {
        auto const owner = (reader + step) % group.size();
        if (chunk >= stripes[owner].size()) continue;
        copies.push_back({step == 0 ? host : group[owner], group[reader], stripes[owner][chunk]});
      }
}

}  // namespace

std::vector<pitched_run> chunks_of(pitched_run const& run) {
  if (run.bytes() == 0) return {};
  chunks cut;
  cut.add(run);
  return std::move(cut.found);
}

std::vector<byte_range> chunks_of(byte_range bytes) {
  std::vector<byte_range> found;
  group(bytes.size(), 1, [&](std::size_t first, std::size_t count) {
    found.push_back({bytes.begin + first, bytes.begin + first + count});
  });
  return found;
}

std::vector<shared_copy> shared_read(byte_range bytes, std::span<place_id const> readers,
                                     copy_links const& links) {
  std::vector<shared_copy> copies;
  for (auto const& group : linked_groups(readers, links)) add_ring(copies, group, bytes);
  return copies;
}

}  // namespace ballast::inline job
