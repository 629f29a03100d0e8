// SPDX-License-Identifier: Apache-2.0
#include "stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "all_pairs_forces.cuh"
#include "ballast/base/error.hpp"
#include "cell_forces.cuh"
#include "cell_list.hpp"
#include "held_array.hpp"
#include "kernels.hpp"
#include "local_entries.hpp"
#include "local_reference.cuh"
#include "motion.cuh"
#include "solution_order.hpp"

namespace ballast::md {
namespace {

template <class Real>
pair_formula<Real> formula_for(force_field const& field, bounds const& box) {
  auto const c = constants_of(field);
  pair_formula<Real> f{Real(c.cutoff2),
                       Real(c.a12),
                       Real(c.a6),
                       Real(c.lj_shift),
                       Real(c.lj_slope),
                       Real(coulomb),
                       Real(c.coulomb_shift),
                       Real(c.coulomb_slope),
                       {},
                       {}};
  for (int axis = 0; axis < 3; ++axis) {
    f.period[axis] = Real(box.length(axis));
    f.inverse_period[axis] = Real(1 / box.length(axis));
  }
  return f;
}

/// What the force tasks of one device read; host devices share one.
template <class Real>
struct reading_side {
  reading_side(memory_place const& place, std::size_t atoms, std::size_t cells, bool copies_positions)
      : order{{place, atoms}, {place, atoms}},
        cell(place, atoms),
        start(place, cells + 1),
        arguments{{place, 1}, {place, 1}},
        kicking(place, 1),
        drifting(place, 1) {
    if (copies_positions) place_copy = held_array<placed_charge<Real>>(place, atoms);
  }

  held_array<std::uint32_t> order[2];
  held_array<std::int32_t> cell;
  held_array<std::uint32_t> start;
  held_array<force_arguments<Real>> arguments[2];  ///< by order
  held_array<kick> kicking;
  held_array<drift<Real>> drifting;
  held_array<placed_charge<Real>> place_copy;  ///< empty where home is read directly
};

struct seat {
  std::shared_ptr<compute_device> device;
  std::unique_ptr<stream> copies;
  std::size_t reads = 0;  ///< which reading_side
};

std::size_t most_cells(std::size_t atoms) { return 8 * atoms + 4096; }

template <class Real>
class stage_of final : public stage {
 public:
  stage_of(device_list const& devices, physics const& what, std::size_t count, std::uint64_t seed)
      : what_(what),
        count_(count),
        seed_(seed),
        home_(home_of(devices)),
        place_(home_, count),
        rebuilt_at_(home_, count),
        motion_(home_, count),
        result_(home_, count),
        rounded_(home_, count),
        moved2_(home_, blocks()) {
    for (auto const& device : devices) add_seat(device);
    give_motion_arguments();
  }

  compiled_kernels const& kernels() const override {
    if constexpr (std::is_same_v<Real, float>) return what_.all_pairs ? single_all_pairs() : single_cells();
    return what_.all_pairs ? double_all_pairs() : double_cells();
  }
  std::uint32_t blocks() const override {
    return static_cast<std::uint32_t>((count_ + atoms_per_block - 1) / atoms_per_block);
  }

  task forces_task(atom_order order, block_range range) const override {
    auto const at = entry_of(order == atom_order::random ? entry::random : entry::decomposed);
    if (what_.all_pairs) return task(by_local_reference<all_pairs_forces<Real>>{at}, range);
    return task(by_local_reference<cell_forces<Real>>{at}, range);
  }
  task drift_task(block_range range) const override {
    return task(by_local_reference<drift<Real>>{entry_of(entry::drift)}, range);
  }
  task kick_task(block_range range) const override {
    return task(by_local_reference<kick>{entry_of(entry::kick)}, range);
  }

  void load(atoms const& all, std::optional<std::vector<vec3>> const& rebuilt_at) override {
    state_ = all;
    if (rebuilt_at) return settle(*rebuilt_at);
    if (periodic()) wrap_into(state_.position, state_.box);
    settle(state_.position);
  }

  double farthest_move() override {
    std::vector<double> moved2(moved2_.size());
    read(moved2, moved2_);
    double most = 0;
    for (double const one : moved2) {
      if (!(one <= most)) most = one;
      if (std::isnan(most)) break;
    }
    return std::sqrt(most);
  }

