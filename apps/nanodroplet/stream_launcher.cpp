// SPDX-License-Identifier: Apache-2.0
#include "stream_launcher.hpp"

#include "kernels.hpp"

namespace ballast::nanodroplet {
namespace {

template <class K>
void launch(stream& on, K const& kernel, std::uint32_t blocks) {
  static kernel_code const code = launched_alone<K>();
  on.launch(code, blocks, &kernel, sizeof kernel);
}

void load_kernels(compute_device& device) {
  device.resources(launched_alone<load_water>());
  device.resources(launched_alone<begin_water>());
  device.resources(launched_alone<water_forces>());
  device.resources(launched_alone<mixed_forces>());
  device.resources(launched_alone<propagate_water>());
}

}  // namespace

stream_launcher::stream_launcher(std::shared_ptr<compute_device> const& device, chain_size size)
    : memory_(device, size), among_water_(device->make_stream()), with_beads_(device->make_stream()) {
  load_kernels(*device);
}

void stream_launcher::load() {
  launch(*with_beads_, memory_.load(), memory_.blocks());
  done_ = with_beads_->record();
}

void stream_launcher::begin_trajectory(bool keeps) {
  launch(*with_beads_, memory_.begin(keeps), memory_.blocks());
  done_ = with_beads_->record();
}

void stream_launcher::step(bool is_last) {
  if (done_) among_water_->wait_for(*done_);
  launch(*among_water_, memory_.among_water(is_last), memory_.blocks());
  launch(*with_beads_, memory_.with_beads(is_last), memory_.blocks());
  with_beads_->wait_for(*among_water_->record());
  launch(*with_beads_, memory_.propagate(is_last), memory_.blocks());
  done_ = with_beads_->record();
}

}  // namespace ballast::nanodroplet
