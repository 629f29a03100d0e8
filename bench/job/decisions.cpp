// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays/coherence_directory.hpp"
#include "arrays/task_planner.hpp"
#include "arrays/working_set.hpp"
#include "ballast/access_map.hpp"
#include "ballast/detail/job/split_policy.hpp"
#include "job/benchmarks.hpp"
#include "plan/job_order.hpp"
#include "plan/job_record.hpp"

namespace ballast::bench {
using namespace detail;
namespace {

constexpr std::uint32_t side = 8192, rows_of_unit = 8, units = side / rows_of_unit;
constexpr std::size_t row_bytes = side * sizeof(float), array_bytes = side * row_bytes;
constexpr std::size_t steps_in_flight = 2;

/// Links of a host and devices: 55 bytes per ns between host and device, 395 between devices.
copy_links invented_links(std::uint32_t devices) {
  std::vector<copy_link> links(std::size_t(devices + 1) * (devices + 1), {395});
  for (std::uint32_t place = 0; place <= devices; ++place)
    links[place] = links[std::size_t(place) * (devices + 1)] = {55};
  return {devices + 1, std::move(links)};
}

struct no_eviction final : eviction_handler {
  [[noreturn]] static void refuse() { throw std::logic_error("all arrays have memory"); }
  bool is_clean(array_id, byte_range) const override { refuse(); }
  op_set evict(array_id, byte_range) override { refuse(); }
  op_set move(array_id, byte_range, std::size_t, std::size_t, std::span<op_id const>) override { refuse(); }
};

/// Steps of hotspot, planned for devices that do not exist by the parts with which the scheduler decides; two
/// steps are in progress.
class planned_steps {
 public:
  planned_steps(std::uint32_t devices, std::string const& policy)
      : directories_{{{array_bytes, devices + 1, ops_},
                      {array_bytes, devices + 1, ops_},
                      {array_bytes, devices + 1, ops_}}},
        sources_(invented_links(devices)),
        planner_(ops_, sources_,
                 [](place_id, place_id to) {
                   return op_stream{to.value(), 0};
                 }),
        policy_(make_split_policy(policy)) {
    shape_.units = units;
    shape_.devices.resize(devices);
    for (std::uint32_t device = 0; device < devices; ++device) {
      auto& memory = memories_.emplace_back(4 * array_bytes, ops_);
      for (std::uint64_t array = 0; array < arrays; ++array) memory.add_array(array_id(array), array_bytes);
    }
  }

  void plan_step() {
    auto& step = steps_.emplace_back();
    job_ = job_number(job_.value() + 1);
    order_.add(job_, {0, units}, [=, this](job_part part) { return uses(part); });
    step.split = policy_->begin(shape_);
    while (step.split->unissued() > 0)
      if (!plan_round(step)) end_all();
    std::swap(now_, next_);
    if (steps_.size() <= steps_in_flight) return;
    end(steps_.front());
    steps_.pop_front();
  }
  std::uint64_t tasks() const { return tasks_; }
  std::uint64_t bytes_copied() const { return bytes_copied_; }

 private:
  static constexpr std::size_t arrays = 3;
  struct planned_task {
    std::uint32_t device;
    job_part part;
    op_id kernel;
    std::vector<resident_bytes> residents;
  };
  struct step_in_flight {
    std::unique_ptr<job_split> split;
    std::vector<planned_copy> copies;
    std::vector<planned_task> tasks;
  };

  coherence_directory& directory_of(array_id array) { return directories_[array.value()]; }
  static byte_runs bytes_of(access_map const& map, job_part part) {
    extents const shape{side, side};
    return {map.of({part, units, shape}), shape, sizeof(float)};
  }
  std::vector<array_use> uses(job_part part) const {
    return {{now_, bytes_of(with_neighbours_, part), {}},
            {power_, bytes_of(bands_, part), {}},
            {next_, {}, bytes_of(bands_, part)}};
  }

  bool plan_round(step_in_flight& step) {
    auto const before = tasks_;
    for (std::uint32_t device = 0; device < memories_.size(); ++device) {
      auto const in_flight = std::ranges::count(step.tasks, device, &planned_task::device);
      if (auto const part = step.split->next(device, std::uint32_t(in_flight)))
        plan_task(step, device, *part);
    }
    return tasks_ != before;
  }

