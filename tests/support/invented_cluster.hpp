// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "ballast/policy/share.hpp"

namespace ballast::test {

/// A cluster that does not exist: its ranks, the network between them, and the tasks that are submitted.
struct invented_cluster {
  /// A rank that does nothing from then on.
  struct loss {
    std::uint32_t rank;
    std::int64_t at_ns;
  };

  std::string policy = "lifeline";
  std::uint32_t ranks = 2, workers = 64;  ///< workers of each rank
  std::uint32_t ranks_of_host = 1;        ///< divides `ranks`
  std::int64_t latency_ns = 5'000;        ///< of a link, one way
  std::int64_t message_ns = 1'000;        ///< that a rank's one thread for messages needs to send or receive
  double bytes_per_ns = 10;               ///< that leave a rank at most
  std::uint32_t piece_bytes = 65'536;     ///< a message carries
  std::uint64_t seed = 1;
  /// Tasks that each rank submits at the start, `submitted(rank)`.
  std::function<std::uint64_t(std::uint32_t)> submitted = [](std::uint32_t) { return 0; };
  /// How long a task takes a rank of speed 1.
  std::function<std::int64_t(std::uint64_t)> task_ns = [](std::uint64_t) { return 1'000'000; };
  /// A rank's workers take 1 / speed times as long.
  std::function<double(std::uint32_t)> speed = [](std::uint32_t) { return 1.0; };
  /// Each of another rank. Tasks that it had are executed again, if the rank lives that submitted them.
  std::vector<loss> losses = {};
  std::int64_t lost_after_ns = 500'000;  ///< until others know, one after the other
};

/// What came of it.
struct cluster_outcome {
  std::int64_t end_ns = 0;              ///< when the last task ended
  std::vector<std::uint32_t> runs;      ///< of each task, how often it was executed to its end
  std::vector<std::uint64_t> executed;  ///< by each rank
  std::uint64_t messages = 0, asks = 0, gifts = 0, moved_tasks = 0;
};

/// Plays a cluster with the policies that a real one would ask, event by event; deterministic. (That tasks
/// are told to be done, which costs every origin up to a tenth of its thread, is left out.)
class cluster_play {
 public:
  explicit cluster_play(invented_cluster cluster) : cluster_(std::move(cluster)), ranks_(cluster_.ranks) {
    std::uint64_t tasks = 0;
    for (std::uint32_t i = 0; i < cluster_.ranks; ++i) {
      auto const hosts_first = i / cluster_.ranks_of_host * cluster_.ranks_of_host;
      ranks_[i].policy = make_share_policy(
          cluster_.policy, {i, cluster_.ranks, hosts_first, cluster_.ranks_of_host, cluster_.seed});
      ranks_[i].idle = cluster_.workers;
      auto const count = cluster_.submitted(i);
      if (count > 0) ranks_[i].add({tasks, count});
      ranks_[i].first_task = tasks;
      tasks += count;
    }
    left_ = tasks;
    for (auto const& one : cluster_.losses) note(one.at_ns, kind::loss, one.rank);
    outcome_.runs.resize(tasks);
    outcome_.executed.resize(cluster_.ranks);
  }

  /// Until all tasks were executed, or nothing happens any more.
  cluster_outcome play() {
    for (std::uint32_t i = 0; i < cluster_.ranks; ++i) look(i);
    while (left_ > 0 && !events_.empty()) {
      auto const next = events_.top();
      events_.pop();
      now_ = next.at;
      happen(next);
    }
    return std::move(outcome_);
  }

 private:
  struct task_range {
    std::uint64_t first, count;
  };
  struct message {
    share_action::kind what;
    std::uint32_t from, to;
    std::vector<task_range> tasks;
    share_state state;
  };
  struct rank_state {
    std::unique_ptr<share_policy> policy;
    std::deque<task_range> backlog;
    std::uint64_t waiting = 0;  ///< tasks of the backlog
    std::uint32_t idle = 0;     ///< workers
    std::uint64_t finished = 0;
    std::uint64_t first_task = 0;  ///< of those that it submitted
    bool is_lost = false, is_known_to_be_lost = false;
    std::vector<task_range> left;  ///< once it is lost: tasks that it had, until others know
    std::int64_t thread_free = 0, link_free = 0, busy_ns = 0, look_at = -1;

