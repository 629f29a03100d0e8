// SPDX-License-Identifier: Apache-2.0
#include "stream_launcher.hpp"

#include "lone_kernels.hpp"

namespace ballast::nanodroplet {

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

}  // namespace ballast::nanodroplet
