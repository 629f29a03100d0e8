// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <algorithm>
#include <numeric>

#include "ballast/detail/base/policy_registry.hpp"
#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"

namespace ballast::detail {
namespace {

/// The oldest kernels, `most` at most.
void take_oldest(merge_view const& view, std::size_t most, merge_group& first) {
  first.resize(std::min(most, view.waiting.size()));
  std::iota(first.begin(), first.end(), std::size_t{0});
}

class none_policy final : public merge_policy {
  void choose_first(merge_view const& view, merge_group& first) const override {
    take_oldest(view, 1, first);
  }
};

class neighbour_policy final : public merge_policy {
  void choose_first(merge_view const& view, merge_group& first) const override {
    take_oldest(view, 2, first);
  }
};

/// How well a launch of `blocks` blocks fills its last level; more is better.
using fill_rank = std::uint64_t (*)(std::uint64_t blocks, std::uint64_t multiprocessors);

std::uint64_t plain_remainder(std::uint64_t blocks, std::uint64_t multiprocessors) {
  return blocks % multiprocessors;
}

/// Counts from 0, so that a full last level ranks first and not last.
std::uint64_t remainder_of_last_block(std::uint64_t blocks, std::uint64_t multiprocessors) {
  return (blocks - 1) % multiprocessors;
}

/// The first of the queue with the partner whose blocks fill the last level best, the earlier one of equals.
class alignment_policy final : public merge_policy {
 public:
  explicit alignment_policy(fill_rank rank) : rank_(rank) {}

 private:
  void choose_first(merge_view const& view, merge_group& first) const override {
    first.push_back(0);
    if (view.waiting.size() > 1) first.push_back(partner_of_first(view));
  }

  std::size_t partner_of_first(merge_view const& view) const {
    std::size_t best = 1;
    auto best_rank = rank_of(view, 0, best);
    std::uint64_t const highest_rank = view.multiprocessors.value() - 1;
    for (std::size_t other = 2; other < view.waiting.size() && best_rank < highest_rank; ++other) {
      auto const rank = rank_of(view, 0, other);
      if (rank > best_rank) best = other, best_rank = rank;
    }
    return best;
  }

  std::uint64_t rank_of(merge_view const& view, std::size_t one, std::size_t other) const {
    std::uint64_t const sum = std::uint64_t{view.waiting[one].blocks} + view.waiting[other].blocks;
    return rank_(sum, view.multiprocessors.value());
  }

  fill_rank rank_;
};

class together_policy final : public merge_policy {
  void choose_first(merge_view const& view, merge_group& first) const override {
    take_oldest(view, view.max_kernels, first);
    auto const length = [&](std::size_t place) { return view.waiting[place].block_ns; };
    if (!std::ranges::is_sorted(first, std::ranges::greater(), length))
      std::ranges::stable_sort(first, std::ranges::greater(), length);
  }
};

std::unique_ptr<merge_policy> make_none() { return std::make_unique<none_policy>(); }
std::unique_ptr<merge_policy> make_neighbour() { return std::make_unique<neighbour_policy>(); }
std::unique_ptr<merge_policy> make_alignment() { return std::make_unique<alignment_policy>(plain_remainder); }
std::unique_ptr<merge_policy> make_alignment_fixed() {
  return std::make_unique<alignment_policy>(remainder_of_last_block);
}
std::unique_ptr<merge_policy> make_together() { return std::make_unique<together_policy>(); }

constexpr registry_entry<std::unique_ptr<merge_policy> (*)()> merge_choices[] = {
    {{"none", "each kernel is a launch of its own"}, make_none},
    {{"neighbour", "each kernel with the next one of the queue"}, make_neighbour},
    {{"alignment",
      "the first with the one that gives the largest remainder of blocks by multiprocessors, as published"},
     make_alignment},
    {{"alignment_fixed", "as alignment, but blocks that fill the last level are the best fit, not the worst"},
     make_alignment_fixed},
    {{"together", "as many as one launch takes, those with the longest blocks first (the default)"},
     make_together}};

void check_candidate(merge_candidate const& candidate) {
  if (candidate.blocks < 1) throw_bad_argument("blocks", candidate.blocks, "at least 1");
  if (candidate.block_ns < 0) throw_bad_argument("block_ns", candidate.block_ns, "at least 0");
}

}  // namespace

void merge_policy::first_group(merge_view const& view, merge_group& first) const {
  if (view.multiprocessors.value() < 1)
    throw_bad_argument("multiprocessors", view.multiprocessors.value(), "at least 1");
  if (view.max_kernels < 2) throw_bad_argument("max_kernels", view.max_kernels, "at least 2");
  std::ranges::for_each(view.waiting, check_candidate);
  first.clear();
  if (!view.waiting.empty()) choose_first(view, first);
}

std::vector<merge_group> merge_policy::group(merge_view const& view) const {
  std::vector<merge_candidate> left(view.waiting.begin(), view.waiting.end());
  merge_group places(left.size()), first;
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<merge_group> groups;
  for (;;) {
    first_group({left, view.multiprocessors, view.max_kernels}, first);
    if (first.empty()) return groups;
    auto& group = groups.emplace_back();
    for (auto const place : first) group.push_back(places[place]);
    std::ranges::sort(first, std::ranges::greater());
    for (auto const place : first) {
      left.erase(left.begin() + std::ptrdiff_t(place));
      places.erase(places.begin() + std::ptrdiff_t(place));
    }
  }
}

std::unique_ptr<merge_policy> make_merge_policy(std::string_view name) {
  return find(merge_choices, "merge", name)();
}

std::vector<std::uint64_t> blocks_of_launches(merge_view const& view, std::span<merge_group const> groups) {
  std::vector<std::uint64_t> blocks;
  for (auto const& group : groups) {
    std::uint64_t sum = 0;
    for (auto const place : group) sum += view.waiting[place].blocks;
    blocks.push_back(sum);
  }
  return blocks;
}

}  // namespace ballast::detail

namespace ballast {

using namespace detail;

std::vector<named_policy> merge_policies() { return descriptions(merge_choices); }

}  // namespace ballast
