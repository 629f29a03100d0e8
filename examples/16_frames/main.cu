// SPDX-License-Identifier: Apache-2.0
// Frames pass through three stages, with several frames in the queue at a time: each of three graphs has a
// frame's memory and takes every third frame. example_16_frames [FILE] writes a trace too, in which each
// frame has its critical path.
#include <algorithm>
#include <ballast/kernels.cuh>
#include <ballast/task_graph.hpp>
#include <ballast/task_queue.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

constexpr unsigned graphs = 3, frames = 30, bands = 8, rows = 16, width = 256, height = bands * rows;

BALLAST_HD constexpr unsigned seen(unsigned frame, unsigned pixel) {
  return ((pixel + 77 * frame) * 2654435761u) >> 24;
}

struct see {  // stands for a camera
  static constexpr int threads = 128;
  ballast::array_ref<unsigned> image;
  unsigned frame, band;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    unsigned const first = band * rows * width;
    block.for_each(rows * width, [&](unsigned i) { image[first + i] = seen(frame, first + i); });
  }
};

BALLAST_HD inline unsigned mean_of_column(unsigned const* image, unsigned row, unsigned column) {
  unsigned const begin = row == 0 ? 0 : row - 1, end = row + 2 < height ? row + 2 : height;
  unsigned sum = 0;
  for (unsigned i = begin; i < end; ++i) sum += image[i * width + column];
  return sum / (end - begin);
}

struct blur {  // reads a row of each neighbouring band
  static constexpr int threads = 128;
  ballast::array_ref<unsigned> from, to;
  unsigned band;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(rows, width, [&](unsigned row, unsigned column) {
      to[(band * rows + row) * width + column] = mean_of_column(from.data(), band * rows + row, column);
    });
  }
};

struct find_brightest {
  static constexpr int threads = 128;
  ballast::array_ref<unsigned> image, results;
  unsigned frame;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    unsigned const most = block.reduce(
        height * width, 0u, [&](unsigned i) { return image[i]; }, ballast::maximum());
    block.for_each(1, [&](unsigned) { results[frame] = most; });
  }
};
BALLAST_KERNELS(kernels, see, blur, find_brightest)

class pipeline {
 public:
  pipeline(std::shared_ptr<ballast::compute_device> const& device, ballast::array_ref<unsigned> results)
      : raw_(device, height * width), smooth_(device, height * width), results_(results) {
    std::vector<ballast::graph_task> blurred;
    for (unsigned band = 0; band < bands; ++band) seen_.push_back(graph_.add(ballast::task(camera(0, band))));
    for (unsigned band = 0; band < bands; ++band) {
      blur const kernel{ballast::array_ref(raw_.data()), ballast::array_ref(smooth_.data()), band};
      auto const above = seen_[band == 0 ? 0 : band - 1], below = seen_[(std::min)(band + 1, bands - 1)];
      blurred.push_back(graph_.add(ballast::task(kernel), {.after = {above, seen_[band], below}}));
    }
    last_ = graph_.add(ballast::task(result(0)), {.after = blurred});
  }
  void plan(ballast::task_queue& queue) { graph_.plan(queue); }
  // Waits for the frame that these tasks ran for last, and not for those of the other graphs.
  void submit(ballast::task_queue& queue, unsigned frame) {
    for (unsigned band = 0; band < bands; ++band) graph_.set(seen_[band], camera(frame, band));
    graph_.set(last_, result(frame));
    queue.submit(graph_);
  }

 private:
  see camera(unsigned frame, unsigned band) { return {ballast::array_ref(raw_.data()), frame, band}; }
  find_brightest result(unsigned frame) { return {ballast::array_ref(smooth_.data()), results_, frame}; }

  ballast::device_buffer<unsigned> raw_, smooth_;
  ballast::array_ref<unsigned> results_;
  ballast::task_graph graph_{kernels()};
  std::vector<ballast::graph_task> seen_;
  ballast::graph_task last_;
};

unsigned plain_result(unsigned frame) {
  std::vector<unsigned> image(height * width);
  for (unsigned i = 0; i < image.size(); ++i) image[i] = seen(frame, i);
  unsigned most = 0;
  for (unsigned i = 0; i < image.size(); ++i)
    most = (std::max)(most, mean_of_column(image.data(), i / width, i % width));
  return most;
}

int main(int count, char** arguments) {
  auto const device = ballast::open_devices().front();
  ballast::pinned_buffer<unsigned> results(device, frames);
  ballast::recorder recorder({device->name()});
  ballast::queue_options options;
  options.start_at_once = false;
  if (count > 1) options.trace_to = &recorder;

  std::deque<pipeline> pipelines;
  ballast::task_queue queue(device, kernels(), options);
  for (unsigned i = 0; i < graphs; ++i)
    pipelines.emplace_back(device, ballast::array_ref(results.data())).plan(queue);
  queue.start();
  for (unsigned frame = 0; frame < frames; ++frame) pipelines[frame % graphs].submit(queue, frame);
  queue.close();

  if (count > 1) ballast::save_chrome_trace(arguments[1], recorder.snapshot());
  for (unsigned frame = 0; frame < frames; ++frame)
    if (results[frame] != plain_result(frame)) return std::printf("frame %u is wrong\n", frame), 1;
  std::printf("%u frames by %u graphs are right\n", frames, graphs);
}