  void rebuild() override {
    fetch_state();
    if (periodic()) wrap_into(state_.position, state_.box);
    settle(state_.position);
  }

  void exchange() override {
    for (auto const& s : seats_) {
      auto const& copy = sides_[s.reads]->place_copy;
      if (copy.size() > 0) s.copies->copy(copy.data(), rounded_.data(), copy.bytes());
    }
    for (auto const& s : seats_) s.copies->synchronize();
  }

  totals sums() override { return totals_of(results()); }
  std::vector<atom_result> results_by_id() override {
    auto const in_slots = results();
    std::vector<std::uint32_t> order(count_);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return state_.id[a] < state_.id[b]; });
    std::vector<atom_result> by_id;
    for (auto const slot : order) by_id.push_back(in_slots[slot]);
    return by_id;
  }
  atoms state() override {
    fetch_state();
    return state_;
  }
  std::vector<vec3> rebuilt_at() const override { return reference_; }

 private:
  enum class entry { decomposed, random, kick, drift, count };
  std::uint32_t entry_of(entry which) const { return entries_.first() + static_cast<std::uint32_t>(which); }

  bool periodic() const { return what_.field.edges == boundary::periodic; }

  void add_seat(std::shared_ptr<compute_device> const& device) {
    bool const reads_home = !device->is_cuda() || (device == home_.device && home_.where == memory::device);
    seat s{device, device->make_stream(), sides_.size()};
    auto const host =
        std::find_if(seats_.begin(), seats_.end(), [](auto const& x) { return !x.device->is_cuda(); });
    if (!device->is_cuda() && host != seats_.end()) {
      s.reads = host->reads;
    } else {
      memory_place const place{device, device->is_cuda() ? memory::device : memory::pinned};
      sides_.push_back(std::make_unique<reading_side<Real>>(place, count_, most_cells(count_), !reads_home));
    }
    seats_.push_back(std::move(s));
  }

  // What the host addresses is copied by the host: beside a resident kernel, CUDA makes copies from host to
  // host wait.
  template <class T>
  static void write(held_array<T> const& to, std::vector<T> const& from, stream& by) {
    if (to.host_addresses()) {
      std::memcpy(to.data(), from.data(), from.size() * sizeof(T));
      return;
    }
    by.copy(to.data(), from.data(), from.size() * sizeof(T));
    by.synchronize();
  }
  template <class T>
  void write_home(held_array<T> const& to, std::vector<T> const& from) {
    write(to, from, *home_stream());
  }
  template <class T>
  void read(std::vector<T>& to, held_array<T> const& from) {
    if (from.host_addresses()) {
      std::memcpy(to.data(), from.data(), to.size() * sizeof(T));
      return;
    }
    home_stream()->copy(to.data(), from.data(), to.size() * sizeof(T));
    home_stream()->synchronize();
  }
  stream* home_stream() const {
    for (auto const& s : seats_) {
      if (s.device == home_.device) return s.copies.get();
    }
    return seats_.front().copies.get();
  }

  void give_motion_arguments() {
    motion_arguments const on{place_.ref(),
                              motion_.ref(),
                              result_.template ref<atom_result const>(),
                              rebuilt_at_.template ref<placed_charge<double> const>(),
                              moved2_.ref(),
                              what_.time_step,
                              static_cast<std::uint32_t>(count_)};
    for (auto const& side : sides_) {
      auto& by = *seat_of(*side).copies;
      write(side->kicking, std::vector{kick{on}}, by);
      write(side->drifting, std::vector{drift<Real>{on, rounded_.ref()}}, by);
    }
    for (auto const& s : seats_) remember_entries(s);
  }

  void remember_entries(seat const& s) {
    auto const& side = *sides_[s.reads];
    void const* const where[] = {side.arguments[0].data(), side.arguments[1].data(), side.kicking.data(),
                                 side.drifting.data()};
    for (std::uint32_t i = 0; i < std::size(where); ++i) {
      kernels().launch(*s.copies, task(remember{entries_.first() + i, where[i]}, {0, 1}));
    }
    s.copies->synchronize();
  }

