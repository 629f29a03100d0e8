// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ballast::test {

/// Algorithms 2 and 3 of Chen et al. 2010 as a machine that makes one access to shared memory per step, so
/// that every order of the steps of the host and the blocks can be followed to its end. As printed, or
/// mended.
struct chen_model {
  static constexpr std::size_t max_queues = 2, max_size = 2, max_blocks = 3, max_tasks = 3;
  static constexpr std::int8_t nothing = 0, halt = 9;  ///< tasks are 1 .. tasks

  std::int8_t queues, size, blocks, tasks;
  bool last_reports;       ///< line 13 compares the new count, not the old one
  bool awaits_the_refill;  ///< line 9 waits until d_written shows that the refill is complete

  struct shared_queue {
    std::int8_t n = 0, written = 0, consumed = 0, h_consumed = 0;
    std::array<std::int8_t, max_size> slots{};
  };
  struct host {
    enum step : std::int8_t { looks, writes_n, writes_slots, publishes, done };
    std::int8_t at = looks, queue = 0, sent = 0, part = 0, slot = 0;
    std::array<std::int8_t, max_queues> h_written{};
  };
  struct block {
    enum step : std::int8_t {
      reads_consumed,
      compares,
      claims,
      awaits,
      confirms,
      reads,
      consumes,
      reports_if_last,
      executes,
      left
    };
    std::int8_t at = reads_consumed, queue = 0, consumed = 0, place = 0, task = nothing, before = 0;
  };
  struct state {
    std::array<shared_queue, max_queues> queue{};
    host feeder{};
    std::array<block, max_blocks> worker{};
    std::array<std::int8_t, max_tasks> executed{};  ///< counted up to 2
  };

  bool ended(state const& now) const {
    for (std::int8_t i = 0; i < blocks; ++i)
      if (now.worker[std::size_t(i)].at != block::left) return false;
    return now.feeder.at == host::done;
  }
  bool each_once(state const& now) const {
    for (std::int8_t i = 0; i < tasks; ++i)
      if (now.executed[std::size_t(i)] != 1) return false;
    return true;
  }

  /// Algorithm 2, one access. HALTs follow the tasks once every queue is empty.
  void step_host(state& now) const {
    auto& me = now.feeder;
    auto& queue = now.queue[std::size_t(me.queue)];
    switch (me.at) {
      case host::looks:
        return look(now);
      case host::writes_n:  // one copy writes n and the tasks, in an order that nobody knows
        queue.n = me.part;
        me.slot = 0;
        me.at = host::writes_slots;
        return;
      case host::writes_slots: {
        auto const next = std::int8_t(me.sent + me.slot + 1);
        queue.slots[std::size_t(me.slot++)] = next > tasks ? halt : next;
        if (me.slot == me.part) me.at = host::publishes;
        return;
      }
      default:
        me.h_written[std::size_t(me.queue)] = std::int8_t(me.h_written[std::size_t(me.queue)] + me.part);
        queue.written = me.h_written[std::size_t(me.queue)];
        me.sent = std::int8_t(me.sent + me.part);
        me.queue = std::int8_t((me.queue + 1) % queues);
        me.at = me.sent == tasks + blocks ? host::done : host::looks;
    }
  }

  /// Algorithm 3, one access.
  void step_block(state& now, std::size_t which) const {
    auto& me = now.worker[which];
    auto& queue = now.queue[std::size_t(me.queue)];
    switch (me.at) {
      case block::reads_consumed:
        me.consumed = queue.consumed;
        me.at = block::compares;
        return;
      case block::compares:
        if (me.consumed == queue.written) return turn(me);
        me.at = block::claims;
        return;
      case block::claims:  // below zero n says nothing more, so it stays there: the states are finitely many
        if (queue.n <= 0) return turn(me);
        me.place = --queue.n;
        me.at = awaits_the_refill ? block::awaits : block::reads;
        return;
      case block::awaits:
        me.consumed = queue.consumed;
        me.at = block::confirms;
        return;
      case block::confirms:
        me.at = me.consumed < queue.written ? block::reads : block::awaits;
        return;
      case block::reads:
        me.task = queue.slots[std::size_t(me.place)];
        me.at = block::consumes;
        return;
      case block::consumes:
        me.before = queue.consumed++;
        me.at = block::reports_if_last;
        return;
      case block::reports_if_last:
        me.at = block::executes;
        if (me.before + (last_reports ? 1 : 0) == queue.written) queue.h_consumed = queue.consumed;
        return;
      default:
        return execute(now, me);
    }
  }

