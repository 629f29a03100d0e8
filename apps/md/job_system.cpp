// SPDX-License-Identifier: Apache-2.0
#include "job_system.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "all_pairs_forces.cuh"
#include "ballast/access_map.hpp"
#include "ballast/deadline.hpp"
#include "ballast/shared_array.hpp"
#include "cell_forces.cuh"
#include "kernels.hpp"
#include "motion.cuh"
#include "slot_values.hpp"

namespace ballast::md {
namespace {

/// A device's memory is padded by this between one array and the next.
constexpr std::uint64_t room_between_arrays = 64 << 10;

template <class Real>
std::uint64_t bytes_of_arrays(std::size_t atoms) {
  auto const an_atom = 2 * sizeof(placed_charge<double>) + sizeof(placed_charge<Real>) + sizeof(moving_mass) +
                       sizeof(atom_result) + sizeof(std::int32_t);
  return atoms * an_atom + max_cells(atoms) * sizeof(std::uint32_t) + blocks_of(atoms) * sizeof(double) +
         room_between_arrays;
}

template <class Real>
job_options with_memory(job_options options, std::size_t atoms) {
  options.device_bytes = bytes_of_arrays<Real>(atoms);
  options.timeout = device_timeout;
  return options;
}

/// The atoms of a block, for all accesses except reads of other blocks' atoms.
access_map atoms_of_a_block() { return one_to_one(atoms_per_block); }

access_map first_elements(std::size_t elements) {
  return [elements](map_view const&) { return region{{0, elements}}; };
}

template <class Real>
class job_system_of final : public job_system {
 public:
  job_system_of(device_list const& devices, physics const& what, std::size_t count,
                job_options const& options)
      : job_system(what, count),
        devices_(devices.size()),
        jobs_(devices, job_kernels(), with_memory<Real>(options, count)) {}

  force_timing forces(std::int64_t) override {
    auto const begin = clock::now();
    auto const done = what().all_pairs ? submit_all_pairs() : submit_cells();
    done.wait_until(deadline::in(device_timeout));
    return timing_of(report_of(done), std::chrono::nanoseconds(clock::now() - begin).count());
  }
  std::uint32_t pieces() const override { return pieces_; }

  void drift() override {
    auto const mine = atoms_of_a_block();
    finish(jobs_.submit(
        {.grid = blocks(), .name = "drift"}, updates(place_, mine), updates(motion_, mine),
        reads(result_, mine), reads(rebuilt_at_, mine), writes(moved2_), writes(rounded_, mine),
        [step = what().time_step, atoms = atoms_to_move()](auto place, auto motion, auto result,
                                                           auto rebuilt_at, auto moved2, auto rounded) {
          return md::drift<Real>{{place, motion, result, rebuilt_at, moved2, step, atoms}, rounded};
        }));
  }
  void kick() override {
    auto const mine = atoms_of_a_block();
    finish(jobs_.submit({.grid = blocks(), .name = "kick"}, updates(motion_, mine), reads(result_, mine),
                        [step = what().time_step, atoms = atoms_to_move()](auto motion, auto result) {
                          return md::kick{{{}, motion, result, {}, {}, step, atoms}};
                        }));
  }
  /// The scheduler got its recorder when it was made.
  void record_into(recorder*) override {}

  double max_displacement() override { return longest_way(moved2_.read()); }
  void invalidate_results() override {
    auto const all = result_.write();
    std::memset(static_cast<void*>(all.data()), 0xff, all.size_bytes());
  }

  std::uint32_t rank() const override { return jobs_.rank(); }
  std::uint32_t ranks() const override { return jobs_.ranks(); }
  bool is_so_on_any_rank(bool here) override {
    if (jobs_.ranks() == 1) return here;
    said_.write(own_elements).front() = here;
    return std::ranges::any_of(said_.read(), [](std::uint32_t one) { return one != 0; });
  }
  job_statistics statistics() const override { return jobs_.statistics(); }

 private:
  static void finish(completion const& job) { job.wait_until(deadline::in(device_timeout)); }

