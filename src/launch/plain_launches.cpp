// SPDX-License-Identifier: Apache-2.0
#include "plain_launches.hpp"

#include <algorithm>
#include <utility>

namespace ballast::detail {

static std::uint64_t both(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

plain_shape shape_of(submission& work) {
  if (!work.is_described()) return {.function = nullptr, .shape = {}, .callable = work.type()};
  void* addresses[max_described_arguments];
  auto const described = work.describe(addresses);
  return {.function = described.function, .shape = described.shape};
}

std::uint64_t mixed(std::uint64_t hash, plain_shape const& what) {
  auto const& [grid, block, shared_bytes] = what.shape;
  auto const* const type = what.function ? what.function.identity() : what.callable;
  hash = mixed(hash, reinterpret_cast<std::uintptr_t>(type));
  hash = mixed(hash, both(grid.x, grid.y));
  hash = mixed(hash, both(grid.z, block.x));
  hash = mixed(hash, both(block.y, block.z));
  return mixed(hash, shared_bytes);
}

std::int64_t plain_times::of(plain_shape const& what) const {
  auto const place = shapes_.find(what);
  return place == shapes_.end() ? 0 : place->second.ns;
}

bool plain_times::is_due(plain_shape const& what) {
  auto place = shapes_.find(what);
  if (place == shapes_.end() && shapes_.size() == max_shapes) return false;
  if (place == shapes_.end()) place = shapes_.emplace(what, known{}).first;
  auto& shape = place->second;
  return ++shape.launches >= shape.next_measured && measured_ == nullptr;
}

void plain_times::begin(plain_shape const& what) {
  auto& shape = shapes_.at(what);
  shape.next_measured = shape.launches + std::min(3 * shape.launches, max_between_measurements);
  measured_ = &shape;
}

void plain_times::record(std::int64_t span_ns) {
  auto& ns = std::exchange(measured_, nullptr)->ns;
  if (span_ns < 1) return;
  bool const is_news = ns == 0 || span_ns < ns;
  ns = is_news ? span_ns : ns + (span_ns - ns) / 8;
}

void plain_batch::clear() {
  launches_.clear();
  branches_.clear();
  addresses_.clear();
}

void plain_batch::begin_branch(std::uint32_t launch_stream) {
  branches_.push_back({.hash = 0, .launch_stream = launch_stream, .first = launches_.size()});
}

void plain_batch::add(described_launch const& added, void* const* addresses) {
  auto& branch = branches_.back();
  ++branch.length;
  launches_.push_back(
      {{.function = added.function, .shape = added.shape}, added.argument_bytes, addresses_.size()});
  branch.hash = mixed(branch.hash, launches_.back().what);
  addresses_.insert(addresses_.end(), addresses, addresses + added.argument_bytes.size());
}

void plain_batch::sort() {
  addresses_.push_back(nullptr);  // so that even zero arguments have an address
  auto const place = [](batch_branch const& one) { return std::pair(one.hash, one.launch_stream); };
  if (!std::ranges::is_sorted(branches_, {}, place)) std::ranges::sort(branches_, {}, place);
  hash_ = launches_.size();
  for (auto const& branch : branches_) hash_ = mixed(hash_, branch.hash);
}

bool plain_batch::has(batch_shape const& shape) const {
  if (hash_ != shape.hash || launches() != shape.launches.size()) return false;
  if (!std::ranges::equal(branches_, shape.lengths, {}, &batch_branch::length)) return false;
  auto const* expected = shape.launches.data();
  for (auto const& branch : branches_)
    for (auto const& launch : of(branch))
      if (launch.what != *expected++) return false;
  return true;
}

batch_shape plain_batch::shape() const {
  batch_shape shape{.hash = hash_, .lengths = {}, .launches = {}};
  for (auto const& branch : branches_) {
    shape.lengths.push_back(branch.length);
    for (auto const& launch : of(branch)) shape.launches.push_back(launch.what);
  }
  return shape;
}

std::vector<graph_branch> plain_batch::graph_branches() const {
  std::vector<graph_branch> all;
  for (auto const& branch : branches_) {
    auto& added = all.emplace_back();
    for (auto const& launch : of(branch))
      added.launches.push_back(
          {.function = launch.what.function, .shape = launch.what.shape, .arguments = arguments_of(launch)});
  }
  return all;
}

}  // namespace ballast::detail
