// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "ballast/detail/cluster/share_policy.hpp"
#include "ballast/detail/queue/feed_policy.hpp"
#include "invented_events.hpp"
#include "invented_network.hpp"
#include "invented_tasks.hpp"

namespace ballast::test {

using namespace detail;

/// What executes tasks: `workers` at once, each in 1 / `speed` of the time that the task takes.
struct invented_device {
  std::uint32_t workers = 64;
  double speed = 1;
};

/// The same devices of every rank.
inline std::function<std::vector<invented_device>(std::uint32_t)> each_rank_has(
    std::vector<invented_device> devices) {
  return [devices = std::move(devices)](std::uint32_t) { return devices; };
}

/// A cluster that does not exist: its hosts, their ranks, the devices of these, the network between them, and
/// the tasks that are submitted.
struct invented_cluster {
  /// A rank that does nothing from then on.
  struct loss {
    std::uint32_t rank;
    std::int64_t at_ns;
  };

  std::string policy = "lifeline";
  std::uint32_t hosts = 2, ranks_of_host = 1;  ///< at most 65536 ranks in all
  /// Of a rank, 1 to 255. They pull from its backlog as those of a balanced_queue.
  std::function<std::vector<invented_device>(std::uint32_t)> devices = each_rank_has({{}});
  invented_links links = {};
  std::uint32_t piece_bytes = 65'536;  ///< a message carries
  std::int64_t packing_ns = 0;         ///< that a rank's thread for messages needs for each task in one
  std::int64_t feed_ns = 20'000;       ///< until a worker sees what its device was given
  std::int64_t feeding_ns = 0;         ///< that who feeds a device needs for each task
  std::uint64_t seed = 1;
  /// Tasks that each rank submits at the start, `submitted(rank)`.
  std::function<std::uint64_t(std::uint32_t)> submitted = [](std::uint32_t) { return 0; };
  /// How long a task takes a device of speed 1.
  std::function<std::int64_t(std::uint64_t)> task_ns = [](std::uint64_t) { return 1'000'000; };
  /// Each of another rank. Tasks that it had are executed again, if the rank lives that submitted them.
  std::vector<loss> losses = {};
  std::int64_t lost_after_ns = 500'000;  ///< until others know, one after the other

