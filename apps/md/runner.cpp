// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/device.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ballast/task.hpp"
#include "cell_forces.cuh"
#include "control_threads.hpp"
#include "stage.hpp"

namespace ballast::md {
namespace {

std::int64_t ns(clock::duration d) { return std::chrono::nanoseconds(d).count(); }

/// The common part of S1, S2 and S3: a stream per device, and atoms moved in equal parts.
class launch_runner : public runner {
 public:
  launch_runner(device_list const& devices, stage const& system) : system_(&system) {
    for (auto const& device : devices) {
      device_streams_.push_back({device->make_stream(), nullptr, nullptr, nullptr, 0});
      system.kernels().resources(*device);  // loads them, so that no timing includes it
    }
  }

  void drift() override { launch_parts(&stage::drift_task); }
  void kick() override { launch_parts(&stage::kick_task); }
  void record_into(recorder* spans) override { spans_ = spans; }

 protected:
  std::size_t devices() const { return device_streams_.size(); }
  stage const& system() const { return *system_; }

  void prepare() {
    for (auto& one : device_streams_) {
      one.begin.reset();
      one.end.reset();
      if (spans_ == nullptr) continue;
      one.zero = one.work->record();
      one.work->synchronize(deadline::in(device_timeout));
      one.zero_ns = ns(clock::now().time_since_epoch());
    }
  }

  /// Launches tasks of the forces and records when the device began and ended.
  void launch_forces(std::size_t device, atom_order order, block_range range) {
    auto& one = device_streams_[device];
    if (!one.begin) one.begin = one.work->record();
    launch(system_->kernels(), *one.work, system_->forces_task(order, range));
    one.end = one.work->record();
  }

  void synchronize(std::size_t device) {
    device_streams_[device].work->synchronize(deadline::in(device_timeout));
  }

  /// The timing of the work launched since prepare(), when all streams are idle; records it.
  force_timing timing_since(clock::time_point begin, std::string_view label, std::int64_t step) {
    force_timing timing{ns(clock::now() - begin), {}};
    for (std::size_t d = 0; d < devices(); ++d) {
      auto const& one = device_streams_[d];
      timing.busy_ns.push_back(one.end ? one.end->since(*one.begin).count() : 0);
      if (spans_ != nullptr && one.end) record(d, label, step);
    }
    return timing;
  }

 private:
  /// A launch between two events.
  struct device_stream {
    std::unique_ptr<stream> work;
    std::unique_ptr<event> zero, begin, end;
    std::int64_t zero_ns = 0;
  };

  void launch_parts(task (stage::*make)(block_range) const) {
    for (std::size_t d = 0; d < devices(); ++d) {
      auto const part = part_of(system_->blocks(), d, devices());
      if (part.count > 0) launch(system_->kernels(), *device_streams_[d].work, (system_->*make)(part));
    }
    for (std::size_t d = 0; d < devices(); ++d) synchronize(d);
  }

  void record(std::size_t device, std::string_view label, std::int64_t step) {
    auto const& one = device_streams_[device];
    ballast::span done;
    done.device = device;
    done.label = std::string(label);
    done.step = step;
    done.begin_ns = one.zero_ns + one.begin->since(*one.zero).count();
    done.end_ns = one.zero_ns + one.end->since(*one.zero).count();
    spans_->record(std::move(done));
  }

  stage const* system_;
  std::vector<device_stream> device_streams_;
  recorder* spans_ = nullptr;
};

/// S1 and S2.
class part_runner final : public launch_runner {
 public:
  part_runner(device_list const& devices, stage const& system, atom_order order)
      : launch_runner(devices, system), order_(order) {}

  force_timing forces(std::int64_t step) override {
    prepare();
    auto const begin = clock::now();
    for (std::size_t d = 0; d < devices(); ++d) {
      auto const part = part_of(system().blocks(), d, devices());
      if (part.count > 0) launch_forces(d, order_, part);
    }
    for (std::size_t d = 0; d < devices(); ++d) synchronize(d);
    return timing_since(begin, order_ == atom_order::random ? "S2 forces" : "S1 forces", step);
  }
  std::uint32_t pieces() const override {
    return std::min(static_cast<std::uint32_t>(devices()), system().blocks());
  }

 private:
  atom_order order_;
};

/// S3.
class chunk_runner final : public launch_runner {
 public:
  chunk_runner(device_list const& devices, stage const& system, std::uint32_t chunk_atoms)
      : launch_runner(devices, system),
        chunk_(blocks_of_a_chunk(system, devices.size(), chunk_atoms)),
        threads_(devices.size()) {}

  force_timing forces(std::int64_t step) override {
    prepare();
    std::atomic<std::uint64_t> next = 0;
    std::uint64_t const all = system().blocks();
    auto const begin = clock::now();
    threads_.run([&](std::size_t device) {
      for (;;) {
        std::uint64_t const first = next.fetch_add(chunk_);
        if (first >= all) return;
        auto const count = static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_, all - first));
        launch_forces(device, atom_order::decomposed, {static_cast<std::uint32_t>(first), count});
        synchronize(device);
      }
    });
    return timing_since(begin, "S3 forces", step);
  }
  std::uint32_t pieces() const override { return (system().blocks() + chunk_ - 1) / chunk_; }