  /// Puts the atoms of state_ into the cells of `reference`, and on the devices.
  void settle(std::vector<vec3> const& reference) {
    auto const grid = grid_for(reference, state_.box, what_.field.cutoff + what_.skin, what_.field.edges);
    auto const cells = make_cell_list(reference, grid);
    refuse_coincident(state_, make_cell_list(state_.position, grid));
    std::vector<vec3> moved;
    for (auto const atom : cells.atom) moved.push_back(reference[atom]);
    reference_ = std::move(moved);
    state_ = reordered(state_, cells.atom);
    for (auto const& side : sides_) give_cells(*side, cells);
    give_state();
    exchange();
  }

  void give_cells(reading_side<Real>& side, cell_list const& cells) {
    auto& by = *seat_of(side).copies;
    write(side.order[0], decomposition_order(cells), by);
    write(side.order[1], random_order(static_cast<std::uint32_t>(count_), seed_), by);
    write(side.cell, cells.cell, by);
    write(side.start, cells.start, by);
    for (int order = 0; order < 2; ++order) {
      write(side.arguments[order], std::vector{arguments_of(side, order, cells.grid)}, by);
    }
  }
  seat const& seat_of(reading_side<Real> const& side) const {
    for (auto const& s : seats_) {
      if (sides_[s.reads].get() == &side) return s;
    }
    return seats_.front();
  }
  force_arguments<Real> arguments_of(reading_side<Real> const& side, int order, cell_grid const& grid) const {
    auto const& place = side.place_copy.size() > 0 ? side.place_copy : rounded_;
    return {place.template ref<placed_charge<Real> const>(),
            side.order[order].template ref<std::uint32_t const>(),
            side.cell.template ref<std::int32_t const>(),
            side.start.template ref<std::uint32_t const>(),
            result_.ref(),
            formula_for<Real>(what_.field, state_.box),
            grid,
            static_cast<std::uint32_t>(count_)};
  }

  void give_state() {
    std::vector<placed_charge<double>> place(count_), reference(count_);
    std::vector<placed_charge<Real>> rounded(count_);
    std::vector<moving_mass> motion(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      auto const& p = state_.position[i];
      auto const& v = state_.velocity[i];
      place[i] = {p.x, p.y, p.z, state_.charge[i]};
      rounded[i] = {Real(p.x), Real(p.y), Real(p.z), Real(state_.charge[i])};
      reference[i] = {reference_[i].x, reference_[i].y, reference_[i].z, 0};
      motion[i] = {v.x, v.y, v.z, acceleration / state_.mass[i]};
    }
    write_home(place_, place);
    write_home(rounded_, rounded);
    write_home(rebuilt_at_, reference);
    write_home(motion_, motion);
  }

  void fetch_state() {
    std::vector<placed_charge<double>> place(count_);
    std::vector<moving_mass> motion(count_);
    read(place, place_);
    read(motion, motion_);
    for (std::size_t i = 0; i < count_; ++i) {
      state_.position[i] = {place[i].x, place[i].y, place[i].z};
      state_.velocity[i] = {motion[i].vx, motion[i].vy, motion[i].vz};
    }
  }

  std::vector<atom_result> results() {
    std::vector<atom_result> all(count_);
    read(all, result_);
    return all;
  }

  physics what_;
  std::size_t count_;
  std::uint64_t seed_;
  memory_place home_;
  local_entry_lease entries_{static_cast<std::uint32_t>(entry::count)};
  std::vector<seat> seats_;
  std::vector<std::unique_ptr<reading_side<Real>>> sides_;
  held_array<placed_charge<double>> place_, rebuilt_at_;
  held_array<moving_mass> motion_;
  held_array<atom_result> result_;
  held_array<placed_charge<Real>> rounded_;
  held_array<double> moved2_;
  atoms state_;
  std::vector<vec3> reference_;  ///< positions at the last rebuild, by slot
};

}  // namespace

void check_physics(physics const& what, atoms const& all) {
  check_force_field(what.field, all);
  if (!(what.time_step > 0) || !std::isfinite(what.time_step)) {
    refuse_argument("dt", what.time_step, "more than 0 fs");
  }
  if (!(what.skin >= 0) || what.skin > largest_coordinate) {
    refuse_argument("skin", what.skin, "0 to 1e9 Angstrom");
  }
}

std::unique_ptr<stage> make_stage(device_list const& devices, physics const& what, std::size_t count,
                                  std::uint64_t seed) {
  if (what.single_precision) return std::make_unique<stage_of<float>>(devices, what, count, seed);
  return std::make_unique<stage_of<double>>(devices, what, count, seed);
}

}  // namespace ballast::md
