// SPDX-License-Identifier: Apache-2.0
// Batches from several threads, to queues that are stopped and get back what they did not run.

#include <algorithm>
#include <array>
#include <functional>
#include <thread>

#include "any_queue.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::soak {
namespace {

using batch = std::vector<task>;
using batches = std::vector<batch>;

/// Hands batches to a queue until it refuses them.
class submitting_thread {
 public:
  submitting_thread(any_queue& queue, batches todo, std::chrono::microseconds timeout)
      : queue_(queue), todo_(std::move(todo)), timeout_(timeout) {}

  void run(soak_counts& counts) {
    try {
      for (; next_ < todo_.size(); ++next_) submit(todo_[next_], counts);
    } catch (error const&) { was_refused_ = true; }
  }
  bool was_refused() const { return was_refused_; }
  /// The batch that was refused, of which a part may have been accepted.
  std::span<task const> uncertain() const {
    if (!was_refused_) return {};
    return std::span(todo_[next_]).subspan(accepted_);
  }
  /// Those that were never offered.
  std::vector<task> rest() const {
    std::vector<task> all;
    for (auto i = next_ + 1; i < todo_.size(); ++i) all.insert(all.end(), todo_[i].begin(), todo_[i].end());
    return all;
  }

 private:
  void submit(std::span<task const> offered, soak_counts& counts) {
    for (accepted_ = 0; accepted_ < offered.size();) {
      auto const now = queue_.submit(offered.subspan(accepted_), deadline::in(timeout_));
      accepted_ += now;
      if (accepted_ < offered.size()) ++counts.deadlines;
    }
  }

