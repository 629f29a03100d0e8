// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ballast/detail/job/split_policy.hpp"
#include "split_shares.hpp"

namespace ballast::detail {

/// What one device did of a job.
struct device_run {
  std::uint32_t units = 0, tasks = 0;
  std::int64_t begin_ns = 0, end_ns = 0;      ///< first kernel's begin, last kernel's end
  std::int64_t kernels_ns = 0;                ///< time in which a kernel ran, if ends come in order
  std::uint64_t bytes_in = 0, bytes_out = 0;  ///< as in ended_task
  std::uint64_t first_in = 0,
                last_out = 0;       ///< those of the first and of the last kernel, which no other hides
  std::vector<ended_task> ended{};  ///< all of them, in the order of their reports

  void add(ended_task const& task);
  /// The time from the first kernel's begin to the last kernel's end; at least 1 where there were units.
  double span_ns() const;
};

struct placed_part {
  std::uint32_t device = 0;
  job_part part{};
};

/// A finished job.
struct finished_job {
  std::vector<device_run> devices;
  std::vector<placed_part> placed;  ///< in the order in which they were given out
  bool alone = true;                ///< all tasks were, so that their times can be learned from

  /// span_ns() of each device.
  std::vector<double> spans_ns() const;
  /// span_ns() of each device, and its copies before and after, if they take as long as the shape says.
  std::vector<double> spans_with_copies_ns(job_shape const& shape) const;
};

/// A split that reports to a policy how it went.
class recorded_split : public job_split {
 public:
  using listener = std::function<void(finished_job const&)>;

  /// `finished` is called once, in the call that reports the end of the last task; it may be empty.
  recorded_split(job_shape const& shape, listener finished);

  std::optional<job_part> next(std::uint32_t device, std::uint32_t in_flight) final;
  void ended(std::uint32_t device, ended_task const& task) final;
  std::uint32_t unissued() const final { return unissued_; }

 protected:
  job_shape const& shape() const { return shape_; }
  finished_job const& run() const { return run_; }

 private:
  /// At least one unit was not given out. At most max_units of the device.
  virtual std::optional<job_part> choose(std::uint32_t device, std::uint32_t in_flight) = 0;

  void check(std::uint32_t device) const;

  job_shape shape_;
  listener finished_;
  finished_job run_;
  std::uint32_t unissued_, unfinished_;
};

/// Tasks that a device has at once where nothing is decided by waiting: its share is known, or it is alone.
inline constexpr std::uint32_t max_tasks_in_flight = 64;

/// Each device takes its parts in their order, however the others get on, and has as many as it can ahead.
std::unique_ptr<job_split> split_as_mapped(job_shape const& shape, device_parts parts,
                                           recorded_split::listener finished = {});

/// `shape.tasks` equal parts: a device that can take one gets the next.
std::unique_ptr<job_split> split_among_workers(job_shape const& shape,
                                               recorded_split::listener finished = {});

/// Large parts first, small ones last: a device that can take one gets the next. `units_per_ns` of each
/// device are known, or 0. A device of unknown speed begins with a small part as a probe if `probing`.
std::unique_ptr<job_split> split_guided(job_shape const& shape, std::vector<double> units_per_ns,
                                        bool probing, recorded_split::listener finished = {});

std::unique_ptr<split_policy> make_static_split();
std::unique_ptr<split_policy> make_master_worker_split();
std::unique_ptr<split_policy> make_guided_split();
std::unique_ptr<split_policy> make_weighted_split();
std::unique_ptr<split_policy> make_fixed_split();
std::unique_ptr<split_policy> make_learned_split();

}  // namespace ballast::detail