  void plan_task(step_in_flight& step, std::uint32_t device, job_part part) {
    auto const of_part = uses(part);
    if (order_.blocking_job(job_, of_part)) throw std::logic_error("steps are planned one after the other");
    auto residents = memories_[device].pin(needs_of(of_part), data_).value();
    order_.mark_planned(job_, part);
    place_id const place(1 + device);
    for (std::size_t i = 0; i < arrays; ++i)
      for (auto& copy : planner_.fetch_to(directory_of(of_part[i].array), of_part[i].read, place,
                                          residents[i].dependencies)) {
        ops_.mark_issued(copy.op);
        bytes_copied_ += copy.size;
        step.copies.push_back(std::move(copy));
      }
    step.tasks.push_back({device, part, planned_kernel(of_part, place, residents), std::move(residents)});
    ++tasks_;
  }
  op_id planned_kernel(std::vector<array_use> const& of_part, place_id place,
                       std::vector<resident_bytes> const& residents) {
    auto const kernel = ops_.add(op_kind::kernel, {place.value(), 1});
    for (auto const& resident : residents)
      for (auto const earlier : resident.dependencies) ops_.add_dependency(kernel, earlier);
    for (auto const& use : of_part) record_reads(directory_of(use.array), kernel, place, use.read);
    for (auto const& use : of_part) record_writes(directory_of(use.array), kernel, place, use.written);
    ops_.mark_issued(kernel);
    return kernel;
  }

  /// Ends all steps: a policy without experience waits for the first ends.
  void end_all() {
    for (auto& step : steps_) end(step);
  }
  void end(step_in_flight& step) {
    for (auto const& copy : std::exchange(step.copies, {})) {
      ops_.mark_ended(copy.op);
      sources_.mark_ended(copy.from, copy.to, copy.size);
    }
    for (auto const& task : std::exchange(step.tasks, {})) {
      ops_.mark_ended(task.kernel);
      memories_[task.device].unpin(task.residents);
      step.split->ended(task.device, {.part = task.part, .begin_ns = 0, .end_ns = 1000 * task.part.count});
    }
    ops_.forget_before(op_id(ops_.newest().value() + 1));
  }

  operations ops_;
  std::array<coherence_directory, arrays> directories_;
  copy_sources sources_;
  task_planner planner_;
  job_order order_;
  no_eviction data_;
  std::deque<working_set> memories_;  ///< of each device
  std::unique_ptr<split_policy> policy_;
  job_shape shape_;
  job_number job_;
  array_id now_{0}, next_{1}, power_{2};
  access_map const with_neighbours_ = neighborhood(1, rows_of_unit), bands_ = rows(rows_of_unit);
  std::deque<step_in_flight> steps_;
  std::uint64_t tasks_ = 0, bytes_copied_ = 0;
};

void measure_devices(session& now, std::string const& policy, std::uint32_t devices) {
  planned_steps steps(devices, policy);
  for (int step = 0; step < 10; ++step) steps.plan_step();  // until only halos move
  auto const copied_before = steps.bytes_copied(), tasks_before = steps.tasks();
  auto const steps_of_sample = now.size(200, 5);
  std::uint64_t measured_steps = 0;
  now.measure(policy, devices, "ns", [&] {
    auto const before = steps.tasks();
    auto const seconds = seconds_of([&] {
      for (std::size_t step = 0; step < steps_of_sample; ++step) steps.plan_step();
    });
    measured_steps += steps_of_sample;
    return seconds * 1e9 / double(steps.tasks() - before);
  });
  now.verify(steps.bytes_copied() - copied_before == measured_steps * 2 * (devices - 1) * row_bytes,
             "a step copies two rows for each border of devices");
  auto const tasks_of_step = double(steps.tasks() - tasks_before) / double(measured_steps);
  now.derived(policy + ": us of a step on " + std::to_string(devices),
              now.median_of(policy, devices) * tasks_of_step / 1e3);
}

}  // namespace

/// Not from a paper. Measures how long planning a task holds the scheduler's mutex. No device takes part, and
/// nothing is passed to one.
void measure_job_decisions(session& now) {
  now.axes("Planning a step of hotspot", "devices", "ns per planned task", true);
  now.repeat(3, now.quick() ? 3 : 21);
  now.parameter("side of the arrays", side);
  for (std::string const policy : {"static", "learned"})
    for (std::uint32_t const devices : {1u, 2u, 4u, 8u}) measure_devices(now, policy, devices);
}

}  // namespace ballast::bench
