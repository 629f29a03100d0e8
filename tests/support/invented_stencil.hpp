// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "invented_events.hpp"
#include "invented_network.hpp"

namespace ballast::test {

/// Steps of cells in a line, on a cluster that does not exist. A cell's task of a step begins when the last
/// tasks of the cell and of its two neighbours have ended. Cells stay on their rank, each with a worker of
/// its own, as units of jobs over ranks; nothing is shared. What crosses a border of two ranks is a message.
struct invented_stencil {
  std::uint32_t hosts = 2, ranks_of_host = 1;
  std::uint32_t cells_of_rank = 64, steps = 100;
  invented_links links = {};
  std::uint64_t message_bytes = 64;
  std::int64_t begin_ns = 0;   ///< that a rank needs to have a worker begin a task
  std::int64_t border_ns = 0;  ///< from a worker to the thread for messages, and from there to a worker
  /// How long a task takes; they are numbered step by step, and in a step from cell to cell.
  std::function<std::int64_t(std::uint64_t)> task_ns = [](std::uint64_t) { return 1'000'000; };

  std::uint32_t cells() const { return hosts * ranks_of_host * cells_of_rank; }
};

/// What came of it.
struct stencil_outcome {
  std::int64_t end_ns = 0;  ///< when the last task ended
  double work_ns = 0;       ///< that all tasks took
  std::uint64_t executed = 0, messages = 0;
};

/// Plays it event by event; deterministic.
class stencil_play {
 public:
  explicit stencil_play(invented_stencil stencil)
      : stencil_(std::move(stencil)),
        network_(stencil_.links, stencil_.hosts * stencil_.ranks_of_host, stencil_.ranks_of_host),
        cells_(stencil_.cells()) {}

  /// Until all tasks were executed.
  stencil_outcome play() {
    for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) begin(cell);
    while (!events_.empty()) {
      auto const next = events_.take_first();
      now_ = next.at;
      happen(next);
    }
    return outcome_;
  }

 private:
  struct cell_state {
    std::uint32_t step = 0;                ///< of its next task
    std::array<std::uint8_t, 2> has = {};  ///< what even and odd steps need: no neighbour is two ahead
  };
  enum class kind : std::uint8_t { end_of_task, departure, arrival, input };
  struct event {
    std::int64_t at;
    std::uint64_t order;  ///< in which they were noted: equal times keep it
    kind what;
    bool is_odd;               ///< the step that an input is for
    std::uint32_t cell, from;  ///< whose task or input it is, and the neighbour that it comes from
    bool operator>(event const& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void note(std::int64_t at, kind what, std::uint32_t cell, std::uint32_t from = 0, bool is_odd = false) {
    events_.add({at, noted_++, what, is_odd, cell, from});
  }
  std::uint32_t rank_of(std::uint32_t cell) const { return cell / stencil_.cells_of_rank; }

  void happen(event const& next) {
    auto const from = rank_of(next.from), to = rank_of(next.cell);
    switch (next.what) {
      case kind::end_of_task:
        return end(next.cell);
      case kind::departure:
        ++outcome_.messages;
        return note(network_.send(now_, from, to, stencil_.message_bytes), kind::arrival, next.cell,
                    next.from, next.is_odd);
      case kind::arrival:
        return note(network_.receive(now_, from, to, stencil_.message_bytes) + stencil_.border_ns,
                    kind::input, next.cell, next.from, next.is_odd);
      case kind::input:
        return take(next.cell, next.is_odd);
    }
  }

  void begin(std::uint32_t cell) {
    auto const duration = stencil_.task_ns(std::uint64_t(cells_[cell].step) * cells_.size() + cell);
    outcome_.work_ns += double(duration);
    note(now_ + stencil_.begin_ns + duration, kind::end_of_task, cell);
  }

  void end(std::uint32_t cell) {
    ++outcome_.executed;
    outcome_.end_ns = now_;
    auto const next_step = ++cells_[cell].step;
    bool const is_odd = next_step % 2 == 1;
    if (next_step == stencil_.steps) return;
    take(cell, is_odd);
    if (cell > 0) tell(cell, cell - 1, is_odd);
    if (cell + 1 < cells_.size()) tell(cell, cell + 1, is_odd);
  }

  void tell(std::uint32_t cell, std::uint32_t neighbour, bool is_odd) {
    if (rank_of(cell) == rank_of(neighbour)) return take(neighbour, is_odd);
    note(now_ + stencil_.border_ns, kind::departure, neighbour, cell, is_odd);
  }

  void take(std::uint32_t cell, bool is_odd) {
    auto& has = cells_[cell].has[is_odd ? 1 : 0];
    auto const needs = 1 + (cell > 0 ? 1 : 0) + (cell + 1 < cells_.size() ? 1 : 0);
    if (++has < needs) return;
    has = 0;
    begin(cell);
  }

  invented_stencil stencil_;
  invented_network network_;
  std::vector<cell_state> cells_;
  invented_events<event> events_;
  std::int64_t now_ = 0;
  std::uint64_t noted_ = 0;
  stencil_outcome outcome_;
};

}  // namespace ballast::test
