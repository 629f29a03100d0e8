// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "ballast/start_threads.hpp"
#include "ballast/task_queue.hpp"
#include "device/held_multiprocessors.hpp"
#include "device/kernels.cuh"
#include "device/timed.hpp"
#include "launch/spin_kernels.cuh"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint32_t taken_multiprocessors = 32;

/// Two disjoint parts of the GPU: one for a queue, the other for the copy.
device_list parts_for_neighbours(compute_device const& gpu) {
  auto const each = int(taken_multiprocessors);
  auto const rest = (gpu.properties().multiprocessors - each) / each * each;
  auto const name = "cuda:" + std::to_string(gpu.spec().index) + "@";
  return open_devices(name + std::to_string(each) + "," + name + std::to_string(rest));
}

/// What servers and rings do once tasks come, or have not come for a millisecond, they do by then.
void let_settle() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

/// A copy of 100 MB in device memory by a kernel that knows nothing of the library.
class foreign_copy {
 public:
  explicit foreign_copy(std::shared_ptr<compute_device> const& device)
      : stream_(device->make_stream()), from_(device, words), to_(device, words), seen_(device, words) {
    auto const blocks =
        std::uint32_t(device->properties().multiprocessors * copy_array::blocks_per_multiprocessor);
    copy_ = {array_ref<word>(to_.data()), array_ref<word>(from_.data()), words, blocks};
    for (std::uint32_t i = 0; i < words; ++i) seen_[i] = value(i);
    stream_->copy(from_.data(), seen_.data(), from_.bytes());
    (void)microseconds();  // loads the kernel, before others stay
  }

  double microseconds() {
    constexpr int copies = 20;
    start(*stream_, copy_.blocks, copy_);
    return 1e6 / copies * device_seconds(*stream_, [&] {
             for (int i = 0; i < copies; ++i) start(*stream_, copy_.blocks, copy_);
           });
  }
  /// Whether the copy is right; then clears it.
  bool was_right() {
    stream_->copy(seen_.data(), to_.data(), to_.bytes());
    stream_->fill(to_.data(), 0, to_.bytes());
    stream_->synchronize(soon());
    for (std::uint32_t i = 0; i < words; ++i)
      if (seen_[i].low != value(i).low || seen_[i].high != value(i).high) return false;
    return true;
  }

 private:
  using word = copy_array::word;
  static constexpr std::uint32_t words = 100'000'000 / sizeof(word);
  static word value(std::uint32_t i) { return {i * 0x9e3779b97f4a7c15u, ~std::uint64_t(i)}; }

  std::unique_ptr<stream> stream_;
  device_buffer<word> from_, to_;
  pinned_buffer<word> seen_;
  copy_array copy_{};
};

/// Calls `feed` in a thread of its own, again and again, from begin() to end().
class feeding_thread {
 public:
  explicit feeding_thread(std::function<void()> feed) : feed_(std::move(feed)) {}
  ~feeding_thread() { end(); }

  void begin() {
    stops_ = false;
    thread_ = start_threads(1, [this](std::size_t) {
      while (!stops_) feed_();
    });
    let_settle();
  }
  void end() {
    stops_ = true;
    thread_.clear();
  }

 private:
  std::function<void()> feed_;
  std::atomic<bool> stops_ = false;
  std::vector<std::jthread> thread_;
};

/// Queues of one device that run at the same time. All are made before the first starts.
class neighbouring_queues {
 public:
  explicit neighbouring_queues(std::shared_ptr<compute_device> device)
      : device_(std::move(device)), counts_(device_, 1024), tasks_(counts_.all()) {}

  void add(queue_options options) {
    options.start_at_once = false;
    options.resident.spared_multiprocessors = 0;
    queues_.push_back(std::make_unique<task_queue>(device_, small_block_kernels(), options));
  }
  /// Starts them. Eight threads then submit to each, so that its servers have submission rings.
  void begin() {
    for (auto const& queue : queues_) queue->start();
    for (auto const& queue : queues_) submit_by_threads(*queue);
    let_settle();
  }
  void end() {
    for (auto const& queue : queues_) queue->close();
  }
  /// Submits all tasks to the first queue, one by one.
  void submit_all() {
    for (auto const& one : tasks_) queues_.front()->submit(one);
    ++rounds_;
  }
  std::uint32_t workers() const { return queues_.front()->workers(); }
  std::uint32_t servers() const { return queues_.front()->statistics().servers; }
  bool each_ran_once_a_round() { return counts_.each_ran(rounds_); }

 private:
  void submit_by_threads(task_queue& queue) {
    constexpr std::size_t threads = 8;
    std::latch submitted(threads);
    auto all = start_threads(threads, [&](std::size_t t) {
      for (auto i = t; i < tasks_.size(); i += threads) queue.submit(tasks_[i]);
      submitted.arrive_and_wait();
    });
    all.clear();
    queue.wait_all(soon());
    ++rounds_;
  }

  std::shared_ptr<compute_device> device_;
  counted_blocks counts_;
  std::vector<task> tasks_;
  std::vector<std::unique_ptr<task_queue>> queues_;
  std::uint32_t rounds_ = 0;
};

/// The rings of a launch queue: each round launches a kernel of 5 us in each, and waits for all.
class neighbouring_rings {
 public:
  explicit neighbouring_rings(std::shared_ptr<compute_device> const& device)
      : stream_(device->make_stream()),
        counted_(device, rings),
        seen_(device, rings),
        queue_({device}, spin_kernels(), {.order = "resident"}) {
    for (std::uint32_t i = 0; i < rings; ++i) launch_streams_.push_back(queue_.make_launch_stream());
    stream_->fill(counted_.data(), 0, counted_.bytes());
    stream_->synchronize(soon());
  }

