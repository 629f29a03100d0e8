// SPDX-License-Identifier: Apache-2.0
#include "launch_runner.hpp"

#include <algorithm>
#include <atomic>

#include "cell_forces.cuh"

namespace ballast::md {
namespace {

std::int64_t ns(clock::duration d) { return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(); }

std::uint32_t chunk_blocks(stage const& system, std::size_t devices, std::uint32_t atoms) {
  if (atoms > 0) return (atoms - 1) / atoms_per_block + 1;
  return std::max(1u, system.blocks() / static_cast<std::uint32_t>(16 * devices));
}

}  // namespace

launch_runner::launch_runner(device_list const& devices, stage const& system) : system_(&system) {
  for (auto const& device : devices) {
    device_streams_.push_back({device->make_stream(), nullptr, nullptr, nullptr, 0});
    system.kernels().resources(*device);  // loads them, so that no timing includes it
  }
}

void launch_runner::drift() { launch_parts(&stage::drift_task); }
void launch_runner::kick() { launch_parts(&stage::kick_task); }

void launch_runner::launch_parts(task (stage::*make)(block_range) const) {
  for (std::size_t d = 0; d < devices(); ++d) {
    auto const part = part_of(system_->blocks(), d, devices());
    if (part.count > 0) system_->kernels().launch(*device_streams_[d].work, (system_->*make)(part));
  }
  for (auto& one : device_streams_) one.work->synchronize(deadline::in(device_timeout));
}

void launch_runner::prepare() {
  for (auto& one : device_streams_) {
    one.begin.reset();
    one.end.reset();
    if (spans_ == nullptr) continue;
    one.zero = one.work->record();
    one.work->synchronize(deadline::in(device_timeout));
    one.zero_ns = ns(clock::now().time_since_epoch());
  }
}

void launch_runner::launch_forces(std::size_t device, atom_order order, block_range range) {
  auto& one = device_streams_[device];
  if (!one.begin) one.begin = one.work->record();
  system_->kernels().launch(*one.work, system_->forces_task(order, range));
  one.end = one.work->record();
}

force_timing launch_runner::timing_since(clock::time_point begin, std::string_view label, std::int64_t step) {
  force_timing timing{ns(clock::now() - begin), {}};
  for (std::size_t d = 0; d < devices(); ++d) {
    auto const& one = device_streams_[d];
    timing.busy_ns.push_back(one.end ? one.end->since(*one.begin).count() : 0);
    if (spans_ != nullptr && one.end) record(d, label, step);
  }
  return timing;
}

void launch_runner::record(std::size_t device, std::string_view label, std::int64_t step) {
  auto const& one = device_streams_[device];
  ballast::span done;
  done.device = device;
  done.label = std::string(label);
  done.step = step;
  done.begin_ns = one.zero_ns + one.begin->since(*one.zero).count();
  done.end_ns = one.zero_ns + one.end->since(*one.zero).count();
  spans_->record(std::move(done));
}

force_timing part_runner::forces(std::int64_t step) {
  prepare();
  auto const begin = clock::now();
  for (std::size_t d = 0; d < devices(); ++d) {
    auto const part = part_of(system().blocks(), d, devices());
    if (part.count > 0) launch_forces(d, order_, part);
  }
  for (std::size_t d = 0; d < devices(); ++d) on(d).work->synchronize(deadline::in(device_timeout));
  return timing_since(begin, order_ == atom_order::random ? "S2 forces" : "S1 forces", step);
}

std::uint32_t part_runner::pieces() const {
  return std::min(static_cast<std::uint32_t>(devices()), system().blocks());
}

chunk_runner::chunk_runner(device_list const& devices, stage const& system, std::uint32_t chunk_atoms)
    : launch_runner(devices, system),
      chunk_(chunk_blocks(system, devices.size(), chunk_atoms)),
      threads_(devices.size()) {}

force_timing chunk_runner::forces(std::int64_t step) {
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
      on(device).work->synchronize(deadline::in(device_timeout));
    }
  });
  return timing_since(begin, "S3 forces", step);
}

}  // namespace ballast::md
