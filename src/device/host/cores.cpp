// SPDX-License-Identifier: Apache-2.0
#include "host/cores.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace ballast::detail {
namespace {

// A machine may have more cores than cpu_set_t has bits, so the set is allocated.
class core_set {
 public:
  core_set() : set_(CPU_ALLOC(max_cores)) { clear(); }
  core_set(core_set const&) = delete;
  core_set& operator=(core_set const&) = delete;
  ~core_set() { CPU_FREE(set_); }

  static constexpr int max_cores = 8192;
  static std::size_t bytes() { return CPU_ALLOC_SIZE(max_cores); }
  cpu_set_t* get() { return set_; }
  void clear() { CPU_ZERO_S(bytes(), set_); }
  void add(int core) { CPU_SET_S(std::size_t(core), bytes(), set_); }
  bool has(int core) const { return CPU_ISSET_S(std::size_t(core), bytes(), set_); }

 private:
  cpu_set_t* set_;
};

}  // namespace

std::vector<int> usable_cores() {
  core_set set;
  std::vector<int> cores;
  if (sched_getaffinity(getpid(), set.bytes(), set.get()) == 0)
    for (int core = 0; core < set.max_cores; ++core)
      if (set.has(core)) cores.push_back(core);
  if (cores.empty())
    for (int core = 0; core < std::max(1, int(std::thread::hardware_concurrency())); ++core)
      cores.push_back(core);
  return cores;
}

void bind_thread_to(int core) noexcept {
  core_set set;
  set.add(core);
  pthread_setaffinity_np(pthread_self(), set.bytes(), set.get());
}

void name_thread(std::string const& name) noexcept {
  char kept[16] = {};
  name.copy(kept, sizeof kept - 1);
  pthread_setname_np(pthread_self(), kept);
}

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    auto const colon = line.find(": ");
    if (colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace ballast::detail
