// SPDX-License-Identifier: Apache-2.0
#include "own_batches.hpp"

#include <string>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {

task_range own_batches::add(std::uint32_t tasks, std::shared_ptr<range_load> load, bool is_repeatable,
                            std::uint64_t kind) {
  auto const number = end_++ | kind;
  open_.emplace(number, batch{tasks, is_repeatable, load, {}, {}, {}});
  return {rank_, 0, tasks, number, std::move(load)};
}

void own_batches::settle(task_range const& range, listed list) {
  auto const at = open_.find(range.batch);
  if (at == open_.end() || range.count > at->second.tasks || range.first > at->second.tasks - range.count ||
      !at->second.ended.add(range.first, range.count))
    throw error("tasks " + std::to_string(range.first) + " to " +
                std::to_string(std::uint64_t(range.first) + range.count) + " of batch " +
                std::to_string(range.batch & ~created_bit) + " of rank " + std::to_string(rank_) +
                " ended, which had ended before or were never submitted");
  if (list != nullptr) (at->second.*list).push_back({range.first, range.count});
  close_if_ended(at);
}

void own_batches::close_if_ended(std::map<std::uint64_t, batch>::iterator at) {
  auto& [number, ending] = *at;
  if (ending.ended.size() < ending.tasks) return;
  auto& ended = number >= created_bit ? ended_created_ : ended_;
  ended.push_back({number, std::move(ending.load), std::move(ending.returned), std::move(ending.lost)});
  open_.erase(at);
}

std::vector<task_range> own_batches::lose_all_but(std::vector<task_range> const& held, std::uint64_t end) {
  std::map<std::uint64_t, number_set> known;
  for (auto const& [number, open] : open_)
    if ((number & ~created_bit) < end) known.emplace(number, open.ended);
  // Held tasks may have ended since, in part, or moved on and been held twice.
  for (auto const& range : held)
    if (auto const of = known.find(range.batch); of != known.end())
      for (auto const& [first, count] : of->second.missing(range.first + range.count))
        if (first + count > range.first) {
          auto const from = std::max(first, range.first);
          of->second.add(from, first + count - from);
        }
  std::vector<task_range> again;
  for (auto const& [number, ended_or_held] : known) {
    auto const at = open_.find(number);
    auto& open = at->second;
    for (auto const& [first, count] : ended_or_held.missing(open.tasks)) {
      if (open.is_repeatable) {
        again.push_back({rank_, first, count, number, open.load});
        continue;
      }
      open.ended.add(first, count);
      open.lost.push_back({first, count});
    }
    close_if_ended(at);
  }
  return again;
}

std::uint64_t own_batches::unfinished() const {
  std::uint64_t tasks = 0;
  for (auto const& [number, open] : open_)
    if (number < created_bit) tasks += open.tasks - open.ended.size();
  return tasks;
}

std::shared_ptr<range_load> own_batches::load_of(std::uint64_t batch) const {
  auto const of = open_.find(batch);
  return of == open_.end() ? nullptr : of->second.load;
}

std::vector<ended_batch> own_batches::take_ended() { return std::exchange(ended_, {}); }

std::vector<ended_batch> own_batches::take_returned() {
  auto all = take_ended();
  for (auto& [number, open] : open_)
    if (number < created_bit && !open.returned.empty())
      all.push_back({number, open.load, std::exchange(open.returned, {}), {}});
  return all;
}

std::vector<ended_batch> own_batches::take_ended_created() { return std::exchange(ended_created_, {}); }

}  // namespace ballast::detail
