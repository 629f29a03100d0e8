// SPDX-License-Identifier: Apache-2.0
#include "rank_agreement.hpp"

#include <algorithm>
#include <sstream>

#include "travel.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t max_text = 60'000;

/// Cuts a text off, and adds its fingerprint: lists that differ only in what is cut off then differ in the
/// last line.
std::string shortened(std::string const& text) {
  return text.substr(0, max_text - 32) + "\n" + std::to_string(fingerprint(text)) + "\n";
}

constexpr std::uint32_t threads_of_queue = 2;  // one feeds the devices, one sends messages

struct gpu_of_rank {
  std::uint32_t rank = 0;
  bool is_whole = false;
  std::string name = {};
};

}  // namespace

std::string difference_of(said_by_ranks const& said) {
  auto const& first = said.at(0);
  auto const differs = [&](auto const& one) { return one.second != first; };
  auto const found = std::ranges::find_if(said, differs);
  if (found == said.end()) return {};
  auto const& [rank, other] = *found;
  if (first.ends_with('\n')) return first_difference(first, 0, other, rank);
  return "'" + first + "' on rank 0, and '" + other + "' on rank " + std::to_string(rank);
}

void rank_agreement::begin(agreement const& on, std::string text) {
  if (text.size() > max_text) text = shortened(text);
  on_ = on;
  has_begun_ = true;
  fault_.reset();
  if (rank_ != 0) return of_.say(text);
  said_[0] = std::move(text);
  compare();
}

void rank_agreement::hear(std::uint32_t from, std::string_view text) {
  said_[from] = text;
  compare();
}

void rank_agreement::compare() {
  if (rank_ != 0 || !has_begun_ || fault_) return;
  for (std::uint32_t other = 1; other < ranks_; ++other) {
    if (of_.is_lost(other))
      said_.erase(other);
    else if (!said_.contains(other))
      return;
  }
  fault_ = on_.fault_of(said_);
  for (auto const& [other, text] : std::exchange(said_, {}))
    if (other != 0) of_.answer(other, *fault_);
}

std::string describe_gpus(std::uint32_t host, device_list const& devices) {
  std::ostringstream text;
  for (auto const& device : devices)
    if (!device->properties().uuid.empty())
      text << host << ' ' << device->properties().uuid << ' ' << (device->spec().multiprocessors == 0) << ' '
           << device->name() << '\n';
  return text.str();
}

std::string twice_used_gpu(std::map<std::uint32_t, std::string> const& gpus) {
  std::map<std::string, gpu_of_rank> seen;  // by host and GPU; prefers a rank that has the whole GPU
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
         " cores for " + counted(workers_on_cores, "worker") + " and " + std::to_string(threads_of_queue) +
         " threads of a cluster queue; unless that is meant: mpirun --bind-to none, srun --cpu-bind=none";
}

}  // namespace ballast::detail