 private:
  void look(state& now) const {
    auto& me = now.feeder;
    bool const halts = me.sent >= tasks;
    if (halts && !all_empty(now)) return;
    if (!is_empty(now, me.queue)) {
      me.queue = std::int8_t((me.queue + 1) % queues);
      return;
    }
    auto const rest = std::int8_t((halts ? tasks + blocks : tasks) - me.sent);
    me.part = rest < size ? rest : size;
    me.at = host::writes_n;
  }
  bool is_empty(state const& now, std::int8_t queue) const {
    return now.queue[std::size_t(queue)].h_consumed == now.feeder.h_written[std::size_t(queue)];
  }
  bool all_empty(state const& now) const {
    for (std::int8_t queue = 0; queue < queues; ++queue)
      if (!is_empty(now, queue)) return false;
    return true;
  }
  void turn(block& me) const {
    me = {block::reads_consumed, std::int8_t((me.queue + 1) % queues), 0, 0, nothing, 0};
  }
  void execute(state& now, block& me) const {
    if (me.task == halt) {
      me = {block::left, 0, 0, 0, nothing, 0};
      return;
    }
    if (me.task != nothing) {
      auto& count = now.executed[std::size_t(me.task - 1)];
      if (count < 2) ++count;
    }
    me = {block::reads_consumed, me.queue, 0, 0, nothing, 0};
  }
};

/// What all orders of steps together can lead to.
struct chen_verdict {
  std::size_t states = 0;  ///< that can be reached
  std::size_t hung = 0;    ///< of these, from which no further steps lead to the end
  std::size_t ends = 0;
  std::size_t wrong_ends = 0;  ///< at which a task was lost or executed twice
};

/// Follows every order of steps. The states are finitely many, so this ends.
class every_order {
 public:
  explicit every_order(chen_model const& model) : model_(&model) {
    find({});
    for (std::size_t i = 0; i < states_.size(); ++i) follow(i);
  }

  chen_verdict verdict() const {
    chen_verdict found;
    found.states = states_.size();
    found.hung = states_.size() - reach_an_end();
    for (auto const& state : states_) {
      found.ends += model_->ended(state);
      found.wrong_ends += model_->ended(state) && !model_->each_once(state);
    }
    return found;
  }

 private:
  void follow(std::size_t from) {
    auto const begin = states_[from];
    if (begin.feeder.at != chen_model::host::done) {
      auto next = begin;
      model_->step_host(next);
      reached_from_[find(next)].push_back(from);
    }
    for (std::size_t i = 0; i < std::size_t(model_->blocks); ++i) {
      if (begin.worker[i].at == chen_model::block::left) continue;
      auto next = begin;
      model_->step_block(next, i);
      reached_from_[find(next)].push_back(from);
    }
  }
  std::size_t find(chen_model::state const& state) {
    static_assert(std::has_unique_object_representations_v<chen_model::state>);
    std::string const bytes(reinterpret_cast<char const*>(&state), sizeof state);
    auto const [entry, is_new] = numbers_.try_emplace(bytes, states_.size());
    if (is_new) {
      states_.push_back(state);
      reached_from_.emplace_back();
    }
    return entry->second;
  }
  std::size_t reach_an_end() const {
    std::vector<std::size_t> found;
    std::vector<bool> seen(states_.size());
    auto const note = [&](std::size_t state) {
      if (!seen[state]) found.push_back(state);
      seen[state] = true;
    };
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (model_->ended(states_[i])) note(i);
    for (std::size_t i = 0; i < found.size(); ++i)
      for (auto const before : reached_from_[found[i]]) note(before);
    return found.size();
  }

  chen_model const* model_;
  std::vector<chen_model::state> states_;
  std::vector<std::vector<std::size_t>> reached_from_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace ballast::test
