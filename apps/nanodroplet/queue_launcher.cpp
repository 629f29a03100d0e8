// SPDX-License-Identifier: Apache-2.0
#include "queue_launcher.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace ballast::nanodroplet {

queue_launcher::queue_launcher(std::shared_ptr<launch_queue> queue, std::size_t place,
                               std::shared_ptr<compute_device> const& device, chain_size size)
    : queue_(std::move(queue)),
      memory_(device, size),
      among_water_(queue_->make_launch_stream_on(place)),
      with_beads_(queue_->make_launch_stream_on(place)) {}

queue_launcher::~queue_launcher() {
  try {
    done_.wait_finished(deadline::in(std::chrono::minutes(1)));
  } catch (std::exception const&) {
    // It failed, and whoever asked for it has been told.
  }
}

void queue_launcher::load() { done_ = with_beads_.launch(memory_.load(), memory_.blocks()); }

void queue_launcher::begin_trajectory(bool keeps) {
  done_ = with_beads_.launch(memory_.begin(keeps), memory_.blocks());
}

void queue_launcher::step(bool is_last) {
  if (!done_.is_finished()) among_water_.after(done_);
  auto const among_water = among_water_.launch(memory_.among_water(is_last), memory_.blocks());
  with_beads_.launch(memory_.with_beads(is_last), memory_.blocks());
  with_beads_.after(among_water);
  done_ = with_beads_.launch(memory_.propagate(is_last), memory_.blocks());
}

}  // namespace ballast::nanodroplet
