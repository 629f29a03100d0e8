// SPDX-License-Identifier: Apache-2.0
#include "rank_devices.hpp"

#include <sstream>

namespace ballast::detail {
namespace {

constexpr std::uint32_t threads_of_queue = 2;  // what feeds the devices, and what sends messages

struct gpu_of_rank {
  std::uint32_t rank = 0;
  bool is_whole = false;
  std::string name = {};
};

}  // namespace

std::string describe_gpus(std::uint32_t host, device_list const& devices) {
  std::ostringstream text;
  for (auto const& device : devices)
    if (device->is_cuda())
      text << host << ' ' << device->properties().uuid << ' ' << (device->spec().multiprocessors == 0) << ' '
           << device->name() << '\n';
  return text.str();
}

std::string twice_used_gpu(std::map<std::uint32_t, std::string> const& gpus) {
  std::map<std::string, gpu_of_rank> seen;  // by host and GPU; prefers a rank that has it whole
  for (auto const& [rank, text] : gpus) {
    std::istringstream lines(text);
    std::string host, uuid;
    for (gpu_of_rank one{rank}; lines >> host >> uuid >> one.is_whole >> one.name;) {
      auto& first = seen.try_emplace(host + ' ' + uuid, one).first->second;
      if (first.rank != rank && (first.is_whole || one.is_whole))
        return uuid + ", which rank " + std::to_string(first.rank) + " has as " + first.name + " and rank " +
               std::to_string(rank) + " as " + one.name;
    }
  }
  return {};
}

std::string advice_on_cores(process_cores const& cores, std::uint32_t workers_on_cores) {
  if (cores.usable >= cores.all || cores.usable >= workers_on_cores + threads_of_queue) return {};
  return "this process may use " + std::to_string(cores.usable) + " of " + std::to_string(cores.all) +
         " cores for " + std::to_string(workers_on_cores) + " workers and " +
         std::to_string(threads_of_queue) +
         " threads of a cluster queue; unless that is meant: mpirun --bind-to none, srun --cpu-bind=none";
}

}  // namespace ballast::detail
