// SPDX-License-Identifier: Apache-2.0
#include "ballast/cluster.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "cluster_thread.hpp"
#include "in_process_transport.hpp"

namespace ballast {

using namespace detail;

cluster::cluster() : cluster(in_process_ranks(1).makers().front()) {}
cluster::cluster(transport_maker make, cluster_options options)
    : thread_(std::make_unique<cluster_thread>(std::move(make), options)) {}
cluster::~cluster() = default;
cluster::cluster(cluster&&) noexcept = default;
cluster& cluster::operator=(cluster&&) noexcept = default;

std::uint32_t cluster::rank() const { return thread_->place().rank; }
std::uint32_t cluster::ranks() const { return thread_->place().ranks; }
std::uint32_t cluster::host_first() const { return thread_->place().host_first; }
std::uint32_t cluster::host_ranks() const { return thread_->place().host_ranks; }
std::vector<std::uint32_t> cluster::lost() const { return thread_->lost(); }
std::string cluster::describe() const { return thread_->description(); }
void cluster::fail(std::string_view why) {
  auto const hold = thread_->lock();
  thread_->fail(why);
}

std::vector<cluster> in_process_clusters(std::uint32_t ranks, cluster_options const& options) {
  std::vector<cluster> all;
  for (auto& make : in_process_ranks(ranks).makers()) all.emplace_back(std::move(make), options);
  return all;
}

}  // namespace ballast
