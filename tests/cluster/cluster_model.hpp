// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ballast/detail/cluster/share_policy.hpp"
#include "cluster_member.hpp"

namespace ballast::test {

using namespace detail;

/// What ranks are to do in every possible order of events.
struct cluster_case {
  std::string policy = "model";  ///< the model's own, or one of share_policies()
  std::uint32_t ranks = 2;
  std::uint32_t asks = 3;                           ///< how many others a rank of policy "model" asks at most
  std::vector<std::vector<std::uint32_t>> batches;  ///< of each rank, tasks of each batch
  bool is_repeatable = false;
  std::uint32_t creates = 0;       ///< tasks that running ones hand to the host, at any time, in all
  std::uint32_t losses = 0;        ///< ranks that die, at any time
  std::uint32_t false_alarms = 0;  ///< ranks that are taken for lost at any time, but live
  bool stops = false;              ///< rank 0 calls stop() at any time
  /// Changes a channel before its next message is delivered: the faults that a test plants.
  std::function<void(std::deque<detail::cluster_message>&)> fault = {};
};

/// Writes down states, so that equal ones can be told.
class state_notes {
 public:
  template <class... Parts>
  void operator()(Parts const&... parts) {
    (note(parts), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Part>
  void note(Part const& part) {
    if constexpr (std::is_integral_v<Part> || std::is_enum_v<Part>) {
      bytes_.push_back(char(part));  // all numbers of a model are small
    } else if constexpr (requires { part.note_state(*this); }) {
      part.note_state(*this);
    } else if constexpr (requires { part.has_value(); }) {
      note(part.has_value());
      if (part) note(*part);
    } else if constexpr (requires { part.first, part.second; }) {
      note(part.first), note(part.second);
    } else {
      note(part.size());
      for (auto const& one : part) note(one);
    }
  }

  std::string bytes_;
};

/// The least that a policy may do, so that a model has few states: a rank asks all others once, remembers who
/// asked it, and gives each of them a task as long as it has more than one.
class model_policy final : public share_policy {
 public:
  model_policy(share_place const& place, std::uint32_t asks)
      : place_(place), asks_(std::min(asks, place.ranks - 1)), is_lost_(place.ranks) {}

  void asked(std::uint32_t by, share_state const&) override {
    if (!is_lost_[by]) waiting_.push_back({by, false});
  }
  void received(std::uint32_t from) override {
    if (asked_ == from) asked_.reset();
    next_ = 1;
  }
  void declined(std::uint32_t by) override {
    if (asked_ == by) asked_.reset();
  }
  void lost(std::uint32_t rank) override {
    is_lost_[rank] = true;
    if (asked_ == rank) asked_.reset();
    std::erase_if(waiting_, [&](auto const& one) { return one.first == rank; });
    next_ = 1;
  }
  share_decision decide(share_view const& view) override {
    share_decision next;
    auto spare = view.own.backlog;
    for (auto sent = 0u; !waiting_.empty() && spare > 0 && sent < view.messages; ++sent, --spare) {
      next.actions.push_back({share_action::kind::give, waiting_.front().first, 1});
      waiting_.pop_front();
    }
    for (auto& [rank, knows] : waiting_)
      if (!std::exchange(knows, true)) next.actions.push_back({share_action::kind::decline, rank, 0});
    if (view.own.backlog > 0) return next;
    for (; !asked_ && next_ <= asks_; ++next_)
      if (auto const rank = (place_.rank + next_) % place_.ranks; !is_lost_[rank]) {
        asked_ = rank;
        next.actions.push_back({share_action::kind::ask, rank, 0});
      }
    return next;
  }
  template <class Note>
  void note_state(Note&& note) const {
    note(is_lost_, asked_, waiting_, next_);
  }

 private:
  share_place place_;
  std::uint32_t asks_;
  std::vector<bool> is_lost_;
  std::optional<std::uint32_t> asked_;
  std::deque<std::pair<std::uint32_t, bool>> waiting_;  ///< who asked, and whether it was declined
  std::uint32_t next_ = 1;                              ///< to ask, from the own rank on
};

/// A cluster whose messages, ends of tasks and losses come one by one, in an order that the caller chooses.
/// Every rank has one worker.
class cluster_model {
 public:
  enum class kind : std::uint8_t { deliver, end_of_task, loss, notice, stop, create };
  /// Of deliver, the channel from `a` to `b`; of notice, `a` takes `b` for lost; else rank `a`.
  struct event {
    kind what;
    std::uint32_t a, b = 0;
  };

  explicit cluster_model(cluster_case const& of) : case_(&of) {
    for (std::uint32_t i = 0; i < of.ranks; ++i) {
      ranks_.push_back(make_rank(i));
      if (i >= of.batches.size()) continue;
      for (auto const tasks : of.batches[i]) {
        auto const number = ranks_[i].member.submit(tasks, nullptr, of.is_repeatable);
        for (std::uint32_t task = 0; task < tasks; ++task) fates_[{i, number, task}] = {};
      }
    }
    for (auto& rank : ranks_) rank.member.close();
    for (std::uint32_t i = 0; i < of.ranks; ++i) look(i);
  }

  /// What may happen next.
  std::vector<event> possible() const {
    std::vector<event> all;
    for (auto const& [channel, messages] : channels_)
      if (!messages.empty() && lives(channel.second))
        all.push_back({kind::deliver, channel.first, channel.second});
    for (std::uint32_t i = 0; i < case_->ranks; ++i) {
      if (!lives(i)) continue;
      auto const& rank = ranks_[i];
      if (rank.running.count > 0) all.push_back({kind::end_of_task, i});
      if (rank.running.count > 0 && created_ < case_->creates) all.push_back({kind::create, i});
      if (rank.member.is_over()) continue;
      if (losses_ < case_->losses) all.push_back({kind::loss, i});
      if (case_->stops && i == 0 && !has_stopped_) all.push_back({kind::stop, i});
      for (std::uint32_t other = 0; other < case_->ranks; ++other) {
        if (other == i || rank.member.is_lost(other) || rank.member.is_given_up()) continue;
        bool const answers = lives(other) && !ranks_[other].member.is_given_up();
        if (!answers || alarms_ < case_->false_alarms) all.push_back({kind::notice, i, other});
      }
    }
    return all;
  }

  void happen(event const& next) {
    switch (next.what) {
      case kind::deliver:
        deliver(next.a, next.b);
        break;
      case kind::end_of_task: {
        auto& rank = ranks_[next.a];
        ++fates_[id(rank.running)].ended;
        rank.member.executed(std::exchange(rank.running, {}));
        look(next.a);
        break;
      }
      // What it sent may still arrive, or may have been lost with it: then it is never delivered, since the
      // others notice the loss first.
      case kind::loss:
        ++losses_;
        ranks_[next.a].lives = false;
        break;
      case kind::notice:
        if (lives(next.b) && !ranks_[next.b].member.is_given_up()) ++alarms_;
        ranks_[next.a].member.lose(next.b);
        look(next.a);
        break;
      case kind::create:
        ++created_;
        create(ranks_[next.a]);
        look(next.a);
        break;
      case kind::stop:
        has_stopped_ = true;
        ranks_[0].member.stop();
        look(0);
        break;
    }
  }

  /// Equal for equal states; of the model's policy only.
  std::string key() const {
    state_notes notes;
    notes(channels_, fates_, losses_, alarms_, has_stopped_, created_);
    for (auto const& rank : ranks_) notes(rank.member, *rank.policy, rank.running, rank.lives);
    return notes.take();
  }

  /// What is wrong though nothing can happen any more; empty if nothing is.
  std::string verdict() const {
    if (!early_end_.empty()) return early_end_;
    for (std::uint32_t i = 0; i < case_->ranks; ++i) {
      auto const& rank = ranks_[i];
      if (!lives(i) || rank.member.is_given_up()) continue;
      if (!rank.member.is_over()) return "no end: " + rank.member.describe();
      if (rank.member.unfinished() > 0) return "tasks without an end: " + rank.member.describe();
    }
    bool const is_clean = losses_ + alarms_ == 0;
    for (auto const& [task, fate] : fates_) {
      auto const origin = task.origin;
      if (!lives(origin) || ranks_[origin].member.is_given_up()) continue;
      if (fate.creator && !is_clean) continue;  // nobody waits for it if its creator is lost or runs again
      if (fate.creator && fate.returned > 0) return "a created task was returned";
      auto const text = "task " + std::to_string(task.number) + " of rank " + std::to_string(origin);
      auto const outcomes = fate.returned + fate.perhaps_run;
      if (fate.ended + outcomes == 0) return text + " was never executed";
      bool const may_repeat = case_->is_repeatable && !is_clean;
      if (fate.returned > 0 && fate.begun > 0 && !may_repeat) return text + " was returned, and executed too";
      if (outcomes > 1) return text + " ended twice";
      if (fate.begun > 1 && !may_repeat) return text + " was executed twice";
      if (is_clean && fate.perhaps_run > 0) return text + " is said to be lost without a loss";
      if (case_->is_repeatable && fate.perhaps_run > 0) return text + " was not repeated";
    }
    return {};
  }

 private:
  struct task_id {
    std::uint32_t origin;
    std::uint64_t batch;
    std::uint32_t number;
    auto operator<=>(task_id const&) const = default;
    template <class Note>
    void note_state(Note&& note) const {
      note(origin, batch, number);
    }
  };
  struct task_fate {
    std::uint32_t begun = 0, ended = 0, returned = 0, perhaps_run = 0;
    std::optional<task_id> creator = {};
    template <class Note>
    void note_state(Note&& note) const {
      note(begun, ended, returned, perhaps_run, creator);
    }
  };
  struct modelled_rank {
    detail::cluster_member member;
    model_policy const* policy;
    detail::task_range running = {};
    bool lives = true;
  };

  static task_id id(detail::task_range const& one) { return {one.origin, one.batch, one.first}; }
  bool lives(std::uint32_t rank) const { return ranks_[rank].lives; }
  modelled_rank make_rank(std::uint32_t i) const {
    share_place const place{i, case_->ranks, i, 1, 7};
    if (case_->policy != "model")
      return {{i, case_->ranks, make_share_policy(case_->policy, place), 0}, nullptr};
    auto policy = std::make_unique<model_policy>(place, case_->asks);
    auto const* const its = policy.get();
    return {{i, case_->ranks, std::move(policy), 0}, its};
  }

  void deliver(std::uint32_t from, std::uint32_t to) {
    auto& channel = channels_[{from, to}];
    if (case_->fault) case_->fault(channel);
    if (channel.empty()) return;
    auto message = std::move(channel.front());
    channel.pop_front();
    auto& member = ranks_[to].member;
    if (!member.is_over()) {
      member.receive(from, std::move(message));
      look(to);
    } else if (message.what != detail::cluster_message::kind::end && lives(from)) {
      channels_[{to, from}].push_back({.what = detail::cluster_message::kind::end});
    }
  }

  void create(modelled_rank& rank) {
    auto const own = rank.member.created(rank.running, 1, nullptr, case_->is_repeatable);
    if (own.count > 0) fates_[id(own)].creator = id(rank.running);
  }

  /// Whether all that came of a task has ended, but for what was lost with a rank.
  bool has_ended_whole(task_id const& task) const {
    return std::ranges::all_of(fates_, [&](auto const& of) {
      auto const& [created, fate] = of;
      if (fate.creator != task || !lives(created.origin)) return true;
      return fate.ended > 0 && has_ended_whole(created);
    });
  }

  /// Of a batch that has ended.
  void check_end(std::uint32_t rank, detail::ended_batch const& batch, std::uint32_t tasks) {
    for (std::uint32_t k = 0; k < tasks; ++k) {
      task_id const task{rank, batch.number, k};
      auto const& fate = fates_[task];
      if (fate.returned + fate.perhaps_run == 0 && !has_ended_whole(task))
        early_end_ = "task " + std::to_string(k) + " of rank " + std::to_string(rank) +
                     " ended before what it created";
    }
  }

  void begin_task(modelled_rank& rank) {
    if (rank.running.count > 0) return;
    rank.running = rank.member.take(1);
    if (rank.running.count > 0) ++fates_[id(rank.running)].begun;
  }

  void look(std::uint32_t i) {
    auto& rank = ranks_[i];
    begin_task(rank);
    share_view const view{.own = {0, rank.running.count, 1, 0}, .messages = 2, .piece_tasks = 2};
    for (auto& [to, message] : rank.member.decide(view).messages)
      if (lives(to)) channels_[{i, to}].push_back(std::move(message));
    begin_task(rank);  // of a lost rank's
    for (auto const& batch : rank.member.take_ended()) {
      for (auto const& [first, count] : batch.returned)
        for (std::uint32_t k = 0; k < count; ++k) ++fates_[{i, batch.number, first + k}].returned;
      for (auto const& [first, count] : batch.perhaps_run)
        for (std::uint32_t k = 0; k < count; ++k) ++fates_[{i, batch.number, first + k}].perhaps_run;
      check_end(i, batch, case_->batches[i][batch.number]);
    }
  }

  cluster_case const* case_;
  std::vector<modelled_rank> ranks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<detail::cluster_message>> channels_;
  std::map<task_id, task_fate> fates_;
  std::uint32_t losses_ = 0, alarms_ = 0, created_ = 0;
  std::string early_end_;
  bool has_stopped_ = false;
};

/// Plays every order of events, each state once.
class cluster_explorer {
 public:
  struct report {
    std::uint64_t states = 0, ends = 0;
    std::string first_failure;  ///< with the events that led there
  };

  explicit cluster_explorer(cluster_case of) : case_(std::move(of)) {}

  report explore() {
    follow();
    return report_;
  }

 private:
  using event = cluster_model::event;

  // From the beginning each time, since a rank cannot be copied.
  void follow() {
    if (!report_.first_failure.empty()) return;
    cluster_model model(case_);
    try {
      for (auto const& past : path_) model.happen(past);
    } catch (error const& failure) { return fail(failure.what()); }
    if (!seen_.insert(model.key()).second) return;
    ++report_.states;
    auto const possible = model.possible();
    if (possible.empty()) {
      ++report_.ends;
      if (auto const wrong = model.verdict(); !wrong.empty()) fail(wrong);
      return;
    }
    for (auto const& next : possible) {
      path_.push_back(next);
      follow();
      path_.pop_back();
    }
  }

  void fail(std::string const& why) {
    static constexpr char const* names[] = {"deliver", "end_of_task", "loss", "notice", "stop", "create"};
    report_.first_failure = why + ", after:";
    for (auto const& [what, a, b] : path_)
      report_.first_failure +=
          std::string(" ") + names[int(what)] + " " + std::to_string(a) + " " + std::to_string(b) + ";";
  }

  cluster_case case_;
  std::vector<event> path_;
  std::unordered_set<std::string> seen_;
  report report_;
};

/// Plays one order of events, chosen at random; returns what is wrong at the end.
inline std::string play_at_random(cluster_case const& of, std::uint64_t seed) {
  cluster_model model(of);
  std::mt19937_64 random(seed);
  for (auto possible = model.possible(); !possible.empty(); possible = model.possible())
    model.happen(possible[random() % possible.size()]);
  auto const wrong = model.verdict();
  return wrong.empty() ? wrong : "seed " + std::to_string(seed) + ": " + wrong;
}

}  // namespace ballast::test
