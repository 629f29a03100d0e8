// SPDX-License-Identifier: Apache-2.0
#include "graph_launcher.hpp"

#include <array>

#include "lone_kernels.hpp"

namespace ballast::nanodroplet {
namespace {

/// `argument` holds the kernel's address.
template <class K>
plain_launch as_plain(void** argument, std::uint32_t blocks) {
  auto const code = launched_alone<K>();
  return {.function = code.cuda_function,
          .shape = {blocks, code.threads, code.scratch_bytes},
          .arguments = argument,
          .name = code.name};
}

}  // namespace

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

}  // namespace ballast::nanodroplet
