// SPDX-License-Identifier: Apache-2.0
#include "cluster_member.hpp"

#include <algorithm>
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
  // Held tasks may since have ended in part, or moved on and been counted twice.
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

using kind = cluster_message::kind;

cluster_ending::cluster_ending(std::uint32_t rank, std::uint32_t ranks)
    : rank_(rank), is_lost_(ranks), finished_(ranks) {}

std::uint32_t cluster_ending::coordinator() const {
  return std::uint32_t(std::ranges::find(is_lost_, false) - is_lost_.begin());
}

void cluster_ending::receive(std::uint32_t from, cluster_message const& message) {
  if (message.what == kind::finished)
    finished_[from] = true;
  else
    is_over_ = true;
}

void cluster_ending::decide(bool is_finished, std::vector<outgoing_message>& out) {
  auto const first = coordinator();
  if (is_finished && told_ != first) {
    told_ = first;
    if (first == rank_)
      finished_[rank_] = true;
    else
      out.push_back({first, {.what = kind::finished}});
  }
  bool const is_first_to_know = first == rank_ && !is_over_ && all_have_finished();
  is_over_ = is_over_ || is_first_to_know;
  // The rank that announced the end may have been lost before all others received it.
  if (is_first_to_know || (is_over_ && has_losses_))
    if (!std::exchange(has_passed_on_, true)) send_all(kind::end, out);
}

void cluster_ending::send_all(kind what, std::vector<outgoing_message>& out) const {
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (rank != rank_ && !is_lost_[rank]) out.push_back({rank, {.what = what}});
}

bool cluster_ending::all_have_finished() const {
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (!is_lost_[rank] && !finished_[rank]) return false;
  return true;
}

loss_census::loss_census(std::uint32_t rank, std::uint32_t ranks)
    : rank_(rank), is_lost_(ranks), told_(ranks), holdings_(ranks) {}

bool loss_census::lose(std::uint32_t rank) {
  is_lost_[rank] = true;
  return lost_.insert(rank).second;
}

bool loss_census::is_due() const {
  if (!is_frozen()) return false;
  for (std::uint32_t other = 0; other < is_lost_.size(); ++other)
    if (other != rank_ && !is_lost_[other] && !std::ranges::includes(told_[other], lost_)) return false;
  return true;
}

void loss_census::add(std::uint32_t from, cluster_message const& census) {
  auto& of = holdings_[from];
  if (of.is_whole || of.lost != census.ranks) of = {census.ranks, {}, false};
  of.ranges.insert(of.ranges.end(), census.ranges.begin(), census.ranges.end());
  of.is_whole = !census.has_more;
}

bool loss_census::is_complete() {
  if (completed_ == lost_.size()) return false;
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (!is_lost_[rank] && (!holdings_[rank].is_whole || !std::ranges::equal(holdings_[rank].lost, lost_)))
      return false;
  completed_ = lost_.size();
  return true;
}

std::vector<task_range> loss_census::held() const {
  std::vector<task_range> all;
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (!is_lost_[rank]) all.insert(all.end(), holdings_[rank].ranges.begin(), holdings_[rank].ranges.end());
  return all;
}

cluster_member::cluster_member(std::uint32_t rank, std::uint32_t ranks, std::unique_ptr<share_policy> policy,
                               std::int64_t done_interval_ns)
    : rank_(rank),
      ranks_(ranks),
      policy_(std::move(policy)),
      done_interval_ns_(done_interval_ns),
      own_(rank),
      census_(rank, ranks),
      ending_(rank, ranks) {}

std::uint64_t cluster_member::submit(std::uint32_t tasks, std::shared_ptr<range_load> load,
                                     bool is_repeatable) {
  auto all = own_.add(tasks, std::move(load), is_repeatable);
  auto const number = all.batch;
  backlog_.add(std::move(all));
  return number;
}

void cluster_member::stop() {
  if (std::exchange(is_stopping_, true)) return;
  is_closing_ = true;
  send_all({.what = kind::stop});
}