  std::uint32_t ranks() const { return hosts * ranks_of_host; }
};

/// Ranks of four workers, one on each host; all tasks are submitted by rank 0.
inline invented_cluster from_one_rank(std::string const& policy, std::uint32_t ranks, std::uint64_t tasks) {
  invented_cluster cluster;
  cluster.policy = policy;
  cluster.hosts = ranks;
  cluster.devices = each_rank_has({{4}});
  cluster.submitted = [tasks](std::uint32_t rank) { return rank == 0 ? tasks : 0; };
  cluster.task_ns = uneven_tasks(100'000);
  return cluster;
}

/// What came of it.
struct cluster_outcome {
  std::int64_t end_ns = 0;                           ///< when the last task ended
  std::vector<std::uint32_t> runs;                   ///< of each task, how often it was executed to its end
  std::vector<std::vector<std::uint64_t>> executed;  ///< by each device of each rank
  std::uint64_t messages = 0, asks = 0, gifts = 0, moved_tasks = 0;

  std::uint64_t executed_by(std::uint32_t rank) const {
    return std::accumulate(executed[rank].begin(), executed[rank].end(), std::uint64_t(0));
  }
  bool is_each_once() const {
    return std::ranges::all_of(runs, [](std::uint32_t times) { return times == 1; });
  }
};

/// Plays a cluster with the policies that a real one would ask, event by event; deterministic. (That tasks
/// are told to be done, which costs every origin up to a tenth of its thread, is left out.)
class cluster_play {
 public:
  explicit cluster_play(invented_cluster cluster)
      : cluster_(std::move(cluster)),
        network_(cluster_.links, cluster_.ranks(), cluster_.ranks_of_host),
        ranks_(cluster_.ranks()) {
    outcome_.executed.resize(cluster_.ranks());
    for (std::uint32_t i = 0; i < cluster_.ranks(); ++i) {
      auto const hosts_first = i / cluster_.ranks_of_host * cluster_.ranks_of_host;
      ranks_[i].policy = make_share_policy(
          cluster_.policy, {i, cluster_.ranks(), hosts_first, cluster_.ranks_of_host, cluster_.seed});
      for (auto const& device : cluster_.devices(i)) {
        ranks_[i].devices.push_back({make_feed_policy("rate"), device});
        ranks_[i].workers += device.workers;
      }
      outcome_.executed[i].resize(ranks_[i].devices.size());
      auto const count = cluster_.submitted(i);
      if (count > 0) ranks_[i].backlog.add({left_, count});
      ranks_[i].first_task = left_;
      left_ += count;
    }
    for (auto const& one : cluster_.losses) note(one.at_ns, kind::loss, one.rank);
    outcome_.runs.resize(left_);
  }

  /// Until all tasks were executed, or nothing happens any more, or 100 s have passed there.
  cluster_outcome play() {
    for (std::uint32_t i = 0; i < cluster_.ranks(); ++i) look(i);
    while (left_ > 0 && !events_.empty() && now_ < longest_ns) {
      auto const next = events_.take_first();
      now_ = next.at;
      happen(next);
    }
    return std::move(outcome_);
  }

 private:
  struct task_range {
    std::uint64_t first, count;
  };
  struct task_ranges {
    std::deque<task_range> ranges;
    std::uint64_t tasks = 0;

    void add(task_range range) {
      ranges.push_back(range);
      tasks += range.count;
    }
    std::uint64_t take_first() { return take_first(1).first; }
    /// At most so many, at least one.
    task_range take_first(std::uint64_t count) {
      auto& front = ranges.front();
      task_range const taken{front.first, std::min(front.count, count)};
      front.first += taken.count;
      front.count -= taken.count;
      tasks -= taken.count;
      if (front.count == 0) ranges.pop_front();
      return taken;
    }
    std::vector<task_range> take_last(std::uint64_t count) {
      std::vector<task_range> taken;
      tasks -= count;
      while (count > 0) {
        auto& back = ranges.back();
        auto const some = std::min(back.count, count);
        back.count -= some;
        count -= some;
        taken.push_back({back.first + back.count, some});
        if (back.count == 0) ranges.pop_back();
      }
      return taken;
    }
  };
  struct message {
    share_action::kind what;
    std::uint32_t from, to;
    std::vector<task_range> tasks;
    share_state state;
    std::uint64_t count = 0;  ///< of the tasks

    std::uint64_t bytes() const { return 24 + count * task_bytes; }
  };
  struct device_state {
    std::unique_ptr<feed_policy> policy;
    invented_device is;
    task_ranges held = {};  ///< given, and not begun
    std::uint64_t given = 0, seen = 0, taken = 0, finished = 0;
    std::uint64_t wake_at_taken = 0;
    std::int64_t feeder_free = 0, busy_ns = 0;
    double tasks_per_ns =
        0;  ///< 0 until it has ended a task for each worker: the first to end are short ones

    std::uint64_t unfinished() const { return given - finished; }
    std::uint64_t idle() const { return is.workers - std::min<std::uint64_t>(is.workers, unfinished()); }
    bool can_begin() const { return seen > taken && taken - finished < is.workers; }
    void end(std::int64_t duration) {
      ++finished;
      busy_ns += duration;
      if (finished >= is.workers && busy_ns > 0)
        tasks_per_ns = double(is.workers) * double(finished) / double(busy_ns);
    }
  };
  struct rank_state {
    std::unique_ptr<share_policy> policy;
    std::vector<device_state> devices;
    std::uint32_t workers = 0;
    task_ranges backlog;
    std::uint64_t first_task = 0;  ///< of those that it submitted
    bool is_lost = false, is_known_to_be_lost = false;
    std::vector<task_range> left;  ///< once it is lost: tasks that it had, until others know
    std::int64_t look_at = -1;

    share_state state() const {
      share_state is{backlog.tasks, 0, workers, 0};
      bool is_known = true;
      for (auto const& device : devices) {
        is.running += device.unfinished();
        is.tasks_per_ns += device.tasks_per_ns;
        is_known = is_known && device.tasks_per_ns > 0;
      }
      if (!is_known) is.tasks_per_ns = 0;
      return is;
    }
  };
  enum class kind : std::uint8_t { end_of_task, feed, arrival, received, look, loss, news_of_loss };
  struct event {
    std::int64_t at;
    std::uint32_t order;  ///< in which they were noted: equal times keep it
    kind what;
    std::uint8_t device;
    std::uint16_t rank;
    std::uint64_t
        of;  ///< the task, how many are fed, the message's number, or the rank of which there is news
    bool operator>(event const& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void note(std::int64_t at, kind what, std::uint32_t rank, std::uint64_t of = 0, std::uint8_t device = 0) {
    events_.add({at, noted_++, what, device, std::uint16_t(rank), of});
  }

  void happen(event const& next) {
    auto& rank = ranks_[next.rank];
    if (rank.is_lost) return leave(rank, next);
    switch (next.what) {
      case kind::end_of_task:
        end(next);
        break;
      case kind::feed:
        rank.devices[next.device].seen += next.of;
        if (!serve(next.rank, next.device)) return;
        break;
      case kind::arrival: {
        auto const& one = messages_[next.of];
        auto const at = network_.receive(now_, one.from, one.to, one.bytes(),
                                         cluster_.packing_ns * std::int64_t(one.count));
        return note(at, kind::received, next.rank, next.of);
      }
      case kind::received:
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

  void end(event const& next) {
    auto& device = ranks_[next.rank].devices[next.device];
    device.end(duration_of(next.of, device));
    ++outcome_.runs[next.of];
    ++outcome_.executed[next.rank][next.device];
    outcome_.end_ns = now_;
    --left_;
  }

  /// What comes to a lost rank, or would have ended there.
  void leave(rank_state& rank, event const& next) {
    if (next.what == kind::end_of_task) rank.left.push_back({next.of, 1});
    if (next.what == kind::arrival || next.what == kind::received)
      for (auto const& tasks : message_of(next.of).tasks) rank.left.push_back(tasks);
    if (rank.is_known_to_be_lost) give_back(std::exchange(rank.left, {}));
  }

  void lose(std::uint32_t number) {
    auto& rank = ranks_[number];
    rank.is_lost = true;
    rank.left.assign(rank.backlog.ranges.begin(), rank.backlog.ranges.end());
    for (auto const& device : rank.devices)
      rank.left.insert(rank.left.end(), device.held.ranges.begin(), device.held.ranges.end());
    for (std::uint32_t i = 0; i < cluster_.ranks(); ++i)
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
        ranks_[of].backlog.add({first, 1});
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
        for (auto const& tasks : one.tasks) rank.backlog.add(tasks);
        rank.policy->received(one.from);
        break;
    }
  }

  std::int64_t duration_of(std::uint64_t task, device_state const& on) const {
    return std::int64_t(double(cluster_.task_ns(task)) / on.is.speed);
  }

  /// Has the workers of a device begin tasks, and gives it more, which then can go to no other any more.
  /// Returns whether it did that.
  bool serve(std::uint32_t number, std::uint8_t which) {
    auto& rank = ranks_[number];
    auto& device = rank.devices[which];
    for (; device.can_begin(); ++device.taken) {
      auto const task = device.held.take_first();
      note(now_ + duration_of(task, device), kind::end_of_task, number, task, which);
    }
    if (rank.backlog.tasks == 0 || device.taken < device.wake_at_taken) return false;
    std::uint64_t idle_elsewhere = 0;
    for (auto const& other : rank.devices)
      if (&other != &device) idle_elsewhere += other.idle();
    auto const decision = device.policy->decide({.now_ns = now_,
                                                 .backlog = rank.backlog.tasks,
                                                 .given = device.given,
                                                 .taken = device.taken,
                                                 .finished = device.finished,
                                                 .workers = device.is.workers,
                                                 .devices = std::uint32_t(rank.devices.size()),
                                                 .idle_elsewhere = idle_elsewhere,
                                                 .feed_latency_ns = cluster_.feed_ns});
    device.wake_at_taken = decision.wake_at_taken;
    if (decision.tasks == 0) return false;
    for (std::uint64_t left = decision.tasks; left > 0; left -= device.held.ranges.back().count)
      device.held.add(rank.backlog.take_first(left));
    device.given += decision.tasks;
    device.feeder_free =
        std::max(device.feeder_free, now_) + cluster_.feeding_ns * std::int64_t(decision.tasks);
    note(device.feeder_free + cluster_.feed_ns, kind::feed, number, decision.tasks, which);
    return true;
  }

  void look(std::uint32_t number) {
    auto& rank = ranks_[number];
    for (std::uint8_t i = 0; i < rank.devices.size(); ++i) serve(number, i);
    // A piece leaves the host, and the next may wait behind it.
    auto const piece_ns = network_.card_ns(cluster_.piece_bytes);
    auto const may_send = network_.has_left(number) <= now_ + piece_ns;
    auto const decision = rank.policy->decide({.now_ns = now_,
                                               .own = rank.state(),
                                               .round_trip_ns = network_.round_trip_ns(),
                                               .messages = may_send ? 1u : 0u,
                                               .piece_tasks = cluster_.piece_bytes / task_bytes});
    bool has_given = false;
    for (auto const& action : decision.actions) {
      send(number, action);
      has_given = has_given || action.what == share_action::kind::give;
    }
    auto again = decision.look_again_ns;
    if (has_given || !may_send) again = std::min(again, std::max(now_, network_.has_left(number) - piece_ns));
    // A rank that has given looks again, since more may be promised; nobody else needs to.
    if (again != std::numeric_limits<std::int64_t>::max() && (rank.look_at < 0 || again < rank.look_at)) {
      rank.look_at = again;
      note(again, kind::look, number);
    }
  }

  void send(std::uint32_t from, share_action const& action) {
    auto& rank = ranks_[from];
    message one{action.what, from, action.rank, {}, rank.state()};
    if (action.what == share_action::kind::give) {
      one.tasks = rank.backlog.take_last(action.tasks);
      one.count = action.tasks;
      ++outcome_.gifts;
      outcome_.moved_tasks += action.tasks;
    }
    outcome_.asks += action.what == share_action::kind::ask;
    ++outcome_.messages;
    auto const at =
        network_.send(now_, from, action.rank, one.bytes(), cluster_.packing_ns * std::int64_t(one.count));
    if (free_.empty()) {
      free_.push_back(messages_.size());
      messages_.emplace_back();
    }
    auto const slot = free_.back();
    free_.pop_back();
    messages_[slot] = std::move(one);
    note(at, kind::arrival, action.rank, slot);
  }

  static constexpr std::uint32_t task_bytes = 48;
  static constexpr std::int64_t longest_ns = 100'000'000'000;

  invented_cluster cluster_;
  invented_network network_;
  std::vector<rank_state> ranks_;
  invented_events<event> events_;
  std::vector<message> messages_;
  std::vector<std::uint64_t> free_;  ///< of messages_
  std::int64_t now_ = 0;
  std::uint32_t noted_ = 0;  ///< events so far
  std::uint64_t left_ = 0;   ///< tasks that have to end
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
  for (std::uint32_t rank = 0; rank < cluster.ranks(); ++rank) {
    tasks += cluster.submitted(rank);
    for (auto const& device : cluster.devices(rank))
      for (std::uint32_t i = 0; i < device.workers; ++i) workers.push({0, device.speed});
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

}  // namespace ballast::test
