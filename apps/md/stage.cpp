// SPDX-License-Identifier: Apache-2.0
#include "stage.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "all_pairs_forces.cuh"
#include "ballast/error.hpp"
#include "cell_list.hpp"
#include "kernels.hpp"
#include "local_reference.cuh"
#include "stage_arrays.hpp"

namespace ballast::md {
namespace {

std::mutex mutex;
std::array<bool, local_entries> in_use;

/// Entries in the devices' tables of arguments, `count` in a row, for as long as the object lives. Throws
/// ballast::error when all 64 are taken.
class local_entry_lease {
 public:
  explicit local_entry_lease(std::uint32_t count) : count_(count) {
    std::scoped_lock const hold(mutex);
    auto const found = std::search_n(in_use.begin(), in_use.end(), count, false);
    if (found == in_use.end()) throw error("too many systems are on the devices of this process at once");
    first_ = static_cast<std::uint32_t>(found - in_use.begin());
    std::fill_n(found, count, true);
  }
  local_entry_lease(local_entry_lease const&) = delete;
  local_entry_lease& operator=(local_entry_lease const&) = delete;
  ~local_entry_lease() {
    std::scoped_lock const hold(mutex);
    std::fill_n(in_use.begin() + first_, count_, false);
  }

  std::uint32_t first() const { return first_; }

 private:
  std::uint32_t first_ = 0, count_;
};

/// A device's place on the stage.
struct device_slot {
  std::shared_ptr<compute_device> device;
  std::unique_ptr<stream> copies;
  std::size_t side = 0;      ///< the force_side that its tasks read
  bool shares_side = false;  ///< shared with an earlier device_slot
};

template <class Real>
class stage_of final : public stage {
 public:
  stage_of(device_list const& devices, physics const& what, std::size_t count, std::uint64_t seed)
      : stage(what, count), seed_(seed), place_(home_of(devices)), home_(place_, count, blocks_of(count)) {
    for (auto const& device : devices) add_device_slot(device);
    for (auto const& s : device_slots_) {
      if (s.shares_side) continue;
      sides_[s.side]->give_motion(home_.motion_arguments_for(what.time_step), *s.copies);
      store_all_arguments(s);
    }
  }

  kernel_set const& kernels() const override {
    if constexpr (std::is_same_v<Real, float>) return what().all_pairs ? single_all_pairs() : single_cells();
    return what().all_pairs ? double_all_pairs() : double_cells();
  }

  task forces_task(atom_order order, block_range range) const override {
    auto const at = entry_of(order == atom_order::random ? entry::random : entry::decomposed);
    if (what().all_pairs) return task(by_local_reference<all_pairs_forces<Real>>{at}, range);
    return task(by_local_reference<cell_forces<Real>>{at}, range);
  }
  task drift_task(block_range range) const override {
    return task(by_local_reference<drift<Real>>{entry_of(entry::drift)}, range);
  }
  task kick_task(block_range range) const override {
    return task(by_local_reference<kick>{entry_of(entry::kick)}, range);
  }

  double max_displacement() override { return home_.max_displacement(home_stream()); }
  void exchange() override {
    for (auto const& s : device_slots_) {
      auto const& copy = sides_[s.side]->position_copy();
      if (copy.size() > 0) s.copies->copy(copy.data(), home_.rounded().data(), copy.bytes());
    }
    for (auto const& s : device_slots_) s.copies->synchronize();
  }

  void invalidate_results() override { home_.invalidate_results(home_stream()); }

 private:
  enum class entry { decomposed, random, kick, drift, count };  // in the order of force_side::arguments()
  std::uint32_t entry_of(entry which) const { return entries_.first() + static_cast<std::uint32_t>(which); }

  void write(atoms const& state, std::vector<vec3> const& rebuilt_at, cell_list const& cells) override {
    auto const formula = formula_for<Real>(what().field, state.box);
    for (auto const& s : device_slots_) {
      if (s.shares_side) continue;
      sides_[s.side]->give_cells(cells, seed_, formula, home_.rounded(), home_.result(), *s.copies);
    }
    home_.write(state, rebuilt_at, home_stream());
    exchange();
  }
  void read(atoms& state) override { home_.read(state, home_stream()); }
  std::vector<atom_result> results() override { return home_.results(home_stream()); }

  void add_device_slot(std::shared_ptr<compute_device> const& device) {
    device_slot s{device, device->make_stream(), sides_.size(), false};
    auto const host = std::ranges::find_if(device_slots_, [](auto const& x) { return !x.device->is_cuda(); });
    if (!device->is_cuda() && host != device_slots_.end()) {
      s.side = host->side;
      s.shares_side = true;
    } else {
      sides_.push_back(make_side(device));
    }
    device_slots_.push_back(std::move(s));
  }

  std::unique_ptr<force_side<Real>> make_side(std::shared_ptr<compute_device> const& device) const {
    bool const is_home = device == place_.device && place_.where == memory::device;
    memory_place const place{device, device->is_cuda() ? memory::device : memory::pinned};
    return std::make_unique<force_side<Real>>(place, count(), device->is_cuda() && !is_home);
  }

  void store_all_arguments(device_slot const& s) {
    std::uint32_t at = entries_.first();
    for (auto const* const arguments : sides_[s.side]->arguments())
      launch(kernels(), *s.copies, task(store_arguments{at++, arguments}, {0, 1}));
    s.copies->synchronize();
  }

  stream& home_stream() const {
    for (auto const& s : device_slots_)
      if (s.device == place_.device) return *s.copies;
    return *device_slots_.front().copies;
  }

  std::uint64_t seed_;
  memory_place place_;
  home_arrays<Real> home_;
  local_entry_lease entries_{static_cast<std::uint32_t>(entry::count)};
  std::vector<device_slot> device_slots_;
  std::vector<std::unique_ptr<force_side<Real>>> sides_;
};

}  // namespace

std::unique_ptr<stage> make_stage(device_list const& devices, physics const& what, std::size_t count,
                                  std::uint64_t seed) {
  if (what.single_precision) return std::make_unique<stage_of<float>>(devices, what, count, seed);
  return std::make_unique<stage_of<double>>(devices, what, count, seed);
}

}  // namespace ballast::md
