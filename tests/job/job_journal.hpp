// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "ballast/job_scheduler.hpp"
#include "run/job_runtime.hpp"
#include "run/operation_dispatcher.hpp"

namespace ballast::test {

/// An operation was submitted to a device's thread, or has ended.
struct journal_line {
  enum class what : std::uint8_t { submitted, ended, failed };

  what happened{};
  std::uint64_t operation = 0;  ///< its number, counted from 1 in the order of planning
  bool is_kernel = false;       ///< true: a kernel, false: a copy
  std::uint64_t job = 0;        ///< 0 for host accesses and for ends
  std::uint32_t device = 0, stream = 0;
  std::vector<std::uint64_t> dependencies = {};  ///< the newest of each stream; empty for ends
};

/// The operations of a scheduler or dispatcher in the order of their events. Destroy it before that.
class job_journal final : public detail::operation_watcher {
 public:
  explicit job_journal(detail::operation_dispatcher& of) : set_([&of](auto by) { of.watch(by); }) {
    set_(this);
  }
  explicit job_journal(job_scheduler& of) : set_([&of](auto by) { of.runtime()->watch(by); }) { set_(this); }
  job_journal(job_journal const&) = delete;
  job_journal& operator=(job_journal const&) = delete;
  ~job_journal() override { set_(nullptr); }

  std::vector<journal_line> lines() const {
    std::lock_guard const hold(mutex_);
    return lines_;
  }
  std::vector<journal_line> lines(journal_line::what happened) const {
    auto all = lines();
    std::erase_if(all, [&](auto const& line) { return line.happened != happened; });
    return all;
  }
  std::vector<journal_line> lines(journal_line::what happened, bool of_kernels) const {
    auto all = lines(happened);
    std::erase_if(all, [&](auto const& line) { return line.is_kernel != of_kernels; });
    return all;
  }

  void submitted(detail::op_id op, detail::operation const& planned, detail::job_number job) override {
    auto line = line_of(op, planned);
    line.job = job.value();
    for (auto const earlier : planned.dependencies) line.dependencies.push_back(earlier.value());
    keep(std::move(line));
  }
  void ended(detail::op_id op, detail::operation const& about) override {
    auto line = line_of(op, about);
    line.happened =
        about.status == detail::op_status::failed ? journal_line::what::failed : journal_line::what::ended;
    keep(std::move(line));
  }

 private:
  static journal_line line_of(detail::op_id op, detail::operation const& about) {
    journal_line line;
    line.operation = op.value();
    line.is_kernel = about.kind == detail::op_kind::kernel;
    line.device = about.on.executor;
    line.stream = about.on.stream;
    return line;
  }
  void keep(journal_line line) {
    std::lock_guard const hold(mutex_);
    lines_.push_back(std::move(line));
  }

  std::function<void(detail::operation_watcher*)> set_;
  mutable std::mutex mutex_;
  std::vector<journal_line> lines_;
};

}  // namespace ballast::test