  std::uint32_t atoms_to_move() const { return static_cast<std::uint32_t>(count()); }

  completion submit_cells() {
    return jobs_.submit(
        {.grid = blocks(), .name = "jobs forces"}, reads(rounded_, all()), reads(cell_, atoms_of_a_block()),
        reads(start_, first_elements(starts_)), writes(result_, atoms_of_a_block()),
        [grid = grid_, formula = formula_, atoms = atoms_to_move()](auto place, auto cell, auto start,
                                                                    auto result) {
          return cell_forces<Real, in_slots>{{place, {}, cell, start, result, formula, grid, atoms}};
        });
  }
  completion submit_all_pairs() {
    return jobs_.submit(
        {.grid = blocks(), .name = "jobs forces"}, reads(rounded_, all()),
        writes(result_, atoms_of_a_block()),
        [grid = grid_, formula = formula_, atoms = atoms_to_move()](auto place, auto result) {
          return all_pairs_forces<Real, in_slots>{{place, {}, {}, {}, result, formula, grid, atoms}};
        });
  }

  force_timing timing_of(job_report const& job, std::int64_t wall_ns) {
    pieces_ = static_cast<std::uint32_t>(job.tasks.size());
    struct interval {
      std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
    };
    std::vector<interval> busy(devices_);
    for (auto const& task : job.tasks) {
      auto& [begin, end] = busy[task.device];
      begin = std::min(begin, task.begin_ns);
      end = std::max(end, task.end_ns);
    }
    force_timing timing{wall_ns, {}};
    for (auto const& [begin, end] : busy) timing.busy_ns.push_back(std::max(end - begin, std::int64_t{0}));
    return timing;
  }

  void write(atoms const& state, std::vector<vec3> const& rebuilt_at, cell_list const& cells) override {
    slot_values<Real> const values(state, rebuilt_at);
    std::ranges::copy(values.place, place_.write().begin());
    std::ranges::copy(values.rounded, rounded_.write().begin());
    std::ranges::copy(values.rebuilt_at, rebuilt_at_.write().begin());
    std::ranges::copy(values.motion, motion_.write().begin());
    std::ranges::copy(cells.cell, cell_.write().begin());
    starts_ = cells.start.size();
    std::ranges::copy(cells.start, start_.write({0, starts_}).begin());
    grid_ = cells.grid;
    formula_ = formula_for<Real>(what().field, state.box);
  }
  void read(atoms& state) override { take_motion(state, place_.read(), motion_.read()); }
  std::vector<atom_result> results() override {
    auto const all = result_.read();
    return {all.begin(), all.end()};
  }

  std::size_t devices_;
  job_scheduler jobs_;
  shared_array<placed_charge<double>> place_{jobs_, {count()}, "place"},
      rebuilt_at_{jobs_, {count()}, "place at the last rebuild"};
  shared_array<placed_charge<Real>> rounded_{jobs_, {count()}, "rounded place"};
  shared_array<moving_mass> motion_{jobs_, {count()}, "motion"};
  shared_array<atom_result> result_{jobs_, {count()}, "result"};
  shared_array<std::int32_t> cell_{jobs_, {count()}, "cell"};
  shared_array<std::uint32_t> start_{jobs_, {max_cells(count()) + 1}, "first slot of a cell"};
  shared_array<double> moved2_{jobs_, {blocks()}, "longest way of a block, squared"};
  shared_array<std::uint32_t> said_{jobs_, {jobs_.ranks()}, "what each rank says"};
  std::size_t starts_ = 0;  ///< used entries of start_
  cell_grid grid_{};
  pair_formula<Real> formula_{};
  std::uint32_t pieces_ = 0;
};

}  // namespace

std::unique_ptr<job_system> make_job_system(device_list const& devices, physics const& what,
                                            std::size_t count, job_options options) {
  if (what.single_precision) return std::make_unique<job_system_of<float>>(devices, what, count, options);
  return std::make_unique<job_system_of<double>>(devices, what, count, options);
}

}  // namespace ballast::md
