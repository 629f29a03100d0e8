// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "invented_machine.hpp"
#include "plan/job_planner.hpp"
#include "ranks/job_ranks.hpp"

namespace ballast::test {
using namespace detail;

/// A device that computes so many units per ns; it copies as its links in invented_machine() do.
struct planned_gpu {
  double ns_per_unit = 1000;
  std::size_t bytes = std::size_t(1) << 20;
};

/// A planner whose work ends as invented devices would end it: no thread, no clock.
class invented_plan final : public work_sink {
 public:
  explicit invented_plan(std::vector<planned_gpu> gpus, job_options options = {})
      : gpus_(std::move(gpus)),
        options_(std::move(options)),
        links_(invented_machine(std::uint32_t(gpus_.size()), std::uint32_t(gpus_.size()))),
        planner(ops, devices_of(gpus_), links_, options_, *this, retired_) {}

  /// An array of bytes. Nobody looks at them.
  std::shared_ptr<array_state> array(extents const& shape, std::string name = {}) {
    auto& memory = memory_.emplace_back(shape.elements());
    auto made =
        std::make_shared<array_state>(std::uint32_t(gpus_.size() + 1), ops, array_id(++arrays_),
                                      std::move(name), shape, 1, adopted_copy{memory.data()}, nullptr);
    planner.arrays().add(made);
    return made;
  }

  std::shared_ptr<array_state> array(std::size_t bytes, std::string name = {}) {
    return array(extents{bytes}, std::move(name));
  }

  /// `own`: the units of this rank; null for all. `parts`: of a job that runs in parts.
  std::shared_ptr<job_record> submit(job_setup setup, std::vector<job_argument> arguments,
                                     job_part const* own = nullptr,
                                     std::shared_ptr<job_parts> parts = nullptr) {
    job_request request{.setup = std::move(setup),
                        .arguments = std::move(arguments),
                        .kernel_name = "invented",
                        .factory = 1,
                        .launch = {},
                        .parts = std::move(parts)};
    auto const policy = request.setup.policy.empty() ? options_.policy : request.setup.policy;
    auto const tasks = request.setup.tasks == 0 ? options_.tasks : request.setup.tasks;
    auto whole = uses_of(request, {0, request.setup.grid.units()});
    auto job =
        std::make_shared<job_record>(planner.next_turn(), std::move(request), std::move(whole), nullptr,
                                     policy, tasks, std::weak_ptr<described_work const>(), default_timeout);
    if (job->units() != 0) job->measure_arguments();
    if (own != nullptr) job->own = *own;
    planner.add(job);
    advance();
    return job;
  }

  void take(planned_work work) override {
    auto const op = op_of(work);
    ops.mark_issued(op);
    lines.push_back(line_of(work));
    if (auto const* const copy = std::get_if<copy_work>(&work)) rows = copy->rows;
    auto begin_ns = std::max(now_ns_, stream_free_at_[ops.at(op).on]);
    for (auto const earlier : ops.at(op).dependencies) begin_ns = std::max(begin_ns, end_of_[earlier]);
    auto const end_ns = begin_ns + ns_of(work);
    stream_free_at_[ops.at(op).on] = end_of_[op] = end_ns;
    under_way_.push_back({std::move(work), begin_ns, end_ns});
  }

  bool waits_to_be_issued(op_id op) const override { return nothing_is_issued && !ops.has_ended(op); }

  /// Ends what would end next. Whether there was anything.
  bool end_next(std::exception_ptr const& failure = nullptr) {
    auto const next = std::ranges::min_element(
        under_way_, {}, [](one const& work) { return std::pair(work.end_ns, op_of(work.work)); });
    if (next == under_way_.end()) return false;
    auto const ended = std::move(*next);
    under_way_.erase(next);
    now_ns_ = ended.end_ns;
    auto const op = op_of(ended.work);
    ops.mark_ended(op, failure != nullptr);
    if (auto const* const exchange = std::get_if<exchange_work>(&ended.work))
      exchanges.handle_end(*exchange);
    else
      planner.handle_end(ended.work, ops.at(op).on.executor,
                         {.op = op,
                          .failure = failure,
                          .begin_ns = ended.begin_ns,
                          .end_ns = ended.end_ns,
                          .joined = joined},
                         ops.at(op).status == op_status::failed);
    advance();
    return true;
  }
  void advance() { is_one_of_ranks ? exchanges.advance() : planner.advance(); }
  void end_all() {
    while (end_next()) {}
  }

