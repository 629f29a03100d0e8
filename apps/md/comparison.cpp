// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/trace.hpp"
#include "job_system.hpp"
#include "pair_formula.cuh"
#include "runner.hpp"

namespace ballast::md {
namespace {

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// How far the solutions agree on the forces at the end of their runs.
class force_agreement {
 public:
  /// Compares the forces of a solution with those of earlier ones. `forces`: in the order of ids, the same
  /// number in every call.
  void add(solution which, std::vector<atom_result> const& forces) {
    bool const sorted = which != solution::s2;
    if (sorted && first_sorted_.empty()) first_sorted_ = forces;
    if (sorted) identical_ = identical_ && forces == first_sorted_;
    if (first_.empty()) first_ = forces;
    record_difference(forces);
  }

  /// True if all but S2 agree to the bit.
  bool identical() const { return identical_; }
  /// The largest difference of a component from the first solution's, over the root mean square force.
  double largest_difference() const { return largest_difference_; }

 private:
  void record_difference(std::vector<atom_result> const& forces) {
    double square = 0, most = 0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      auto const &a = forces[i], &b = first_[i];
      square += b.fx * b.fx + b.fy * b.fy + b.fz * b.fz;
      most = std::max({most, std::abs(a.fx - b.fx), std::abs(a.fy - b.fy), std::abs(a.fz - b.fz)});
    }
    double const usual = std::sqrt(square / static_cast<double>(forces.size()));
    if (usual > 0) largest_difference_ = std::max(largest_difference_, most / usual);
  }

  std::vector<atom_result> first_, first_sorted_;
  bool identical_ = true;
  double largest_difference_ = 0;
};

/// The results of one solution in one repetition.
struct repetition {
  step_times times;
  std::vector<double> busy_seconds;
  std::int64_t evaluations = 0, rebuilds = 0;

  double seconds_per_step() const {
    return evaluations > 0 ? times.forces / static_cast<double>(evaluations) : 0.0;
  }
};

class comparing {
 public:
  comparing(device_list const& devices, comparison_plan const& plan, comparison_observer const& observer)
      : plan_(&plan), observer_(&observer), done_(plan.solutions.size()), energy_(plan.solutions.size()) {
    for (auto const& device : devices) result_.devices.push_back(device->name());
    for (auto const which : plan.solutions) which == solution::jobs ? add_jobs(devices) : add(which, devices);
  }

  comparison run() {
    for (int turn = 0; turn < plan_->repeat && !result_.interrupted; ++turn)
      for (std::size_t i = 0; i < runners_.size() && !result_.interrupted; ++i) repeat(i, turn);
    for (std::size_t i = 0; i < runners_.size(); ++i) report(i);
    if (jobs_ != nullptr) report_ranks();
    result_.identical = agreement_.identical();
    result_.largest_difference = agreement_.largest_difference();
    return std::move(result_);
  }

 private:
  void add(solution which, device_list const& devices) {
    if (!stage_) stage_ = make_stage(devices, plan_->what, plan_->from.state.size(), plan_->seed);
    systems_.push_back(stage_.get());
    runners_.push_back(make_runner(which, devices, *stage_, plan_->cut, plan_->spans != nullptr));
    runners_.back()->leave();
  }

  void add_jobs(device_list const& devices) {
    auto options = plan_->jobs;
    options.trace_to = plan_->spans;
    auto made = make_job_system(devices, plan_->what, plan_->from.state.size(), options);
    systems_.push_back(jobs_ = made.get());
    runners_.push_back(std::move(made));
  }

  bool is_last(std::size_t i) const { return i + 1 == runners_.size(); }

  void repeat(std::size_t i, int turn) {
    if (observer_->began) observer_->began(plan_->solutions[i], turn);
    bool const first = turn == 0;
    auto& system = *systems_[i];
    runners_[i]->record_into(first ? plan_->spans : nullptr);
    system.invalidate_results();  // no kernel is resident now; beside one this might not fit
    // Without steps the atoms stay in place.
    simulation run(system, *runners_[i], plan_->what, plan_->from, system.is_loaded() && plan_->steps == 0);
    run_files files(plan_->files, plan_->what, system);
    make_steps(run, system, first && is_last(i) ? &files : nullptr);
    runners_[i]->leave();
    if (run.evaluations() > 0) {
      done_[i].push_back({run.times(), run.busy_seconds(), run.evaluations(), run.rebuilds()});
      if (first) compare_forces(i);
    }
    if (first && (is_last(i) || result_.interrupted)) keep_sums(run, system);
  }

