// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoms.hpp"
#include "ballast/device.hpp"
#include "ballast/kernel.cuh"
#include "cell_forces.cuh"
#include "cell_list.hpp"
#include "motion.cuh"
#include "slot_values.hpp"

namespace ballast::md {

/// The location of arrays: memory of a device, or host memory that the device addresses.
struct memory_place {
  std::shared_ptr<compute_device> device;
  memory where = memory::pinned;

  /// True if the host may read and write it directly.
  bool host_addresses() const { return where == memory::pinned || !device->is_cuda(); }
};

/// Owns `size` values in a place that is chosen at run time; not cleared. Move only.
template <class T>
class held_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  held_array() = default;
  held_array(memory_place place, std::size_t size)
      : place_(std::move(place)),
        size_(size),
        data_(static_cast<T*>(place_.device->allocate(place_.where, size * sizeof(T)))) {}
  held_array(held_array&& other) noexcept { swap(other); }
  held_array& operator=(held_array&& other) noexcept {
    held_array(std::move(other)).swap(*this);
    return *this;
  }
  ~held_array() {
    if (data_ != nullptr) place_.device->release(place_.where, data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool host_addresses() const { return place_.host_addresses(); }
  template <class U = T>
  array_ref<U> ref() const {
    return array_ref<U>(data_);
  }

 private:
  void swap(held_array& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

  memory_place place_;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

// These two copy between an array and the host. The host itself copies memory that it addresses: beside a
// resident kernel, CUDA makes copies from host to host wait. Both return when the copy is done; `by` is a
// stream of a device that addresses the array.
template <class T>
void write_array(held_array<T> const& to, std::vector<T> const& from, stream& by) {
  if (to.host_addresses()) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(T));
    return;
  }
  by.copy(to.data(), from.data(), from.size() * sizeof(T));
  by.synchronize();
}
template <class T>
std::vector<T> read_array(held_array<T> const& from, stream& by) {
  std::vector<T> to(from.size());
  if (from.host_addresses()) {
    std::memcpy(to.data(), from.data(), from.bytes());
    return to;
  }
  by.copy(to.data(), from.data(), from.bytes());
  by.synchronize();
  return to;
}

/// True if every device of the list can load from and store to the memory of `target`, one of them.
inline bool all_can_access(device_list const& devices, compute_device const& target) {
  return std::ranges::all_of(devices, [&](auto const& device) {
    return device.get() == &target || (device->is_cuda() && device->enable_peer_access(target));
  });
}

/// The memory that every device of the list can load from and store to: host memory if all are CPU cores, the
/// first GPU's if the others are GPUs that reach it, else page-locked host memory.
inline memory_place home_of(device_list const& devices) {
  auto const gpu = std::ranges::find_if(devices, [](auto const& d) { return d->is_cuda(); });
  if (gpu == devices.end()) return {devices.front(), memory::pinned};
  return {*gpu, all_can_access(devices, **gpu) ? memory::device : memory::pinned};
}

/// The arrays that every device addresses, by slot. `by` is always a stream of the device that holds them.
template <class Real>
class home_arrays {
 public:
  home_arrays(memory_place const& place, std::size_t atoms, std::size_t blocks)
      : place_(place, atoms),
        rebuilt_at_(place, atoms),
        motion_(place, atoms),
        result_(place, atoms),
        rounded_(place, atoms),
        moved2_(place, blocks) {}

  held_array<placed_charge<Real>> const& rounded() const { return rounded_; }
  held_array<atom_result> const& result() const { return result_; }

  drift<Real> motion_arguments_for(double time_step) const {
    motion_arguments const on{place_.ref(),
                              motion_.ref(),
                              result_.template ref<atom_result const>(),
                              rebuilt_at_.template ref<placed_charge<double> const>(),
                              moved2_.ref(),
                              time_step,
                              static_cast<std::uint32_t>(place_.size())};
    return {on, rounded_.ref()};
  }

  void write(atoms const& state, std::vector<vec3> const& rebuilt_at, stream& by) {
    slot_values<Real> const values(state, rebuilt_at);
    write_array(place_, values.place, by);
    write_array(rounded_, values.rounded, by);
    write_array(rebuilt_at_, values.rebuilt_at, by);
    write_array(motion_, values.motion, by);
  }

  /// Reads the positions and velocities.
  void read(atoms& state, stream& by) const {
    take_motion(state, read_array(place_, by), read_array(motion_, by));
  }
  std::vector<atom_result> results(stream& by) const { return read_array(result_, by); }

  /// Sets all results to NaN: bytes of all ones are NaN in every field.
  void invalidate_results(stream& by) const {
    by.fill(result_.data(), 0xff, result_.bytes());
    by.synchronize();
  }

  /// The farthest that an atom moved since the rebuild; NaN if the distance of one is.
  double max_displacement(stream& by) const { return longest_way(read_array(moved2_, by)); }

 private:
  held_array<placed_charge<double>> place_, rebuilt_at_;
  held_array<moving_mass> motion_;
  held_array<atom_result> result_;
  held_array<placed_charge<Real>> rounded_;
  held_array<double> moved2_;
};

/// What the tasks of one device read; all host devices share one object. Also holds copies of the positions,
/// unless home is the device's own memory.
template <class Real>
class force_side {
 public:
  force_side(memory_place const& place, std::size_t atoms, bool copies_positions)
      : order_{{place, atoms}, {place, atoms}},
        cell_(place, atoms),
        start_(place, max_cells(atoms) + 1),
        arguments_{{place, 1}, {place, 1}},
        kick_(place, 1),
        drift_(place, 1) {
    if (copies_positions) copy_ = held_array<placed_charge<Real>>(place, atoms);
  }

  /// The copy of the positions; empty if home is read directly.
  held_array<placed_charge<Real>> const& position_copy() const { return copy_; }
  /// The addresses of the kernels' arguments: forces in sorted and in random order, kick, drift.
  std::vector<void const*> arguments() const {
    return {arguments_[0].data(), arguments_[1].data(), kick_.data(), drift_.data()};
  }

  void give_motion(drift<Real> const& all, stream& by) {
    write_array(kick_, {kick{all.on}}, by);
    write_array(drift_, {all}, by);
  }
  /// Writes what the tasks need of the cells. `positions` and `result` are at home.
  void give_cells(cell_list const& cells, std::uint64_t seed, pair_formula<Real> const& formula,
                  held_array<placed_charge<Real>> const& positions, held_array<atom_result> const& result,
                  stream& by) {
    auto const atoms = static_cast<std::uint32_t>(cells.atom.size());
    write_array(order_[0], decomposition_order(cells), by);
    write_array(order_[1], random_order(atoms, seed), by);
    write_array(cell_, cells.cell, by);
    write_array(start_, cells.start, by);
    auto const& place = copy_.size() > 0 ? copy_ : positions;
    for (int order = 0; order < 2; ++order) {
      force_arguments<Real> const on{place.template ref<placed_charge<Real> const>(),
                                     order_[order].template ref<std::uint32_t const>(),
                                     cell_.template ref<std::int32_t const>(),
                                     start_.template ref<std::uint32_t const>(),
                                     result.ref(),
                                     formula,
                                     cells.grid,
                                     atoms};
      write_array(arguments_[order], {on}, by);
    }
  }

 private:
  held_array<std::uint32_t> order_[2];
  held_array<std::int32_t> cell_;
  held_array<std::uint32_t> start_;
  held_array<force_arguments<Real>> arguments_[2];  ///< by order
  held_array<kick> kick_;
  held_array<drift<Real>> drift_;
  held_array<placed_charge<Real>> copy_;
};

}  // namespace ballast::md
