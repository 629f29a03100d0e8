// SPDX-License-Identifier: Apache-2.0
// Random programs until the time is up: ballast_soak [--seconds N] [--scenarios N] [--seed S] [--devices
// LIST]
// [--threads N]. Scenario k of a seed has a seed of its own, which is told where it finds something.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "ballast/error.hpp"
#include "scenario.hpp"

namespace {

using namespace ballast;
using namespace ballast::soak;

struct soak_options {
  double seconds = 0;
  std::uint64_t scenarios = 0, seed = 1, threads = 3;
  std::string devices;
};

/// The first is the seed itself, so that a scenario is repeated by its own.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t number) {
  if (number == 0) return seed;
  auto x = seed + number * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class soaking {
 public:
  explicit soaking(soak_options const& options) : options_(options) {
    if (!options.devices.empty()) gpus_available_ = open_devices(options.devices);
  }

  bool run() {
    {
      std::vector<std::jthread> threads;
      for (std::uint64_t i = 0; i < options_.threads; ++i) threads.emplace_back([this] { run_some(); });
    }
    std::printf("ballast_soak: %s\n", counts_.line().c_str());
    return counts_.is_sound();
  }

 private:
  void run_some() {
    while (true) {
      auto const number = begun_.fetch_add(1);
      if (is_over(number)) return;
      run_one(seed_of(options_.seed, number));
      print_progress();
    }
  }
  bool is_over(std::uint64_t number) const {
    if (options_.scenarios > 0 && number >= options_.scenarios) return true;
    return options_.seconds > 0 && elapsed() >= options_.seconds;
  }
  double elapsed() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

  /// A GPU has one resident kernel at a time, and allocations wait for it: one scenario at a time has them.
  void run_one(std::uint64_t seed) {
    // With GPUs one scenario in two, by its seed.
    if (gpus_available_.empty() || mixes_to_odd(seed)) return scenario(seed, {}, counts_).run();
    std::lock_guard const alone(gpus_);
    scenario(seed, gpus_available_, counts_).run();
  }
  static bool mixes_to_odd(std::uint64_t seed) { return seed_of(seed, 1) % 2 == 1; }

  void print_progress() {
    std::lock_guard const alone(print_mutex_);
    if (elapsed() < next_line_) return;
    next_line_ = elapsed() + 60;
    std::printf("%.0f s: %s\n", elapsed(), counts_.line().c_str());
    std::fflush(stdout);
  }

  soak_options options_;
  device_list gpus_available_;
  soak_counts counts_;
  clock::time_point start_ = clock::now();
  std::atomic<std::uint64_t> begun_ = 0;
  std::mutex gpus_, print_mutex_;
  double next_line_ = 60;
};

std::uint64_t number_of(char const* option, char const* text) {
  std::uint64_t number = 0;
  auto const* const end = text + std::strlen(text);
  if (auto const [at, failed] = std::from_chars(text, end, number); at != end || failed != std::errc())
    throw_bad_argument(option, std::string_view(text), "a whole number");
  return number;
}

soak_options parse_options(int count, char** words) {
  soak_options options;
  for (int i = 1; i < count; i += 2) {
    std::string const option = words[i];
    if (i + 1 == count) throw_bad_argument(option, std::string_view("nothing"), "a value");
    auto const number = [&] { return number_of(words[i], words[i + 1]); };
    if (option == "--seconds")
      options.seconds = double(number());
    else if (option == "--scenarios")
      options.scenarios = number();
    else if (option == "--seed")
      options.seed = number();
    else if (option == "--threads")
      options.threads = number();
    else if (option == "--devices")
      options.devices = words[i + 1];
    else
      throw_bad_argument("option", option, "--seconds, --scenarios, --seed, --threads or --devices");
  }
  if (options.seconds <= 0 && options.scenarios == 0) options.scenarios = 20;
  return options;
}

}  // namespace

int main(int count, char** words) {
  try {
    return soaking(parse_options(count, words)).run() ? 0 : 1;
  } catch (ballast::error const& failure) {
    std::fprintf(stderr, "ballast_soak: %s\n", failure.what());
    return 2;
  }
}