  /// Makes the steps of a run and writes its files. A run that is stopped before its first step leaves its
  /// files alone: they would only repeat the beginning.
  void make_steps(simulation& run, particle_system& system, run_files* files) {
    report_progress(0);
    if (stopped(system)) return;
    if (files) files->begin(run);
    if (plan_->steps == 0) {
      run.evaluate();
      report_progress(1);
    }
    for (std::int64_t done = 0; done < plan_->steps && (done == 0 || !stopped(system));) {
      run.step();
      report_progress(++done);
      if (files) after_step(run, system, *files);
    }
    if (files) files->end(run);
  }

  void report_progress(std::int64_t done) {
    if (observer_->stepped) observer_->stepped(done, plan_->steps);
  }

  bool stopped(particle_system& system) {
    result_.interrupted = result_.interrupted || system.is_so_on_any_rank(stop_requested());
    return result_.interrupted;
  }

  void after_step(simulation& run, particle_system& system, run_files& files) {
    auto const step = run.step_count();
    if (observer_->sums && plan_->sums_every > 0 && step % plan_->sums_every == 0)
      observer_->sums(step, system.sums(), kinetic_energy(system.state()));
    files.after_step(run);
  }

  void compare_forces(std::size_t i) {
    auto const forces = systems_[i]->results_by_id();
    auto const sums = totals_of(forces);
    check_finite(sums);
    energy_[i] = sums.energy_lj + sums.energy_coulomb;
    if (!result_.interrupted) agreement_.add(plan_->solutions[i], forces);
  }

  void keep_sums(simulation const& run, particle_system& system) {
    auto const& state = system.state();
    result_.steps = run.step_count() - plan_->from.step;
    result_.sums = system.sums();
    result_.kinetic = kinetic_energy(state);
    result_.temperature = temperature(state);
  }

  void report_ranks() {
    auto const done = jobs_->statistics();
    result_.ranks = jobs_->ranks();
    result_.bytes_sent = done.sent, result_.bytes_received = done.received;
  }

  void report(std::size_t i) {
    if (done_[i].empty()) return;
    auto order = done_[i];
    std::ranges::sort(
        order, [](auto const& a, auto const& b) { return a.seconds_per_step() < b.seconds_per_step(); });
    auto const& median = order[(order.size() - 1) / 2];
    result_.solutions.push_back({plan_->solutions[i],
                                 runners_[i]->pieces(),
                                 median.seconds_per_step(),
                                 speedup(median.seconds_per_step()),
                                 median.busy_seconds,
                                 imbalance(median.busy_seconds),
                                 median.times,
                                 energy_[i],
                                 median.evaluations,
                                 median.rebuilds,
                                 {},
                                 {}});
    for (auto const& sample : done_[i]) {
      result_.solutions.back().seconds_samples.push_back(sample.seconds_per_step());
      result_.solutions.back().busy_samples.push_back(sample.busy_seconds);
    }
    if (plan_->solutions[i] == solution::s1)
      for (auto& other : result_.solutions) other.speedup = speedup(other.seconds_per_step);
  }

  double speedup(double seconds) const {
    for (auto const& other : result_.solutions)
      if (other.which == solution::s1 && seconds > 0) return other.seconds_per_step / seconds;
    return 0;
  }

  comparison_plan const* plan_;
  comparison_observer const* observer_;
  std::unique_ptr<stage> stage_;                  ///< for all solutions but jobs, if there are any
  job_system* jobs_ = nullptr;                    ///< one of the runners, or null
  std::vector<particle_system*> systems_;         ///< by solution
  std::vector<std::unique_ptr<runner>> runners_;  ///< by solution
  std::vector<std::vector<repetition>> done_;
  std::vector<double> energy_;
  force_agreement agreement_;
  comparison result_;
};

}  // namespace

void request_stop() noexcept { asked.store(true, std::memory_order_relaxed); }
bool stop_requested() noexcept { return asked.load(std::memory_order_relaxed); }
void clear_stop() noexcept { asked.store(false, std::memory_order_relaxed); }

void check_plan(comparison_plan const& plan) {
  check_atoms(plan.from.state);
  check_physics(plan.what, plan.from.state);
  if (plan.steps < 0) throw_bad_argument("steps", plan.steps, "0 or more");
  if (plan.repeat < 1) throw_bad_argument("repeat", plan.repeat, "1 or more");
  if (plan.solutions.empty())
    throw_bad_argument("solutions", "an empty list",
                       fmt::format("some of {}", fmt::join(solution_names(), ", ")));
  if (plan.jobs.ranks && plan.solutions != std::vector{solution::jobs})
    throw_bad_argument("solutions", "not jobs alone", "jobs where several ranks run them");
}

comparison compare_solutions(device_list const& devices, comparison_plan const& plan,
                             comparison_observer const& observer) {
  if (devices.empty()) throw_bad_argument("devices", "an empty list", "at least one device");
  check_plan(plan);
  return comparing(devices, plan, observer).run();
}

}  // namespace ballast::md
