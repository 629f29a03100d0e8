// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <algorithm>
#include <cmath>

#include "ballast/base/error.hpp"
#include "ballast/trace/busy_time.hpp"
#include "interruption.hpp"
#include "trajectory.hpp"

namespace ballast::md {
namespace {

bool due(std::int64_t step, std::int64_t every) { return every > 0 && step % every == 0; }

void refuse_infinite(totals const& sums) {
  if (std::isfinite(sums.energy_lj + sums.energy_coulomb + sums.force_square_sum)) return;
  throw error("the energy is not a finite number: at least two atoms are too near to each other");
}

/// What one solution did in one repetition.
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
      : plan_(&plan),
        observer_(&observer),
        system_(make_stage(devices, plan.what, plan.from.state.size(), plan.seed)),
        done_(plan.solutions.size()),
        energy_(plan.solutions.size()) {
    for (auto const& device : devices) result_.devices.push_back(device->name());
    if (plan.spans != nullptr) spans_ = std::make_unique<recorder>(result_.devices);
    for (auto const which : plan.solutions) {
      runners_.push_back(make_runner(which, devices, *system_, plan.cut, spans_ != nullptr));
      runners_.back()->leave();
    }
  }

  comparison run() {
    for (int turn = 0; turn < plan_->repeat && !result_.interrupted; ++turn) {
      for (std::size_t i = 0; i < runners_.size() && !result_.interrupted; ++i) repeat(i, turn);
    }
    for (std::size_t i = 0; i < runners_.size(); ++i) report(i);
    if (spans_) *plan_->spans = spans_->snapshot();
    return std::move(result_);
  }

 private:
  bool is_last(std::size_t i) const { return i + 1 == runners_.size(); }

  void repeat(std::size_t i, int turn) {
    if (observer_->began) observer_->began(plan_->solutions[i], turn);
    bool const first = turn == 0;
    runners_[i]->record_into(first ? spans_.get() : nullptr);
    simulation run(*system_, *runners_[i], plan_->what, plan_->from);
    make_steps(run, first && is_last(i));
    runners_[i]->leave();
    if (run.evaluations() > 0) {
      done_[i].push_back({run.times(), run.busy_seconds(), run.evaluations(), run.rebuilds()});
      if (first) compare_forces(i);
    }
    if ((first && is_last(i)) || result_.interrupted) keep_sums(run);
  }

  void make_steps(simulation& run, bool writes) {
    tell_stepped(0);
    if (writes) refuse_infinite(system_->sums());  // before any file is touched
    if (writes) write_frame(run);
    if (plan_->steps == 0) {
      run.evaluate();
      tell_stepped(1);
    }
    for (std::int64_t done = 1; done <= plan_->steps && !stopped(); ++done) {
      run.step();
      tell_stepped(done);
      if (writes) after_step(run);
    }
    if (writes) write_end(run);
  }

  void tell_stepped(std::int64_t done) {
    if (observer_->stepped) observer_->stepped(done, plan_->steps);
  }

  bool stopped() {
    result_.interrupted = result_.interrupted || stop_requested();
    return result_.interrupted;
  }

  void after_step(simulation& run) {
    auto const step = run.step_count();
    auto const& files = plan_->files;
    if (observer_->sums && due(step, plan_->sums_every)) {
      observer_->sums(step, system_->sums(), kinetic_energy(system_->state()));
    }
    if (due(step, files.trajectory_every)) write_frame(run);
    if (!files.checkpoint.empty() && due(step, files.checkpoint_every)) {
      write_checkpoint(files.checkpoint, run.point());
    }
  }

  /// A step's frame is written once, also where a period ends with the run.
  void write_frame(simulation& run) {
    if (plan_->files.trajectory.empty() || last_frame_ == run.step_count()) return;
    last_frame_ = run.step_count();
    auto const time = static_cast<double>(run.step_count()) * plan_->what.time_step;
    auto state = system_->state();
    state.parameters = plan_->what.field.parameters;
    append_frame(plan_->files.trajectory, state, run.step_count(), time, plan_->what.field.edges);
  }

