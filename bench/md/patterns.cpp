// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "md/benchmarks.hpp"
#include "md/patterned_forces.hpp"
#include "md/runner.hpp"
#include "md/solution_race.hpp"
#include "md/uniform_system.hpp"
#include "queue/patterns.hpp"

namespace ballast::bench {
namespace {

constexpr int patterns = patterned_forces::patterns;

md::physics uniform_physics() {
  md::physics what;
  what.field.edges = md::boundary::periodic;
  what.skin = 0;
  return what;
}

/// The result of `ballast md` for the same atoms, in their order.
std::vector<md::atom_result> right_results(std::shared_ptr<compute_device> const& on, md::atoms const& all) {
  auto const system = md::make_stage({on}, uniform_physics(), all.size(), 1);
  auto const s1 = md::make_runner(md::solution::s1, {on}, *system, {}, false);
  system->load(all, std::nullopt);
  s1->forces(0);
  return system->results_by_id();
}

/// The options of TQ in `ballast md`.
balanced_options tq_options() {
  balanced_options options;
  options.queue.times = true;
  options.queue.resident.spared_multiprocessors = 0;
  return options;
}

using samples_by_pattern = std::vector<std::vector<double>>;

/// Both ways to run the blocks of a pattern: the hardware's scheduler and the queue.
class pattern_race {
 public:
  pattern_race(session& now, md::atoms const& all)
      : now_(&now),
        right_(right_results(now.first(), all)),
        forces_(now.first(), all, uniform_physics().field),
        launches_(now.first()->make_stream()),
        queue_({now.first()}, nullable_kernels(), tq_options()) {
    queue_.close();
    for (int pattern = 0; pattern < patterns; ++pattern)
      tasks_.push_back(std::make_shared<prepared_tasks const>(nullable_kernels(), forces_.tasks_of(pattern)));
  }

  /// Runs each pattern in turn, by S1 and by TQ, repeatedly.
  void run(std::size_t repetitions) {
    for (int pattern = 0; pattern < patterns; ++pattern) check(pattern);
    for (std::size_t turn = 0; turn < repetitions; ++turn) {
      for (int pattern = 0; pattern < patterns; ++pattern) {
        s1_[std::size_t(pattern)].push_back(second_time([&] { launch(pattern); }));
        tq_[std::size_t(pattern)].push_back(by_queue([&] { submit(pattern); }));
      }
    }
  }
  samples_by_pattern const& s1() const { return s1_; }
  samples_by_pattern const& tq() const { return tq_; }

 private:
  void launch(int pattern) {
    ballast::launch(nullable_kernels(), *launches_, forces_.of(pattern, {0, forces_.blocks()}));
    launches_->synchronize();
  }
  void submit(int pattern) {
    auto const all = queue_.submit(tasks_[std::size_t(pattern)]);
    all.wait();
    queue_.forget(all);
  }
  template <class Work>
  double second_time(Work const& work) {
    work();
    return seconds_of(work);
  }
  template <class Work>
  double by_queue(Work const& work) {
    queue_.start();
    double const seconds = second_time(work);
    queue_.close();
    return seconds;
  }

  void check(int pattern) {
    forces_.invalidate_results();
    launch(pattern);
    verify(pattern);
    forces_.invalidate_results();
    by_queue([&] { submit(pattern); });
    verify(pattern);
  }
  void verify(int pattern) {
    now_->verify(forces_.leaves_right_results(pattern, right_),
                 "forces of both bitwise those of ballast md's S1, and none where a block is nullified");
  }

  session* now_;
  std::vector<md::atom_result> right_;
  patterned_forces forces_;
  std::unique_ptr<stream> launches_;
  balanced_queue queue_;
  std::vector<std::shared_ptr<prepared_tasks const>> tasks_;
  samples_by_pattern s1_ = samples_by_pattern(patterns), tq_ = s1_;
};

std::vector<double> time_saved(std::vector<double> const& pattern, std::vector<double> const& balanced) {
  std::vector<double> all;
  for (std::size_t i = 0; i < pattern.size(); ++i) all.push_back(1 - pattern[i] / balanced[i]);
  return all;
}

void add_curve(session& now, std::string const& way, std::string const& atoms,
               samples_by_pattern const& all) {
  std::string const curve = way + ", " + atoms + " atoms";
  for (std::size_t pattern = 0; pattern < all.size(); ++pattern) {
    auto const x = double(pattern);
    now.add(curve + ": time saved", x, "1", time_saved(all[pattern], all[0]));
    now.add(curve, x, "s", all[pattern]);
    now.derived("P" + std::to_string(pattern) + ": time saved by " + curve,
                now.median_of(curve + ": time saved", x));
  }
}

void add_nullified(session& now) {
  for (int pattern = 0; pattern < patterns; ++pattern) {
    auto const active = active_blocks(pattern, 1024);
    now.add("work nullified", pattern, "1", {double(std::ranges::count(active, 0u)) / 1024});
  }
}

void measure_system(session& now, unsigned doublings) {
  auto const all = uniform_system(doublings);
  pattern_race race(now, all);
  race.run(now.record().repetitions);
  add_curve(now, "S1", std::to_string(all.size()), race.s1());
  add_curve(now, "TQ", std::to_string(all.size()), race.tq());
}

}  // namespace

/// Measures on the first device alone, as in the paper.
void measure_md_patterns(session& now) {
  now.axes("Nullified blocks, P0 to P4: time saved over P0, and seconds per step", "pattern", "time saved");
  now.repeat(1, now.quick() ? 3 : 7);
  now.policy("feed", "rate");
  add_nullified(now);
  if (!now.first()->is_cuda()) return measure_system(now, now.quick() ? 13 : 15);
  measure_system(now, now.quick() ? 16 : 19);
  if (!now.quick()) measure_system(now, 22);
}

}  // namespace ballast::bench