    void add(task_range tasks) {
      backlog.push_back(tasks);
      waiting += tasks.count;
    }
    std::uint64_t take_first() {
      auto& front = backlog.front();
      auto const task = front.first++;
      if (--front.count == 0) backlog.pop_front();
      --waiting;
      return task;
    }
    std::vector<task_range> take_last(std::uint64_t count) {
      std::vector<task_range> taken;
      waiting -= count;
      while (count > 0) {
        auto& back = backlog.back();
        auto const some = std::min(back.count, count);
        back.count -= some;
        count -= some;
        taken.push_back({back.first + back.count, some});
        if (back.count == 0) backlog.pop_back();
      }
      return taken;
    }
  };
  enum class kind : std::uint8_t { end_of_task, arrival, look, loss, news_of_loss };
  struct event {
    std::int64_t at;
    std::uint64_t order;  ///< in which they were noted: equal times keep it
    kind what;
    std::uint32_t rank;
    std::uint64_t of;  ///< the task, the message of an arrival, or the rank of which there is news
    bool operator>(event const& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void note(std::int64_t at, kind what, std::uint32_t rank, std::uint64_t of = 0) {
    events_.push({at, noted_++, what, rank, of});
  }

  void happen(event const& next) {
    auto& rank = ranks_[next.rank];
    if (rank.is_lost) return leave(rank, next);
    switch (next.what) {
      case kind::end_of_task:
        ++rank.idle;
        ++rank.finished;
        ++outcome_.runs[next.of];
        ++outcome_.executed[next.rank];
        outcome_.end_ns = now_;
        --left_;
        break;
      case kind::arrival:
        receive(rank, next.of);
        break;
      case kind::look:
        if (rank.look_at == next.at) rank.look_at = -1;
        break;
      case kind::loss:
        return lose(next.rank);
      case kind::news_of_loss:
        rank.policy->lost(std::uint32_t(next.of));
        ranks_[next.of].is_known_to_be_lost = true;
        give_back(std::exchange(ranks_[next.of].left, {}));
        break;
    }
    look(next.rank);
  }

  /// What comes to a lost rank, or would have ended there.
  void leave(rank_state& rank, event const& next) {
    if (next.what == kind::end_of_task) rank.left.push_back({next.of, 1});
    if (next.what == kind::arrival)
      for (auto const& tasks : message_of(next.of).tasks) rank.left.push_back(tasks);
    if (rank.is_known_to_be_lost) give_back(std::exchange(rank.left, {}));
  }

  void lose(std::uint32_t number) {
    auto& rank = ranks_[number];
    rank.is_lost = true;
    rank.left.assign(rank.backlog.begin(), rank.backlog.end());
    for (std::uint32_t i = 0; i < cluster_.ranks; ++i)
      if (i != number) note(now_ + cluster_.lost_after_ns + i * 1000, kind::news_of_loss, i, number);
  }
  /// Nobody waits for those whose origin is lost.
  void give_back(std::vector<task_range> const& tasks) {
    for (auto [first, count] : tasks)
      for (; count > 0; ++first, --count) {
        auto const of = origin_of(first);
        if (ranks_[of].is_lost) {
          --left_;
          continue;
        }
        ranks_[of].add({first, 1});
        if (ranks_[of].look_at < 0) note(ranks_[of].look_at = now_, kind::look, of);
      }
  }

  std::uint32_t origin_of(std::uint64_t task) const {
    auto const next = std::ranges::upper_bound(ranks_, task, {}, &rank_state::first_task);
    return std::uint32_t(next - ranks_.begin()) - 1;
  }

  message message_of(std::uint64_t number) {
    free_.push_back(number);
    return std::move(messages_[number]);
  }

  void receive(rank_state& rank, std::uint64_t number) {
    auto const one = message_of(number);
    switch (one.what) {
      case share_action::kind::ask:
        rank.policy->asked(one.from, one.state);
        break;
      case share_action::kind::withdraw:
        rank.policy->withdrawn(one.from);
        break;
      case share_action::kind::decline:
        rank.policy->declined(one.from);
        break;
      case share_action::kind::give:
        for (auto const& tasks : one.tasks) rank.add(tasks);
        rank.policy->received(one.from);
        break;
    }
  }

  share_state state_of(rank_state const& rank) const {
    auto const mean_ns = rank.finished > 0 ? double(rank.busy_ns) / double(rank.finished) : 0;
    return {rank.waiting, cluster_.workers - rank.idle, cluster_.workers,
            mean_ns > 0 ? double(cluster_.workers) / mean_ns : 0};
  }

  void look(std::uint32_t number) {
    auto& rank = ranks_[number];
    for (; rank.idle > 0 && rank.waiting > 0; --rank.idle) {
      auto const task = rank.take_first();
      auto const duration = std::int64_t(double(cluster_.task_ns(task)) / cluster_.speed(number));
      rank.busy_ns += duration;
      note(now_ + duration, kind::end_of_task, number, task);
    }
    // A piece is on the link, and the next may wait behind it.
    auto const piece_ns = std::int64_t(double(cluster_.piece_bytes) / cluster_.bytes_per_ns);
    auto const may_send = rank.link_free <= now_ + piece_ns;
    share_view const view{.now_ns = now_,
                          .own = state_of(rank),
                          .round_trip_ns = 2 * (cluster_.latency_ns + 2 * cluster_.message_ns),
                          .messages = may_send ? 1u : 0u,
                          .piece_tasks = cluster_.piece_bytes / task_bytes};
    auto const decision = rank.policy->decide(view);
    bool has_given = false;
    for (auto const& action : decision.actions) {
      send(number, action);
      has_given = has_given || action.what == share_action::kind::give;
    }
    auto again = decision.look_again_ns;
    if (has_given || !may_send) again = std::min(again, std::max(now_, rank.link_free - piece_ns));
    // A rank that has given looks again, since more may be promised; nobody else needs to.
    if (again != std::numeric_limits<std::int64_t>::max() && (rank.look_at < 0 || again < rank.look_at)) {
      rank.look_at = again;
      note(again, kind::look, number);
    }
  }

  void send(std::uint32_t from, share_action const& action) {
    auto& rank = ranks_[from];
    message one{action.what, from, action.rank, {}, state_of(rank)};
    std::uint64_t bytes = 24;
    if (action.what == share_action::kind::give) {
      one.tasks = rank.take_last(action.tasks);
      bytes += action.tasks * task_bytes;
      ++outcome_.gifts;
      outcome_.moved_tasks += action.tasks;
    }
    outcome_.asks += action.what == share_action::kind::ask;
    ++outcome_.messages;
    rank.thread_free = std::max(rank.thread_free, now_) + cluster_.message_ns;
    rank.link_free =
        std::max(rank.link_free, rank.thread_free) + std::int64_t(double(bytes) / cluster_.bytes_per_ns);
    auto& receiver = ranks_[action.rank];
    receiver.thread_free =
        std::max(receiver.thread_free, rank.link_free + cluster_.latency_ns) + cluster_.message_ns;
    if (free_.empty()) {
      free_.push_back(messages_.size());
      messages_.emplace_back();
    }
    auto const slot = free_.back();
    free_.pop_back();
    messages_[slot] = std::move(one);
    note(receiver.thread_free, kind::arrival, action.rank, slot);
  }

  static constexpr std::uint32_t task_bytes = 48;

  invented_cluster cluster_;
  std::vector<rank_state> ranks_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::vector<message> messages_;
  std::vector<std::uint64_t> free_;  ///< of messages_
  std::int64_t now_ = 0;
  std::uint64_t noted_ = 0, left_ = 0;  ///< events so far; tasks that have to end
  cluster_outcome outcome_;
};

/// When the last task would end if every idle worker of the cluster had the next task at once.
inline std::int64_t list_schedule_ns(invented_cluster const& cluster) {
  struct worker {
    std::int64_t free;
    double speed;
    bool operator>(worker const& other) const {
      return free != other.free ? free > other.free : speed < other.speed;
    }
  };
  std::priority_queue<worker, std::vector<worker>, std::greater<>> workers;
  std::uint64_t tasks = 0;
  for (std::uint32_t rank = 0; rank < cluster.ranks; ++rank) {
    tasks += cluster.submitted(rank);
    for (std::uint32_t i = 0; i < cluster.workers; ++i) workers.push({0, cluster.speed(rank)});
  }
  std::int64_t end = 0;
  for (std::uint64_t task = 0; task < tasks; ++task) {
    auto next = workers.top();
    workers.pop();
    next.free += std::int64_t(double(cluster.task_ns(task)) / next.speed);
    end = std::max(end, next.free);
    workers.push(next);
  }
  return end;
}

/// A number for each task, evenly distributed over 64 bits.
inline std::uint64_t hash_of_task(std::uint64_t task) {
  auto z = (task + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 32);
}

/// Durations of tasks between half and one and a half times the mean, the same for the same task.
inline std::function<std::int64_t(std::uint64_t)> uneven_tasks(std::int64_t mean_ns) {
  return [mean_ns](std::uint64_t task) {
    return mean_ns / 2 + std::int64_t(hash_of_task(task) % std::uint64_t(mean_ns));
  };
}

/// Exponentially distributed ones.
inline std::function<std::int64_t(std::uint64_t)> exponential_tasks(std::int64_t mean_ns) {
  return [mean_ns](std::uint64_t task) {
    auto const part = (double(hash_of_task(task) >> 11) + 0.5) / double(std::uint64_t(1) << 53);
    return std::int64_t(-std::log(part) * double(mean_ns));
  };
}

}  // namespace ballast::test
