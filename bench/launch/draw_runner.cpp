// SPDX-License-Identifier: Apache-2.0
#include "launch/draw_runner.hpp"

#include "device/timed.hpp"
#include "harness/session.hpp"

namespace ballast::bench {
namespace {

constexpr std::size_t max_streams_by_hand = 64;

plain_launch as_plain(drawn_kernel const& kernel, void** argument) {
  auto const code = kernel.is_long ? code_of<long_block>() : code_of<level_block<1>>();
  return {.function = code.cuda_function,
          .shape = {kernel.blocks, code.threads, code.scratch_bytes},
          .arguments = argument,
          .name = code.name};
}

std::unique_ptr<launch_graph> graph_of(compute_device& device, kernel_draw const& draw) {
  auto kernels = std::vector(draw.kernels().begin(), draw.kernels().end());
  std::vector<void*> arguments;
  for (auto& kernel : kernels) arguments.push_back(&kernel.work);  // begins with its half
  std::vector<graph_branch> branches;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    branches.push_back({{as_plain(kernels[i], &arguments[i])}});
  return device.make_graph(branches);
}

}  // namespace

draw_runner::draw_runner(session& now, std::size_t max_kernels, std::size_t max_blocks)
    : now_(&now),
      words_(now.first(), max_kernels * max_blocks),
      streams_(*now.first(), max_streams_by_hand) {}

double draw_runner::checked(kernel_draw const& draw, double seconds) {
  now_->verify(words_.counted(1, draw.blocks()), "every block of every kernel ran exactly once");
  return seconds;
}

double draw_runner::on_streams(kernel_draw const& draw, std::size_t used) {
  return checked(draw, seconds_of([&] {
                   for (std::size_t i = 0; i < draw.kernels().size(); ++i)
                     draw.kernels()[i].start_on(streams_[i % used]);
                   streams_.synchronize();
                 }));
}

double draw_runner::as_graph(kernel_draw const& draw) {
  auto const graph = graph_of(*now_->first(), draw);
  graph->upload(streams_[0]);
  streams_[0].synchronize(soon());
  return checked(draw, seconds_of([&] {
                   graph->launch(streams_[0]);
                   streams_[0].synchronize(soon());
                 }));
}

double draw_runner::through(launch_queue& queue, kernel_draw const& draw) {
  std::vector<launch_stream> launch_streams;
  queue.pause();
  for (auto const& kernel : draw.kernels()) {
    launch_streams.push_back(queue.make_launch_stream());
    kernel.submit_to(launch_streams.back());
  }
  return checked(draw, seconds_of([&] {
                   queue.resume();
                   queue.wait_all(soon());
                 }));
}

std::unique_ptr<launch_queue> make_merging_queue(std::shared_ptr<compute_device> const& device,
                                                 std::string const& merge) {
  // Unfiltered: a refused group would be issued in series here, while the filter assumes separate streams.
  launch_options const options{.order = "passthrough", .merge = merge, .filter_merges = false, .streams = 1};
  return std::make_unique<launch_queue>(device_list{device}, levelled_kernels(), options);
}

}  // namespace ballast::bench