  /// Of a job that has ended: the units of each device.
  std::vector<std::uint32_t> units_of(job_record const& job) const {
    std::vector<std::uint32_t> units(gpus_.size());
    for (auto const& task : job.end->report().tasks) units[task.device] += task.part.count;
    return units;
  }
  /// What waits for its end, in words.
  std::vector<std::string> under_way() const {
    std::vector<std::string> found;
    for (auto const& work : under_way_) found.push_back(line_of(work.work));
    return found;
  }

  operations ops;
  /// All that was planned: "job 1, units 0 to 3, on 0", "64 bytes from 0 to 1", where 0 is the host, or
  /// "64 bytes to rank 1".
  std::vector<std::string> lines;
  std::vector<row_copy> rows;  ///< of the newest copy
  bool nothing_is_issued = false, is_one_of_ranks = false;
  std::optional<ended_operation::joined_launch> joined;  ///< of which what ends was a part

 private:
  struct one {
    planned_work work;
    std::int64_t begin_ns, end_ns;
  };

  static std::vector<planned_device> devices_of(std::vector<planned_gpu> const& gpus) {
    std::vector<planned_device> devices;
    for (auto const& gpu : gpus) devices.push_back({"gpu " + std::to_string(devices.size()), {}, gpu.bytes});
    return devices;
  }
  static op_id op_of(planned_work const& work) {
    if (auto const* const kernel = std::get_if<kernel_work>(&work)) return kernel->op;
    auto const* const exchange = std::get_if<exchange_work>(&work);
    return exchange != nullptr ? exchange->op : std::get<copy_work>(work).what.op;
  }
  static std::string line_of(planned_work const& work) {
    if (auto const* const kernel = std::get_if<kernel_work>(&work)) {
      auto const part = kernel->task->pieces[kernel->piece].part;
      return "job " + std::to_string(kernel->task->job->number.value()) + ", units " +
             std::to_string(part.first) + " to " + std::to_string(part.first + part.count - 1) + ", on " +
             std::to_string(kernel->task->device()) + (kernel->may_be_joined ? ", may be joined" : "");
    }
    if (auto const* const exchange = std::get_if<exchange_work>(&work))
      return std::to_string(byte_runs(exchange->what.bytes).bytes()) + " bytes " +
             (exchange->what.is_sent ? "to" : "from") + " rank " + std::to_string(exchange->what.peer);
    auto const& copy = std::get<copy_work>(work).what;
    return std::to_string(copy.size) + " bytes from " + std::to_string(copy.from.value()) + " to " +
           std::to_string(copy.to.value());
  }
  std::int64_t ns_of(planned_work const& work) const {
    if (auto const* const kernel = std::get_if<kernel_work>(&work))
      return std::int64_t(kernel->task->pieces[kernel->piece].part.count *
                          gpus_[kernel->task->device()].ns_per_unit);
    if (std::holds_alternative<exchange_work>(work)) return 0;
    auto const& copy = std::get<copy_work>(work).what;
    return links_.ns_of(copy.from, copy.to, copy.size);
  }

  std::vector<planned_gpu> const gpus_;
  job_options const options_;
  copy_links const links_;
  retired_objects retired_;
  std::deque<std::vector<std::byte>> memory_;
  std::vector<one> under_way_;
  std::map<op_stream, std::int64_t> stream_free_at_;
  std::map<op_id, std::int64_t> end_of_;
  std::uint64_t arrays_ = 0;
  std::int64_t now_ns_ = 0;

 public:
  job_planner planner;                                     ///< last: they hand work over here
  exchange_plan exchanges{planner, ops, *this, retired_};  ///< used if it is one of ranks
};

using argument_mode = ballast::detail::access_mode;  ///< a name that other tests have for something else

/// Arguments of a job whose units touch equal shares, or all of an array.
inline job_argument share_of(std::shared_ptr<array_state> array, argument_mode mode) {
  return {std::move(array), one_to_one(), mode};
}
inline job_argument all_of(std::shared_ptr<array_state> array, argument_mode mode) {
  return {std::move(array), all(), mode};
}

/// What a job's completion says when it failed; empty if it did not.
inline std::string failure_text(job_record const& job) {
  try {
    job.end->wait({.first = job.number.value()}, deadline::in(std::chrono::seconds(0)));
  } catch (job_failed const& failed) { return failed.what(); }
  return {};
}

inline bool has_ended(job_record const& job) { return job.end->has_ended({}); }

}  // namespace ballast::test
