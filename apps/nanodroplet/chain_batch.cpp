// SPDX-License-Identifier: Apache-2.0
#include "chain_batch.hpp"

#include <type_traits>

#include "ballast/error.hpp"
#include "kernel_batch.cuh"
#include "lone_kernels.hpp"

namespace ballast::nanodroplet {
namespace {

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
