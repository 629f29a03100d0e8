// SPDX-License-Identifier: Apache-2.0
#include "sampling.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "ballast/device.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::nanodroplet {
namespace {

class first_failure {
 public:
  void keep(std::exception_ptr failure) {
    std::lock_guard const lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    happened_.store(true);
  }
  bool happened() const { return happened_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> happened_ = false;
};

minimised_droplet prepared(sampling_plan const& plan, std::uint32_t conformer,
                           std::function<bool()> const& stop_requested) {
  auto spec = plan.system;
  spec.conformer += conformer;
  return minimised(make_droplet(spec), plan.minimiser_iterations, plan.minimiser_force, stop_requested);
}

}  // namespace

void on_threads(std::uint32_t threads,
                std::function<void(std::uint32_t, std::function<bool()> const&)> const& job) {
  first_failure failure;
  std::function<bool()> const failed = [&] { return failure.happened(); };
  auto const work = [&](std::size_t t) {
    try {
      job(std::uint32_t(t), failed);
    } catch (...) { failure.keep(std::current_exception()); }
  };
  start_threads(threads, work, "nanodroplet").clear();
  failure.rethrow();
}

std::uint32_t usual_threads() { return cores_of_process().usable; }

void idle_rounds::had_none() {
  if (++polls_ < 60) return;
  if (!sleeps_ || polls_ < 120) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}

std::vector<minimised_droplet> prepared_conformers(sampling_plan const& plan,
                                                   std::function<bool()> const& stop_requested) {
  std::vector<minimised_droplet> starts(plan.conformers);
  on_threads(plan.threads, [&](std::uint32_t thread, auto const& failed) {
    for (std::uint32_t c = thread; c < plan.conformers && !failed(); c += plan.threads)
      starts[c] = prepared(plan, c, stop_requested);
  });
  return starts;
}

std::vector<std::unique_ptr<markov_chain>> make_chains(sampling_plan const& plan,
                                                       std::vector<minimised_droplet> const& starts,
                                                       launcher_maker const& make) {
  std::vector<std::unique_ptr<markov_chain>> chains;
  for (std::uint64_t c = 0; c < starts.size(); ++c) {
    for (std::uint64_t k = 0; k < plan.chains; ++k)
      chains.push_back(std::make_unique<markov_chain>(starts[c].system, plan.settings,
                                                      plan.seed + 1000 * c + k, make(chains.size())));
  }
  return chains;
}

void drive(std::vector<std::unique_ptr<markov_chain>> const& chains, std::uint32_t threads, bool shares_cores,
           std::function<bool()> const& stop_requested) {
  on_threads(threads, [&](std::uint32_t thread, auto const& failed) {
    idle_rounds idle(shares_cores);
    for (bool are_all_done = false; !are_all_done && !failed() && !stop_requested();) {
      bool was_idle = true;
      are_all_done = true;
      for (std::size_t i = thread; i < chains.size(); i += threads) {
        if (chains[i]->is_done()) continue;
        are_all_done = false;
        if (chains[i]->advance()) was_idle = false;
      }
      was_idle ? idle.had_none() : idle.had_work();
    }
  });
}

}  // namespace ballast::nanodroplet