  void round() {
    for (std::uint32_t i = 0; i < rings; ++i)
      launch_streams_[i].launch(spin_block{array_ref<std::uint32_t>(counted_.data() + i), 5000}, 1);
    for (auto const& one : launch_streams_) one.last().wait();
    ++rounds_;
  }
  bool each_ran_once_a_round() {
    stream_->copy(seen_.data(), counted_.data(), counted_.bytes());
    stream_->synchronize(soon());
    return queue_.statistics().resident_kernels == std::uint64_t(rings) * rounds_ &&
           std::ranges::all_of(seen_.span(), [&](auto count) { return count == rounds_; });
  }

 private:
  static constexpr std::uint32_t rings = 16;

  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> counted_;
  pinned_buffer<std::uint32_t> seen_;
  launch_queue queue_;
  std::vector<launch_stream> launch_streams_;
  std::uint32_t rounds_ = 0;
};

/// What the copy runs beside.
struct neighbour {
  std::string name;
  std::function<void()> begin, end;
};

/// The copy beside each of several neighbours in turn.
class neighbourhoods {
 public:
  explicit neighbourhoods(session& now)
      : now_(&now),
        parts_(parts_for_neighbours(*now.first())),
        copy_(parts_[1]),
        held_(parts_[0], taken_multiprocessors),
        rings_(parts_[0]) {
    add_held("an inert kernel", 0);
    add_idle_queue("1 server", 1);
    add_idle_queue("2 servers", 2);
    add_idle_queue("4 servers", 4);
    add_fed_queue();
    add_several(2);
    add_several(4);
    add_rings();
    for (std::uint32_t const lookers : {1, 2, 4, 8, 32})
      add_held("a kernel of which " + std::to_string(lookers) + " SMs look at host memory", lookers);
  }

  void measure() {
    std::vector<std::vector<double>> times(all_.size());
    now_->samples(now_->record().warm_up, now_->record().repetitions, [&] {
      for (std::size_t i = 0; i < all_.size(); ++i) times[i].push_back(sample(all_[i]));
      return 0.0;
    });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      times[i].erase(times[i].begin(), times[i].begin() + std::ptrdiff_t(now_->record().warm_up));
      now_->add("beside " + all_[i].name, "us", std::move(times[i]));
      now_->derived(all_[i].name + ": over an inert kernel",
                    now_->median_of("beside " + all_[i].name) / now_->median_of("beside " + all_[0].name));
    }
    verify();
  }

 private:
  double sample(neighbour const& beside) {
    beside.begin();
    auto const microseconds = copy_.microseconds();
    beside.end();
    now_->verify(copy_.was_right(), "every copy was right");
    return microseconds;
  }
  void verify() {
    for (auto const& queues : queues_)
      now_->verify(queues->each_ran_once_a_round(), "every task of every round ran exactly once");
    now_->verify(rings_.each_ran_once_a_round(), "every launch ran exactly once, in a ring");
    for (std::size_t i = 0; i < 3; ++i)
      now_->parameter("servers that ran, of " + all_[1 + i].name, queues_[i]->servers());
    now_->parameter("multiprocessors of the copy", parts_[1]->properties().multiprocessors);
  }

  void add_held(std::string const& name, std::uint32_t lookers) {
    all_.push_back(
        {name, [=, this] { held_.take(taken_multiprocessors, 0, lookers); }, [this] { held_.release(); }});
  }
  neighbouring_queues& add_queues() {
    return *queues_.emplace_back(std::make_unique<neighbouring_queues>(parts_[0]));
  }
  void add_idle(std::string const& name, neighbouring_queues& queues) {
    all_.push_back({name, [&queues] { queues.begin(); }, [&queues] { queues.end(); }});
  }
  void add_idle_queue(std::string const& name, std::uint32_t servers) {
    auto& queues = add_queues();
    queues.add({.servers = {servers}});
    add_idle("an idle queue, " + name, queues);
  }
  void add_fed_queue() {
    auto& queues = *queues_.front();
    auto& thread = feeding_.emplace_back([&queues] { queues.submit_all(); });
    all_.push_back({"a queue that a thread feeds",
                    [&queues, &thread] {
                      queues.begin();
                      thread.begin();
                    },
                    [&queues, &thread] {
                      thread.end();
                      queues.end();
                    }});
  }
  /// Each queue has a server, and workers on all its SMs but that and another.
  void add_several(std::uint32_t count) {
    auto const each = queues_.front()->workers() / (taken_multiprocessors - 1);
    queue_options options;
    options.resident.blocks = int(1 + (taken_multiprocessors / count - 2) * each);
    auto& queues = add_queues();
    for (std::uint32_t i = 0; i < count; ++i) queues.add(options);
    add_idle(std::to_string(count) + " idle queues", queues);
  }
  void add_rings() {
    all_.push_back({"idle rings",
                    [this] {
                      rings_.round();
                      let_settle();
                    },
                    [] {}});
    auto& thread = feeding_.emplace_back([this] { rings_.round(); });
    all_.push_back({"rings that a thread feeds", [&thread] { thread.begin(); }, [&thread] { thread.end(); }});
  }

  session* now_;
  device_list parts_;
  foreign_copy copy_;
  held_multiprocessors held_;
  neighbouring_rings rings_;
  std::vector<std::unique_ptr<neighbouring_queues>> queues_;
  std::deque<feeding_thread> feeding_;
  std::vector<neighbour> all_;
};

}  // namespace

void measure_neighbours(session& now) {
  now.axes("A copy beside kernels that stay", "", "us");
  neighbourhoods(now).measure();
}

}  // namespace ballast::bench