void cluster_member::receive(std::uint32_t from, cluster_message message) {
  if (is_given_up_ || census_.is_lost(from)) return;
  switch (message.what) {
    case kind::ask:
      return policy_->asked(from, message.state);
    case kind::decline:
      return policy_->declined(from);
    case kind::withdraw:
      return policy_->withdrawn(from);
    case kind::give:
      take_ranges(std::move(message.ranges));
      return policy_->received(from);
    case kind::done:
      for (auto const& range : message.ranges) own_.executed(range);
      return;
    case kind::returned:
      for (auto const& range : message.ranges) own_.returned(range);
      return;
    case kind::perhaps:
      for (auto const& range : message.ranges) own_.perhaps_run(range);
      return;
    case kind::stop:
      is_stopping_ = is_closing_ = true;
      return;
    case kind::lost:
      if (message.ranks.front() == rank_) {
        is_given_up_ = true;
        return;
      }
      lose(message.ranks.front(), message.why);
      return census_.heard(from, message.ranks.front());
    case kind::census:
      return census_.add(from, message);
    case kind::finished:
    case kind::end:
      return ending_.receive(from, message);
  }
}

void cluster_member::take_ranges(std::vector<task_range> ranges) {
  for (auto& range : ranges)
    if (!census_.is_lost(range.origin)) backlog_.add(std::move(range));
}

// The lost rank is notified too: if it only seemed lost, it must learn that it counts as lost.
void cluster_member::lose(std::uint32_t rank, std::string const& why) {
  if (!why.empty()) why_lost_.emplace(rank, why);
  if (!census_.lose(rank)) return;
  backlog_.drop(rank);
  done_.erase(rank);
  policy_->lost(rank);
  ending_.lose(rank);
  send_all({.what = kind::lost, .ranks = {rank}, .why = why});
  send(rank, {.what = kind::lost, .ranks = {rank}});
}

std::string cluster_member::why_lost() const {
  std::string text;
  for (auto const& [rank, why] : why_lost_) text += (text.empty() ? ": " : "; ") + why;
  return text;
}

// Created tasks belong to tasks that have begun, and are executed even after the cluster was stopped.
task_range cluster_member::take(std::uint32_t max) {
  if (is_given_up_) return {};
  if (is_stopping_) return_backlog();
  auto range = backlog_.take_first(max);
  if (range.count == 0) return range;
  running_ += range.count;
  with_devices_.push_back({range});
  return range;
}

cluster_member::held_at cluster_member::find_held(task_range const& range) {
  return std::ranges::find_if(with_devices_, [&](held_range const& one) { return one.range.is_same(range); });
}

void cluster_member::executed(task_range const& range) {
  auto const held = find_held(range);
  held->has_run = true;
  running_ -= range.count;
  end_if_over(held);
}

task_range cluster_member::created(task_range const& creator, std::uint32_t tasks,
                                   std::shared_ptr<range_load> load, bool is_repeatable, bool stays) {
  if (census_.is_lost(creator.origin) || is_given_up_) return {};
  auto all = own_.add(tasks, std::move(load), is_repeatable, created_bit);
  ++find_held(creator)->created;
  creators_.emplace(all.batch, creator);
  if (stays) {
    running_ += tasks;
    with_devices_.push_back({all});
  } else {
    backlog_.add(all);
  }
  return all;
}

void cluster_member::end_if_over(held_at at) {
  if (!at->has_run || at->created > 0) return;
  auto const range = std::move(at->range);
  bool const has_losses = at->has_losses;
  with_devices_.erase(at);
  if (range.origin == rank_)
    has_losses ? own_.perhaps_run(range) : own_.executed(range);
  else if (census_.is_lost(range.origin))
    return;
  else if (has_losses)
    send(range.origin, {.what = kind::perhaps, .ranges = {range}});
  else
    done_[range.origin].ranges.push_back(range);
}

// An ended range may itself have been created.
void cluster_member::settle_created() {
  for (auto ended = own_.take_ended_created(); !ended.empty(); ended = own_.take_ended_created())
    for (auto const& batch : ended) {
      auto const creator = find_held(creators_.extract(batch.number).mapped());
      --creator->created;
      creator->has_losses = creator->has_losses || !batch.perhaps_run.empty();
      end_if_over(creator);
    }
}

cluster_member::decision cluster_member::decide(share_view view) {
  if (is_given_up_) return {std::exchange(out_, {})};
  decision next;
  if (census_.is_due()) count_holdings();
  settle_losses();
  settle_created();
  if (is_stopping_) return_backlog();
  share(view, next);
  tell_done(view.now_ns, next.look_again_ns);
  ending_.decide(is_closing_ && own_.empty(), out_);
  next.messages = std::exchange(out_, {});
  return next;
}