  void write_end(simulation& run) {
    refuse_infinite(system_->sums());
    write_frame(run);
    if (!plan_->files.checkpoint.empty()) write_checkpoint(plan_->files.checkpoint, run.point());
  }

  void compare_forces(std::size_t i) {
    auto forces = system_->results_by_id();
    auto const sums = totals_of(forces);
    refuse_infinite(sums);
    energy_[i] = sums.energy_lj + sums.energy_coulomb;
    bool const sorted = plan_->solutions[i] != solution::s2;
    if (sorted && sorted_forces_.empty()) {
      sorted_forces_ = forces;
    } else if (sorted && !result_.interrupted) {
      result_.identical = result_.identical && forces == sorted_forces_;
    }
    if (first_forces_.empty())
      first_forces_ = std::move(forces);
    else if (!result_.interrupted)
      note_difference(forces);
  }

  void note_difference(std::vector<atom_result> const& forces) {
    double square = 0, most = 0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      auto const &a = forces[i], &b = first_forces_[i];
      square += b.fx * b.fx + b.fy * b.fy + b.fz * b.fz;
      most = std::max({most, std::abs(a.fx - b.fx), std::abs(a.fy - b.fy), std::abs(a.fz - b.fz)});
    }
    double const usual = std::sqrt(square / static_cast<double>(forces.size()));
    if (usual > 0) result_.largest_difference = std::max(result_.largest_difference, most / usual);
  }

  void keep_sums(simulation const& run) {
    auto const state = system_->state();
    result_.steps = run.step_count() - plan_->from.step;
    result_.sums = system_->sums();
    result_.kinetic = kinetic_energy(state);
    result_.temperature = temperature(state);
  }

  void report(std::size_t i) {
    if (done_[i].empty()) return;
    auto order = done_[i];
    std::sort(order.begin(), order.end(),
              [](auto const& a, auto const& b) { return a.seconds_per_step() < b.seconds_per_step(); });
    auto const& median = order[(order.size() - 1) / 2];
    result_.solutions.push_back({plan_->solutions[i],
                                 runners_[i]->pieces(),
                                 median.seconds_per_step(),
                                 speedup(median.seconds_per_step()),
                                 median.busy_seconds,
                                 imbalance(median.busy_seconds),
                                 median.times,
                                 energy_[i],
                                 median.rebuilds,
                                 {},
                                 {}});
    for (auto const& sample : done_[i]) {
      result_.solutions.back().seconds_samples.push_back(sample.seconds_per_step());
      result_.solutions.back().busy_samples.push_back(sample.busy_seconds);
    }
    if (plan_->solutions[i] == solution::s1) {
      for (auto& other : result_.solutions) other.speedup = speedup(other.seconds_per_step);
    }
  }

  double speedup(double seconds) const {
    for (auto const& other : result_.solutions) {
      if (other.which == solution::s1 && seconds > 0) return other.seconds_per_step / seconds;
    }
    return 0;
  }

  comparison_plan const* plan_;
  comparison_observer const* observer_;
  std::unique_ptr<stage> system_;
  std::unique_ptr<recorder> spans_;
  std::vector<std::unique_ptr<runner>> runners_;
  std::vector<std::vector<repetition>> done_;
  std::vector<double> energy_;
  std::vector<atom_result> first_forces_, sorted_forces_;
  std::int64_t last_frame_ = -1;
  comparison result_;
};

}  // namespace

void check_plan(comparison_plan const& plan) {
  check_atoms(plan.from.state);
  check_physics(plan.what, plan.from.state);
  if (plan.steps < 0) refuse_argument("steps", static_cast<long long>(plan.steps), "0 or more");
  if (plan.repeat < 1) refuse_argument("repeat", static_cast<long long>(plan.repeat), "1 or more");
  if (plan.solutions.empty()) refuse_argument("solutions", "an empty list", "some of S1, S2, S3, TQ");
}

comparison compare_solutions(device_list const& devices, comparison_plan const& plan,
                             comparison_observer const& observer) {
  if (devices.empty()) refuse_argument("devices", "an empty list", "at least one device");
  check_plan(plan);
  return comparing(devices, plan, observer).run();
}

}  // namespace ballast::md