 private:
  static std::uint32_t blocks_of_a_chunk(stage const& system, std::size_t devices, std::uint32_t atoms) {
    if (atoms > 0) return (atoms - 1) / atoms_per_block + 1;
    return std::max(1u, system.blocks() / static_cast<std::uint32_t>(16 * devices));
  }

  std::uint32_t chunk_;  ///< blocks
  control_threads threads_;
};

using task_list = std::shared_ptr<prepared_tasks const>;

constexpr std::uint64_t min_tasks_per_core = 32;
constexpr std::uint32_t min_motion_blocks = 16;   ///< moving 128 atoms is too little for a task
constexpr std::uint32_t max_motion_blocks = 256;  ///< some half a millisecond on a core

template <class Make>
task_list tasks_of(stage const& system, std::uint32_t per_task, Make const& make) {
  std::vector<task> tasks;
  for (std::uint32_t first = 0; first < system.blocks(); first += per_task)
    tasks.push_back(make(block_range{first, std::min(per_task, system.blocks() - first)}));
  return std::make_shared<prepared_tasks const>(system.kernels(), tasks);
}

/// The number of workers if all devices are CPU cores; 0 if there is a GPU.
std::uint32_t cores_of(device_list const& devices) {
  int cores = 0;
  for (auto const& device : devices) {
    if (device->is_cuda()) return 0;
    cores += device->properties().multiprocessors;
  }
  return static_cast<std::uint32_t>(cores);
}

/// The blocks of a task of forces: those of `task_atoms` if that is not 0, else the paper's one block. On
/// cores the default is the largest of 1, 2 and 4 that leaves every worker enough tasks for balancing. On
/// GPUs larger tasks were not faster.
std::uint32_t blocks_per_task(device_list const& devices, std::uint32_t blocks, std::uint32_t task_atoms) {
  if (task_atoms > 0) return (task_atoms - 1) / atoms_per_block + 1;
  auto const least = min_tasks_per_core * cores_of(devices);
  if (least == 0) return 1;
  return blocks >= 4 * least ? 4 : blocks >= 2 * least ? 2 : 1;
}

/// The blocks of a task that moves atoms. All atoms take equally long to move, so a core needs only one task:
/// each further one costs it a feed.
std::uint32_t blocks_per_motion_task(device_list const& devices, std::uint32_t blocks) {
  auto const cores = cores_of(devices);
  if (cores == 0) return min_motion_blocks;
  return std::clamp((blocks + cores - 1) / cores, min_motion_blocks, max_motion_blocks);
}

/// The tasks of a stage in the queues' form, made once for all steps. The stage must outlive them.
struct prepared_stage {
  /// `task_atoms`: see granularity.
  prepared_stage(device_list const& devices, stage const& system, std::uint32_t task_atoms)
      : forces(tasks_of(system, blocks_per_task(devices, system.blocks(), task_atoms),
                        [&](block_range r) { return system.forces_task(atom_order::decomposed, r); })),
        drifts(tasks_of(system, blocks_per_motion_task(devices, system.blocks()),
                        [&](block_range r) { return system.drift_task(r); })),
        kicks(tasks_of(system, blocks_per_motion_task(devices, system.blocks()),
                       [&](block_range r) { return system.kick_task(r); })) {}

  std::uint32_t pieces() const { return static_cast<std::uint32_t>(forces->records().size()); }

  task_list forces, drifts, kicks;
};

constexpr std::uint32_t traced_tasks_per_worker = 4096;

balanced_options options_for(std::string const& policy, bool trace) {
  balanced_options options;
  options.policy = policy;
  options.queue.timeout = device_timeout;
  options.queue.times = true;
  options.queue.resident.spared_multiprocessors = 0;  // nothing else computes while TQ runs
  options.queue.trace_depth = trace ? traced_tasks_per_worker : 0;
  return options;
}

/// TQ: kernels that stay on the devices over all steps and take tasks from one backlog.
class queue_runner final : public runner {
 public:
  /// Starts a resident kernel on every device. `trace`: whether record_into() will be used.
  queue_runner(device_list const& devices, stage const& system, granularity const& cut, bool trace)
      : queue_(devices, system.kernels(), options_for(cut.feed, trace)), tasks_(devices, system, cut.task) {}