void cluster_member::share(share_view const& of_rank, decision& next) {
  auto view = of_rank;
  view.own.backlog = backlog_.tasks();
  if (census_.is_frozen()) view.messages = 0;
  auto const chosen = policy_->decide(view);
  next.look_again_ns = std::min(next.look_again_ns, chosen.look_again_ns);
  if (!is_stopping_ && !census_.is_frozen()) next.wanting = chosen.wanting;
  for (auto const& [what, to, tasks] : chosen.actions) switch (what) {
      case share_action::kind::ask:
        if (!is_stopping_) send(to, {.what = kind::ask, .state = view.own});
        break;
      case share_action::kind::give:
        send(to, {.what = kind::give, .ranges = backlog_.take_last(tasks)});
        break;
      case share_action::kind::decline:
        send(to, {.what = kind::decline});
        break;
      case share_action::kind::withdraw:
        send(to, {.what = kind::withdraw});
        break;
    }
}

// An origin whose last report is old gets a new one at once, so that a single task's end is not delayed.
void cluster_member::tell_done(std::int64_t now_ns, std::int64_t& look_again_ns) {
  for (auto& [origin, executed] : done_) {
    if (executed.ranges.empty()) continue;
    auto const due_ns = executed.told_ns + done_interval_ns_;
    if (now_ns < due_ns) {
      look_again_ns = std::min(look_again_ns, due_ns);
      continue;
    }
    send(origin, {.what = kind::done, .ranges = std::exchange(executed.ranges, {})});
    executed.told_ns = now_ns;
  }
}

void cluster_member::return_backlog() {
  std::map<std::uint32_t, std::vector<task_range>> by_origin;
  for (auto& range : backlog_.take_all()) {
    if (range.is_created())
      backlog_.add(std::move(range));
    else if (range.origin == rank_)
      own_.returned(range);
    else
      by_origin[range.origin].push_back(std::move(range));
  }
  for (auto& [origin, ranges] : by_origin)
    send(origin, {.what = kind::returned, .ranges = std::move(ranges)});
}

std::vector<ended_batch> cluster_member::take_unexecuted() {
  return_backlog();
  return own_.take_returned();
}

std::vector<task_range> cluster_member::held_of(std::uint32_t origin) const {
  std::vector<task_range> held;
  auto const add = [&](task_range const& range) {
    if (range.origin == origin) held.push_back({range.origin, range.first, range.count, range.batch, {}});
  };
  for (auto const& range : backlog_.ranges()) add(range);
  for (auto const& one : with_devices_) add(one.range);
  return held;
}

// Reports executed tasks first, so that they do not count as missing.
void cluster_member::count_holdings() {
  for (auto& [origin, executed] : done_)
    if (!executed.ranges.empty())
      send(origin, {.what = kind::done, .ranges = std::exchange(executed.ranges, {})});
  census_.count();
  own_counted_ = own_.end();
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (census_.is_lost(rank)) continue;
    cluster_message holdings{.what = kind::census, .ranges = held_of(rank), .ranks = census_.lost()};
    if (rank == rank_)
      census_.add(rank, holdings);
    else
      send(rank, std::move(holdings));
  }
}

void cluster_member::settle_losses() {
  if (!census_.is_complete()) return;
  for (auto& range : own_.lose_all_but(census_.held(), own_counted_)) backlog_.add(std::move(range));
}

void cluster_member::send(std::uint32_t to, cluster_message message) {
  out_.push_back({to, std::move(message)});
}

void cluster_member::send_all(cluster_message const& message) {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if (rank != rank_ && !census_.is_lost(rank)) send(rank, message);
}

std::string cluster_member::describe() const {
  std::string text = "rank " + std::to_string(rank_) + " of " + std::to_string(ranks_) + ": " +
                     counted(own_.unfinished(), "task") + " submitted here not ended, " +
                     std::to_string(backlog_.tasks()) + " waiting here, " + std::to_string(running_) +
                     " with devices";
  if (is_stopping_)
    text += "; stopping";
  else if (is_closing_)
    text += "; closing";
  for (auto const rank : census_.lost()) text += "; rank " + std::to_string(rank) + " is lost";
  text += why_lost();
  if (is_given_up_) text += "; the others take this rank for lost";
  return text;
}

}  // namespace ballast::detail
