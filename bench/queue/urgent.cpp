// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/kernels.cuh"

namespace ballast::bench {
namespace {

constexpr std::uint32_t out_words = 1 << 16;

/// Lengths of the tasks in steps of multiply_tile: of an urgent one some 5 us, of the others 70 to 280 us.
struct lengths {
  std::uint32_t urgent, shortest, longest;

  explicit lengths(bool on_gpu)
      : urgent(on_gpu ? 4 : 20), shortest(on_gpu ? 50 : 300), longest(4 * shortest) {}
  std::uint32_t of(std::uint32_t i) const { return shortest + i * 2'654'435'761u % (longest - shortest); }
};

/// What the tasks write: the urgent ones their own.
struct results {
  device_buffer<float> of_others, of_urgent;

  explicit results(std::shared_ptr<compute_device> const& on)
      : of_others(on, out_words), of_urgent(on, out_words) {}
  array_ref<float> others() const { return array_ref<float>(of_others.data()); }
  array_ref<float> urgent() const { return array_ref<float>(of_urgent.data()); }
};

/// Of the first block of the urgent tasks, within rounding.
void verify(session& now, results const& all, lengths const& steps) {
  std::vector<float> words(multiply_tile::threads);
  auto const stream = now.first()->make_stream();
  stream->copy(words.data(), all.of_urgent.data(), words.size() * sizeof(float));
  stream->synchronize();
  bool is_right = true;
  for (std::size_t thread = 0; thread < words.size(); ++thread) {
    if (!now.first()->is_cuda() && thread != 0) break;  // a core runs a block by one thread
    double const by = 1.0 + 1e-7 * double(thread);
    double sum = 0;
    for (int i = 0; i < multiply_tile::sums; ++i) {
      double value = i;
      for (std::uint32_t step = 0; step < steps.urgent * multiply_tile::times; ++step)
        value = value * by + 1e-3;
      sum += value;
    }
    is_right = is_right && std::abs(words[thread] - sum) < 1e-3 * sum;
  }
  now.verify(is_right, "the urgent tasks computed what they should");
}

queue_options with(int kept) {
  queue_options options;
  options.urgent_multiprocessors = kept;
  return options;
}

/// Keeps some four tasks for each worker in the queue while it lives.
class background {
 public:
  background(task_queue& queue, array_ref<float> out, lengths const& steps)
      : queue_(&queue), thread_([this, out, steps] { feed(out, steps); }) {
    auto const until = deadline::in(std::chrono::seconds(20));
    while (queue.claimed() < 2 * queue.workers() && !until.passed()) std::this_thread::yield();
  }
  ~background() {
    ends_ = true;
    thread_.join();
  }
  background& operator=(background&&) = delete;

  std::uint64_t done() const { return queue_->progress().done; }

 private:
  void feed(array_ref<float> out, lengths const& steps) {
    auto const workers = queue_->workers();
    auto const of_a_batch = std::max(1u, workers / 8);
    for (std::uint32_t i = 0; !ends_;) {
      std::vector<task> some;
      for (std::uint32_t end = i + of_a_batch; i < end; ++i)
        some.emplace_back(multiply_tile{out, steps.of(i)}, block_range{i % 256, 1});
      queue_->submit(some);
      while (!ends_ && given_ + some.size() > queue_->claimed() + 4 * workers) std::this_thread::yield();
      given_ += some.size();
    }
  }

  task_queue* queue_;
  std::uint64_t given_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// The round trips of tasks of `blocks` blocks, one after the other.
std::vector<double> trips(session& now, task_queue& queue, array_ref<float> out, std::uint32_t blocks,
                          submit_options const& options) {
  lengths const steps(now.first()->is_cuda());
  std::vector<double> samples;
  auto const rounds = std::uint32_t(now.size(1000, 50));
  for (std::uint32_t i = 0; i < rounds; ++i) {
    std::vector<task> tasks;
    for (std::uint32_t block = 0; block < blocks; ++block)
      tasks.emplace_back(multiply_tile{out, steps.urgent}, block_range{block, 1});
    samples.push_back(seconds_of([&] { queue.submit(tasks, options).wait(); }));
    auto const next = clock::now() + std::chrono::microseconds(100);
    while (clock::now() < next) {}
  }
  return samples;
}

/// Other tasks a second, while nothing is urgent.
double rate(session& now, background const& others) {
  auto const begun = clock::now();
  auto const before = others.done();
  std::this_thread::sleep_for(std::chrono::milliseconds(now.size(1000, 50)));
  return double(others.done() - before) / std::chrono::duration<double>(clock::now() - begun).count();
}

void add_trips(session& now, std::string const& name, task_queue& queue, array_ref<float> out, bool urgent) {
  for (std::uint32_t const blocks : {1u, 16u, 128u}) {
    if (!now.first()->is_cuda() && blocks != 1) continue;
    auto const series = name + ", " + std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
    auto samples = trips(now, queue, out, blocks, {.urgent = urgent});
    std::ranges::sort(samples);
    now.derived("of 100 the 99th, " + series + ", us", 1e6 * samples[samples.size() * 99 / 100]);
    now.add(series, "s", std::move(samples));
  }
}

void measure_kept(session& now, std::string const& name, int kept) {
  results const all(now.first());
  task_queue queue(now.first(), tile_kernels(), with(kept));
  std::vector<double> rates;
  {
    background const others(queue, all.others(), lengths(now.first()->is_cuda()));
    for (int i = 0; i < 5; ++i) rates.push_back(rate(now, others));
    add_trips(now, name, queue, all.urgent(), true);
    if (kept == 0) add_trips(now, "behind the others", queue, all.urgent(), false);
  }
  queue.close();
  verify(now, all, lengths(now.first()->is_cuda()));
  now.add("others a second, " + name, "1/s", std::move(rates));
}

void measure_idle(session& now) {
  results const all(now.first());
  task_queue queue(now.first(), tile_kernels(), with(0));
  add_trips(now, "beside nothing", queue, all.urgent(), true);
  queue.close();
  verify(now, all, lengths(now.first()->is_cuda()));
}

/// Two queues on two parts of the GPU, by hand.
void measure_parts(session& now) {
  auto const gpu = "cuda:" + std::to_string(now.first()->spec().index);
  auto const rest = now.first()->properties().multiprocessors / 8 * 8 - 16;  // as many as CUDA gives beside 8
  auto const parts = open_devices(gpu + "@8," + gpu + "@" + std::to_string(rest));
  results const all(parts[0]);
  auto options = with(0);
  options.start_at_once = false;
  options.resident.spared_multiprocessors = 0;
  task_queue urgent(parts[0], tile_kernels(), options), usual(parts[1], tile_kernels(), options);
  urgent.start();
  usual.start();
  std::vector<double> rates;
  {
    background const others(usual, all.others(), lengths(true));
    for (int i = 0; i < 5; ++i) rates.push_back(rate(now, others));
    add_trips(now, "on a part of 8 multiprocessors", urgent, all.urgent(), false);
  }
  usual.close();
  urgent.close();
  now.add("others a second, on a part of 8 multiprocessors", "1/s", std::move(rates));
}

}  // namespace

/// A sample is a round trip, or a second's tasks.
void measure_urgent(session& now) {
  now.axes("Round trip of a short task beside long ones", "", "seconds");
  bool const on_gpu = now.first()->is_cuda();
  measure_idle(now);
  measure_kept(now, "urgent", 0);
  if (on_gpu || now.first()->properties().multiprocessors > 1)
    measure_kept(now, "urgent, some kept", on_gpu ? 3 : 1);
  if (on_gpu) measure_parts(now);
}

}  // namespace ballast::bench