  force_timing forces(std::int64_t step) override {
    ensure_started();
    step_ = step;
    auto const begin = clock::now();
    auto const given = submit_tasks(tasks_.forces, "TQ forces");
    force_timing timing{ns(clock::now() - begin), {}};
    for (auto const& share : queue_.shares(given))
      timing.busy_ns.push_back(share.tasks > 0 ? share.when.last_end_ns - share.when.first_begin_ns : 0);
    queue_.forget(given);
    return timing;
  }
  std::uint32_t pieces() const override { return tasks_.pieces(); }
  void drift() override { queue_.forget(submit_tasks(tasks_.drifts, "drift")); }
  void kick() override { queue_.forget(submit_tasks(tasks_.kicks, "kick")); }
  /// Ends the resident kernels and records the spans of their tasks.
  void leave() override {
    if (!started_) return;
    queue_.close();
    started_ = false;
    for (std::size_t d = 0; spans_ != nullptr && d < queue_.size(); ++d) record_device(d);
    windows_.clear();
  }
  void record_into(recorder* spans) override { spans_ = spans; }

 private:
  /// A period: names the spans of the tasks within it.
  struct window {
    std::int64_t begin_ns, step;
    char const* label;
  };

  completion submit_tasks(task_list const& tasks, char const* label) {
    ensure_started();
    if (spans_ != nullptr) windows_.push_back({ns(clock::now().time_since_epoch()), step_, label});
    auto const given = queue_.submit(tasks);
    given.wait();
    return given;
  }

  void ensure_started() {
    if (!started_) queue_.start();
    started_ = true;
  }

  void record_device(std::size_t device) {
    std::vector<ballast::span> spans;
    for (auto const& done : queue_.on(device).task_spans()) {
      auto const after = std::ranges::upper_bound(windows_, done.begin_ns, {}, &window::begin_ns);
      if (after == windows_.begin()) continue;  // ran before recording began
      auto const& during = *std::prev(after);
      spans.push_back({device, done.worker, during.label, during.step, 1, done.begin_ns, done.end_ns});
    }
    spans_->record(std::move(spans));
  }

  balanced_queue queue_;
  prepared_stage tasks_;
  bool started_ = true;
  recorder* spans_ = nullptr;
  std::int64_t step_ = 0;
  std::vector<window> windows_;
};

chen_options options_for(granularity const& cut) {
  chen_options options;
  options.tasks_per_queue = cut.queue_tasks;
  options.timeout = device_timeout;
  options.times = true;
  options.resident.spared_multiprocessors = 0;  // nothing else computes in a step
  return options;
}

/// chen: TQ's tasks in the queues of Chen et al. 2010 as published, whose kernels are launched for every
/// step.
class chen_runner final : public runner {
 public:
  chen_runner(device_list const& devices, stage const& system, granularity const& cut)
      : queue_(devices, system.kernels(), options_for(cut)), tasks_(devices, system, cut.task) {}

  force_timing forces(std::int64_t step) override {
    step_ = step;
    auto const begin = clock::now();
    run_tasks(tasks_.forces, "chen forces");
    force_timing timing{ns(clock::now() - begin), {}};
    for (auto const& share : queue_.last_step())
      timing.busy_ns.push_back(share.when.last_end_ns - share.when.first_begin_ns);
    return timing;
  }
  std::uint32_t pieces() const override { return tasks_.pieces(); }
  void drift() override { run_tasks(tasks_.drifts, "drift"); }
  void kick() override { run_tasks(tasks_.kicks, "kick"); }
  void record_into(recorder* spans) override { spans_ = spans; }

 private:
  void run_tasks(task_list const& tasks, char const* label) {
    queue_.submit(tasks);
    queue_.wait_all();
    if (spans_ != nullptr) record_last_step(label);
  }

  /// Records one span per device for the last step: the queues do not trace their tasks.
  void record_last_step(char const* label) {
    auto const shares = queue_.last_step();
    for (std::size_t d = 0; d < shares.size(); ++d) {
      auto const& [tasks, when] = shares[d];
      if (tasks > 0) spans_->record({d, 0, label, step_, tasks, when.first_begin_ns, when.last_end_ns});
    }
  }

  chen_queue queue_;
  prepared_stage tasks_;
  recorder* spans_ = nullptr;
  std::int64_t step_ = 0;
};

}  // namespace

std::span<std::string_view const> solution_names() {
  static constexpr std::string_view names[] = {"S1", "S2", "S3", "TQ", "chen", "jobs"};
  return names;
}

std::string_view name_of(solution which) { return solution_names()[static_cast<std::size_t>(which)]; }

std::unique_ptr<runner> make_runner(solution which, device_list const& devices, stage const& system,
                                    granularity const& cut, bool trace) {
  if (which == solution::tq) return std::make_unique<queue_runner>(devices, system, cut, trace);
  if (which == solution::chen) return std::make_unique<chen_runner>(devices, system, cut);
  if (which == solution::s3) return std::make_unique<chunk_runner>(devices, system, cut.chunk);
  auto const order = which == solution::s2 ? atom_order::random : atom_order::decomposed;
  return std::make_unique<part_runner>(devices, system, order);
}

block_range part_of(std::uint32_t blocks, std::size_t part, std::size_t parts) {
  auto const first = static_cast<std::uint32_t>(blocks * part / parts);
  auto const end = static_cast<std::uint32_t>(blocks * (part + 1) / parts);
  return {first, end - first};
}

}  // namespace ballast::md
