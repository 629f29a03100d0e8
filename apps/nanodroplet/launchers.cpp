// SPDX-License-Identifier: Apache-2.0
#include "launchers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <type_traits>
#include <utility>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "droplet.hpp"
#include "force_field.cuh"
#include "kernel_batch.cuh"
#include "kernels.hpp"
#include "reference_forces.hpp"

namespace ballast::nanodroplet {
namespace {

/// Launches a single kernel of kernels.hpp in a stream of its device.
template <kernel_form K>
void enqueue(stream& on, K const& kernel, std::uint32_t blocks) {
  static kernel_code const code = launched_alone<K>();
  on.launch(code, blocks, &kernel, sizeof kernel);
}

/// Loads some of these kernels, so may wait for the device.
template <kernel_form... K>
void load_kernels(compute_device& device) {
  (device.resources(launched_alone<K>()), ...);
}

/// The kernel whose address `argument` holds, as an ordinary launch.
template <class K>
plain_launch as_plain(void** argument, std::uint32_t blocks) {
  auto const code = launched_alone<K>();
  return {.function = code.cuda_function,
          .shape = {blocks, code.threads, code.scratch_bytes},
          .arguments = argument,
          .name = code.name};
}

std::vector<water_memory> memory_of(std::shared_ptr<compute_device> const& device, chain_size size,
                                    std::size_t chains) {
  std::vector<water_memory> all;
  for (std::size_t i = 0; i < chains; ++i) all.emplace_back(device, size);
  return all;
}

/// The kernel of each chain.
template <class Kernel>
auto each(std::vector<water_memory> const& chains, Kernel const& kernel) {
  std::vector<decltype(kernel(chains.front()))> all;
  for (auto const& chain : chains) all.push_back(kernel(chain));
  return all;
}

}  // namespace

reference_launcher::reference_launcher(std::size_t waters, std::size_t beads, double time_step)
    : time_step_(time_step),
      start_(3 * waters),
      start_velocity_(3 * waters),
      beads_(beads),
      on_beads_(beads),
      position_(3 * waters),
      velocity_(3 * waters),
      force_(3 * waters) {}

chain_exchange reference_launcher::exchange() {
  return {start_, start_velocity_, beads_, on_beads_, position_, velocity_, std::span(&result_, 1)};
}

void reference_launcher::load() {
  position_ = start_;
  std::ranges::fill(velocity_, vec3{});
}

void reference_launcher::begin_trajectory(bool keeps) {
  (keeps ? kept_position_ : position_) = keeps ? position_ : kept_position_;
  (keeps ? kept_force_ : force_) = keeps ? force_ : kept_force_;
  velocity_ = start_velocity_;
  kick(0.5);
  drift();
}

void reference_launcher::step(bool is_last) {
  std::ranges::fill(force_, vec3{});
  std::ranges::fill(on_beads_, vec3{});
  auto const among = add_water_forces(position_, force_);
  auto const mixed = add_mixed_forces(position_, beads_, force_, on_beads_);
  kick(is_last ? 0.5 : 1.0);
  if (!is_last) return drift();
  result_ = {{among.bond, among.angle, among.vdw, among.coulomb, mixed.vdw, mixed.coulomb}};
}

void reference_launcher::kick(double steps) {
  for (std::size_t i = 0; i < force_.size(); ++i)
    velocity_[i] += (steps * time_step_ * acceleration / mass_of_water_atom(i)) * force_[i];
}

void reference_launcher::drift() {
  for (std::size_t i = 0; i < position_.size(); ++i) position_[i] += time_step_ * velocity_[i];
}

stream_launcher::stream_launcher(std::shared_ptr<compute_device> const& device, chain_size size)
    : memory_(device, size), among_water_(device->make_stream()), with_beads_(device->make_stream()) {
  load_kernels<load_water, begin_water, water_forces, mixed_forces, propagate_water>(*device);
}

void stream_launcher::load() {
  enqueue(*with_beads_, memory_.load(), memory_.blocks());
  done_ = with_beads_->record_untimed();
}

void stream_launcher::begin_trajectory(bool keeps) {
  enqueue(*with_beads_, memory_.begin(keeps), memory_.blocks());
  done_ = with_beads_->record_untimed();
}

void stream_launcher::step(bool is_last) {
  if (done_) among_water_->wait_for(*done_);
  enqueue(*among_water_, memory_.among_water(is_last), memory_.blocks());
  enqueue(*with_beads_, memory_.with_beads(is_last), memory_.blocks());
  with_beads_->wait_for(*among_water_->record_untimed());
  enqueue(*with_beads_, memory_.propagate(is_last), memory_.blocks());
  done_ = with_beads_->record_untimed();
}

graph_launcher::graph_launcher(std::shared_ptr<compute_device> const& device, chain_size size)
    : memory_(device, size),
      stream_(device->make_stream()),
      inner_step_(graph_of_step(*device, false)),
      last_step_(graph_of_step(*device, true)) {
  load_kernels<load_water, begin_water>(*device);
  inner_step_->upload(*stream_);
  last_step_->upload(*stream_);
}

std::unique_ptr<launch_graph> graph_launcher::graph_of_step(compute_device& device, bool is_last) const {
  auto among_water = memory_.among_water(is_last);
  auto with_beads = memory_.with_beads(is_last);
  auto propagate = memory_.propagate(is_last);
  std::array<void*, 3> arguments{&among_water, &with_beads, &propagate};
  std::array<graph_branch, 3> const branches{{
      {{as_plain<water_forces>(&arguments[0], memory_.blocks())}},
      {{as_plain<mixed_forces>(&arguments[1], memory_.blocks())}},
      {{as_plain<propagate_water>(&arguments[2], memory_.blocks())}, {0, 1}},
  }};
  return device.make_graph(branches);
}

void graph_launcher::load() { enqueue(*stream_, memory_.load(), memory_.blocks()); }

void graph_launcher::begin_trajectory(bool keeps) {
  enqueue(*stream_, memory_.begin(keeps), memory_.blocks());
}

queue_launcher::queue_launcher(std::shared_ptr<launch_queue> queue, std::size_t place,
                               std::shared_ptr<compute_device> const& device, chain_size size)
    : queue_(std::move(queue)),
      memory_(device, size),
      among_water_(queue_->make_launch_stream_on(place)),
      with_beads_(queue_->make_launch_stream_on(place)) {}

queue_launcher::~queue_launcher() {
  try {
    done_.wait_until(deadline::in(std::chrono::minutes(1)));
  } catch (std::exception const&) {
    // The work failed, and its requester has received the error.
  }
}

void queue_launcher::load() { done_ = with_beads_.launch(memory_.load(), memory_.blocks()); }

void queue_launcher::begin_trajectory(bool keeps) {
  done_ = with_beads_.launch(memory_.begin(keeps), memory_.blocks());
}

void queue_launcher::step(bool is_last) {
  if (!done_.ready()) among_water_.after(done_);
  auto const among_water = among_water_.launch(memory_.among_water(is_last), memory_.blocks());
  with_beads_.launch(memory_.with_beads(is_last), memory_.blocks());
  with_beads_.after(among_water);
  done_ = with_beads_.launch(memory_.propagate(is_last), memory_.blocks());
}

chain_batch::chain_batch(std::shared_ptr<compute_device> const& device, chain_size size, std::size_t chains)
    : device_(device),
      memory_(memory_of(device, size, chains)),
      load_(on_device(each(memory_, [](auto const& chain) { return chain.load(); }))),
      begin_(device, chains),
      inner_step_(kernels_of_step(false)),
      last_step_(kernels_of_step(true)),
      among_water_(device->make_stream()),
      with_beads_(device->make_stream()) {
  load_kernels<kernel_batch<load_water>, kernel_batch<begin_water>, kernel_batch<water_forces>,
               kernel_batch<mixed_forces>, kernel_batch<propagate_water>>(*device);
}

template <class K>
device_buffer<K> chain_batch::on_device(std::vector<K> const& kernels) {
  device_buffer<K> copied(device_, kernels.size());
  auto const work = device_->make_stream();
  work->copy(copied.data(), kernels.data(), copied.bytes());
  work->synchronize();
  return copied;
}

chain_batch::step_kernels chain_batch::kernels_of_step(bool is_last) {
  return {on_device(each(memory_, [=](auto const& chain) { return chain.among_water(is_last); })),
          on_device(each(memory_, [=](auto const& chain) { return chain.with_beads(is_last); })),
          on_device(each(memory_, [=](auto const& chain) { return chain.propagate(is_last); }))};
}

std::uint64_t chain_batch::submit(batch_round const& wanted) {
  std::lock_guard const lock(mutex_);
  if (submitted_ == 0) wanted_ = wanted;
  if (wanted != wanted_) throw error("chains of one batch are not at the same step");
  auto const round = launched_ + 1;
  if (++submitted_ == memory_.size()) launch(wanted);
  return round;
}

bool chain_batch::is_finished(std::uint64_t round) {
  if (round <= finished_) return true;
  if (round > launched_) return false;
  std::unique_lock const lock(mutex_, std::try_to_lock);
  if (!lock || !done_->reached()) return false;
  finished_ = round;
  return true;
}

template <class Buffer>
void chain_batch::enqueue_all(stream& on, Buffer const& kernels) {
  using kernel = std::remove_pointer_t<decltype(kernels.data())>;
  auto const blocks = memory_.front().blocks();
  kernel_batch<kernel> const batch{array_ref<kernel const>(kernels.data()), blocks};
  enqueue(on, batch, blocks * static_cast<std::uint32_t>(memory_.size()));
}

void chain_batch::launch(batch_round const& round) {
  if (round.begins == batch_round::beginning::chain) enqueue_all(*with_beads_, load_);
  if (round.begins == batch_round::beginning::trajectory) enqueue_all(*with_beads_, begin_);
  if (round.begins != batch_round::beginning::none) among_water_->wait_for(*with_beads_->record_untimed());
  auto const& step = round.is_last ? last_step_ : inner_step_;
  enqueue_all(*among_water_, step.among_water);
  enqueue_all(*with_beads_, step.with_beads);
  with_beads_->wait_for(*among_water_->record_untimed());
  enqueue_all(*with_beads_, step.propagate);
  done_ = with_beads_->record_untimed();
  submitted_ = 0;
  ++launched_;
}

}  // namespace ballast::nanodroplet
