// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "device/timed.hpp"
#include "launch/benchmarks.hpp"
#include "launch/chain_words.hpp"
#include "launch/direct_launches.hpp"
#include "launch/parked_threads.hpp"
#include "launch/queue_counts.hpp"
#include "launch/queued_chains.hpp"
#include "launch/spin_kernels.cuh"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint64_t busy_ns = 5000;

/// The times of single calls from several threads.
class timed_calls {
 public:
  /// Calls `call` this many times, and stores the nanoseconds of each.
  template <class Call>
  void time(std::size_t calls, Call&& call) {
    std::vector<double> own(calls);  // memory touched before the clock runs
    for (auto& ns : own) {
      auto const begin = std::chrono::steady_clock::now();
      call();
      ns = double((std::chrono::steady_clock::now() - begin).count());
    }
    std::lock_guard const hold(mutex_);
    all_.insert(all_.end(), own.begin(), own.end());
  }
  double quantile_so_far(double fraction) const { return quantile(all_, fraction); }

 private:
  std::mutex mutex_;
  std::vector<double> all_;
};

/// One number of threads.
class measured_calls {
 public:
  measured_calls(session& now, std::size_t threads)
      : now_(&now),
        threads_(threads),
        calls_(now.size(threads == 1 ? 1024 : 256, 16)),
        words_(now.first(), threads) {}

  void direct() {
    direct_launches launches(now_->first(), threads_);
    measure("a direct launch", [&](timed_calls& calls) {
      auto const one_thread = [&](std::size_t t) {
        launches.enter_thread();
        calls.time(calls_, [&] { launches.launch(t, 1, words_.of(t), busy_ns); });
      };
      seconds_of_threads(threads_, one_thread, [&] { launches.synchronize(); });
    });
  }

  void queued(kernel_kind kind, bool paused) {
    if (kind == kernel_kind::plain && !now_->first()->is_cuda()) return;
    launch_queue queue({now_->first()}, spin_kernels());
    std::vector<launch_stream> launch_streams;
    for (std::size_t t = 0; t < threads_; ++t) launch_streams.push_back(queue.make_launch_stream());
    auto const one_thread = [&](timed_calls& calls, std::size_t t) {
      spin_block const block{array_ref<std::uint32_t>(words_.of(t)), busy_ns};
      if (kind == kernel_kind::ballast)
        return calls.time(calls_, [&] { launch_streams[t].launch(block, 1); });
      calls.time(calls_, [&] {
        launch_streams[t].launch(plain_spin_kernel(), 1, spin_block::threads, words_.of(t), busy_ns);
      });
    };
    auto const what = std::string(kind == kernel_kind::plain ? "plain kernel" : "ballast kernel") +
                      (paused ? ", paused queue" : ", queue");
    measure(what, [&](timed_calls& calls) {
      if (paused) queue.pause();
      seconds_of_threads(
          threads_, [&](std::size_t t) { one_thread(calls, t); }, [&] { queue.resume(); });
      queue.wait_all(soon());
    });
    record_queue(*now_, what + "@" + std::to_string(threads_), queue.statistics());
  }

 private:
  void measure(std::string const& what, std::function<void(timed_calls&)> const& all_threads) {
    std::vector<double> late;
    auto middle = now_->samples(1, now_->record().repetitions, [&] {
      timed_calls calls;
      all_threads(calls);
      late.push_back(calls.quantile_so_far(0.99));
      return calls.quantile_so_far(0.5);
    });
    late.erase(late.begin());  // the warm-up
    now_->verify(words_.counted((1 + now_->record().repetitions) * calls_),
                 "every launch ran exactly once and no two of a thread at a time");
    now_->add(what + ", median", double(threads_), "ns", std::move(middle));
    now_->add(what + ", 99th percentile", double(threads_), "ns", std::move(late));
  }

  session* now_;
  std::size_t threads_, calls_;
  chain_words words_;
};

/// Measures the clock's own share in every figure, which is not subtracted.
void measure_the_clock(session& now) {
  now.measure("the clock itself, median", "ns", [] {
    timed_calls calls;
    calls.time(1024, [] {});
    return calls.quantile_so_far(0.5);
  });
}

}  // namespace

void measure_submit_cost(session& now) {
  now.axes("What a launch costs the thread that makes it", "host threads", "nanoseconds", true, true);
  now.parameter("busy_ns_of_a_kernel", busy_ns);
  now.parameter("calls of a thread", now.size(256, 16));
  now.parameter("calls of a single thread", now.size(1024, 16));
  measure_the_clock(now);
  for (std::size_t const threads : {std::size_t{1}, now.size(64, 4)}) {
    measured_calls calls(now, threads);
    calls.direct();
    for (auto const kind : {kernel_kind::plain, kernel_kind::ballast})
      for (bool const paused : {false, true}) calls.queued(kind, paused);
  }
}

}  // namespace ballast::bench