  any_queue& queue_;
  batches todo_;
  std::chrono::microseconds timeout_;
  std::size_t next_ = 0, accepted_ = 0;
  bool was_refused_ = false;
};

class queue_program {
 public:
  explicit queue_program(scenario& of)
      : of_(of),
        devices_(of.devices(3)),
        blocks_(std::uint32_t(of.drawn(1, of.one_in(4) ? 20'000 : 2'000))),
        visits_(devices_.front(), blocks_),
        max_steps_(std::uint32_t(of.one_in(2) ? 0 : of.drawn(1, 20'000))) {
    std::ranges::fill(visits_.span(), 0u);
  }

  void run() {
    todo_ = every_task();
    auto queue = make_queue(of_, devices_);
    for (auto stops = of_.drawn(0, 3); stops > 0 && !todo_.empty(); --stops) {
      run_and_stop(*queue);
      if (todo_.empty()) return check();
      ++of_.counts.resumes;
      if (of_.one_in(2)) {
        queue.reset();
        queue = make_queue(of_, devices_);
      } else {
        queue->start();
      }
    }
    if (!of_.has_gpus() && of_.one_in(8)) return run_with_fault(*queue);
    run_to_the_end(*queue);
    check();
  }

 private:
  std::vector<task> every_task() {
    auto const most = of_.drawn(1, 16);
    std::vector<task> all;
    for (std::uint32_t first = 0; first < blocks_; first += all.back().range().count) {
      auto const count = std::uint32_t(std::min<std::uint64_t>(of_.drawn(1, most), blocks_ - first));
      task const one(visit{words(), max_steps_}, {first, count}, {std::uint32_t(of_.drawn(0, 5))});
      all.push_back(count > 1 && of_.one_in(3) ? grid_task(one) : one);
    }
    of_.counts.tasks += all.size();
    return all;
  }
  array_ref<std::uint32_t> words() const { return array_ref<std::uint32_t>(visits_.data()); }

  std::vector<submitting_thread> submitters(any_queue& queue) {
    std::array<std::chrono::microseconds, 3> const timeouts{
        std::chrono::microseconds(0), std::chrono::microseconds(200), std::chrono::minutes(3)};
    std::vector<batches> dealt(of_.drawn(1, 4));
    auto const most = of_.drawn(1, 300);
    for (std::size_t at = 0; at < todo_.size();) {
      auto const count = std::min<std::size_t>(of_.drawn(1, most), todo_.size() - at);
      batch next(todo_.begin() + std::ptrdiff_t(at), todo_.begin() + std::ptrdiff_t(at + count));
      // As queue_full counts them.
      std::ranges::stable_sort(next, std::greater(), &task::cost);
      dealt[of_.drawn(0, dealt.size() - 1)].push_back(std::move(next));
      at += count;
    }
    std::vector<submitting_thread> all;
    for (auto& each : dealt) all.emplace_back(queue, std::move(each), timeouts[of_.drawn(0, 2)]);
    return all;
  }

  std::vector<std::jthread> start(std::vector<submitting_thread>& all) {
    std::vector<std::jthread> threads;
    for (auto& each : all) threads.emplace_back([this, &each] { each.run(of_.counts); });
    return threads;
  }

  /// Stops it sometime; what is left becomes what is to be done.
  void run_and_stop(any_queue& queue) {
    ++of_.counts.stops;
    auto all = submitters(queue);
    auto const pause = std::chrono::microseconds(of_.drawn(0, 3000));
    bool const asks_first = of_.one_in(2), waits = of_.one_in(2);
    std::vector<task> handed_back;
    {
      auto threads = start(all);
      std::this_thread::sleep_for(pause);
      std::jthread asking;
      if (asks_first) asking = std::jthread([&queue] { queue.request_stop(); });
      if (asks_first && waits) wait_for_stop(queue);
      handed_back = queue.stop();
    }
    collect(handed_back, queue.stop());
    for (auto& each : all) collect_rest(handed_back, each);
    todo_ = std::move(handed_back);
  }

  static void collect(std::vector<task>& all, std::vector<task> const& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  void wait_for_stop(any_queue& queue) {
    try {
      queue.wait_all(late());
    } catch (stopped const&) {
    } catch (timed_out const& passed) { of_.report_failure(passed.what()); }
  }

  /// A refused batch may have been accepted in part: of its tasks those come again that neither ran nor were
  /// handed back.
  void collect_rest(std::vector<task>& all, submitting_thread const& thread) {
    std::vector<bool> handed(blocks_);
    for (auto const& each : all)
      for (std::uint32_t i = 0; i < each.range().count; ++i) handed[each.range().first + i] = true;
    for (auto const& each : thread.uncertain())
      for (std::uint32_t i = 0; i < each.range().count; ++i)
        if (auto const block = each.range().first + i; visits_[block] == 0 && !handed[block])
          all.emplace_back(visit{words(), max_steps_}, block_range{block, 1});
    if (thread.was_refused()) collect(all, thread.rest());
  }

  void run_to_the_end(any_queue& queue) {
    auto all = submitters(queue);
    bool const uses_short_timeout = of_.one_in(2);
    {
      auto threads = start(all);
      if (uses_short_timeout) wait_with_short_timeout(queue);
    }
    for (auto const& each : all)
      if (each.was_refused()) of_.report_failure("a batch was refused by a queue that nobody stopped");
    if (uses_short_timeout) wait_with_short_timeout(queue);
    queue.close();
  }

  void wait_with_short_timeout(any_queue& queue) {
    for (int i = 0; i < 5; ++i) try {
        return queue.wait_all(deadline::in(std::chrono::microseconds(50)));
      } catch (timed_out const&) { ++of_.counts.deadlines; }
    queue.wait_all(late());
  }

  /// What a device was given is lost with it, but nothing runs twice.
  void run_with_fault(any_queue& queue) {
    todo_.insert(todo_.begin() + std::ptrdiff_t(of_.drawn(0, todo_.size())), task(fault{words()}));
    auto all = submitters(queue);
    { auto threads = start(all); }
    try {
      queue.wait_all(late());
      of_.report_failure("a task that throws was not told");
    } catch (timed_out const& passed) { of_.report_failure(passed.what()); } catch (error const&) {
      ++of_.counts.faults;
    }
    stop_lost(queue);
    std::vector<std::uint32_t> expected(visits_.span().begin(), visits_.span().end());
    for (auto& each : expected) each = std::min(each, 1u);
    of_.check_visits(visits_.span(), expected, "with a lost device");
  }
  static void stop_lost(any_queue& queue) {
    try {
      queue.stop();
    } catch (device_lost const&) {}  // as it is to be
  }

  void check() { of_.check_visits(visits_.span(), std::vector<std::uint32_t>(blocks_, 1), "blocks"); }

  scenario& of_;
  device_list devices_;
  std::uint32_t blocks_;
  pinned_buffer<std::uint32_t> visits_;
  std::uint32_t max_steps_;
  std::vector<task> todo_;
};

}  // namespace

void soak_queue(scenario& of) { queue_program(of).run(); }

}  // namespace ballast::soak
