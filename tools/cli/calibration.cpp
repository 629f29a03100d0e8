// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "link_matrix.hpp"
#include "report/run_record.hpp"
#include "report/statistics.hpp"

namespace ballast::cli {
namespace {

constexpr int samples = 15;
constexpr double least_cost = 1;  // the least cost that a difference gives if noise hides it

double ns_since(clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(clock::now() - begin).count();
}

/// Measures one device: takes medians, after one sample that warms up. One thread.
class device_meter {
 public:
  device_meter(std::shared_ptr<compute_device> device, deadline until)
      : device_(std::move(device)), until_(until), stream_(device_->make_stream()), word_(device_, 1) {
    device_->resources(spin_kernel());
    device_->resources(large_spin_kernel());
  }

  void measure_launches(device_costs& costs);
  /// Measures the costs of graphs, which only GPUs have.
  void measure_graphs(device_costs& costs);

 private:
  static constexpr int launches_at_once = 50, chained_kernels = 20;
  static constexpr std::size_t launches_per_branch = 8, few_branches = 8, many_branches = 64;

  template <class Sample>
  double median_of(Sample sample) {
    std::vector<double> values;
    for (int i = -1; i < samples; ++i) {
      auto const value = sample();
      stream_->synchronize(until_);
      if (i >= 0) values.push_back(value);
    }
    return median(values);
  }

  spin_argument spin(std::uint32_t rounds) const { return {word_.data(), rounds}; }
  void launch(std::uint32_t rounds) {
    auto const argument = spin(rounds);
    stream_->launch(spin_kernel(), 1, &argument, sizeof argument);
  }
  template <class Argument>
  double launch_ns(kernel_code const& code, Argument const& argument);
  double chain_ns(int kernels, std::uint32_t rounds);
  std::uint32_t rounds_of_long_kernel();
  double shortest_kernel_ns();
  std::unique_ptr<launch_graph> build(std::size_t branches);
  double build_ns(std::size_t branches);

  std::shared_ptr<compute_device> device_;
  deadline until_;
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> word_;
};

template <class Argument>
double device_meter::launch_ns(kernel_code const& code, Argument const& argument) {
  return median_of([&] {
    auto const begin = clock::now();
    for (int i = 0; i < launches_at_once; ++i) stream_->launch(code, 1, &argument, sizeof argument);
    return ns_since(begin) / launches_at_once;
  });
}

/// The device time of kernels one after another.
double device_meter::chain_ns(int kernels, std::uint32_t rounds) {
  auto const begin = stream_->record();
  for (int i = 0; i < kernels; ++i) launch(rounds);
  auto const end = stream_->record();
  stream_->synchronize(until_);
  return double(end->since(*begin).count());
}

/// The rounds of a kernel that runs long enough to launch the next one before it ends.
std::uint32_t device_meter::rounds_of_long_kernel() {
  constexpr double long_ns = 30e3;
  std::uint32_t rounds = 1024;
  while (rounds < 1u << 24 && median_of([&] { return chain_ns(1, rounds); }) < long_ns) rounds *= 2;
  return rounds;
}

/// The time until the host sees the end of an empty kernel that it has issued. Polls an event that records no
/// time, as executors of jobs do.
double device_meter::shortest_kernel_ns() {
  return median_of([&] {
    launch(0);
    auto const end = stream_->record_untimed();
    auto const begin = clock::now();
    wait_limit limit(until_);
    while (!end->reached())
      if (limit.passed()) throw timed_out("an empty kernel on " + device_->name() + " to end", "");
    return ns_since(begin);
  });
}

void device_meter::measure_launches(device_costs& costs) {
  costs.launch_ns = launch_ns(spin_kernel(), spin(0));
  costs.merged_launch_ns = launch_ns(large_spin_kernel(), large_spin_argument{spin(0)});
  // Many kernels take longer than one with all their work: the difference is the starts between them.
  auto const rounds = rounds_of_long_kernel();
  auto const starts_ns =
      median_of([&] { return chain_ns(chained_kernels, rounds) - chain_ns(1, chained_kernels * rounds); });
  costs.start_ns = std::max(least_cost, starts_ns / (chained_kernels - 1));
  if (device_->is_cuda()) costs.shortest_kernel_ns = shortest_kernel_ns();
}

std::unique_ptr<launch_graph> device_meter::build(std::size_t branches) {
  auto argument = spin(0);
  void* addresses[] = {&argument.word, &argument.rounds};
  plain_launch const one{spin_function(), {1, 1}, addresses, "spin"};
  auto graph = device_->make_graph(
      std::vector<graph_branch>(branches, {std::vector<plain_launch>(launches_per_branch, one)}));
  graph->upload(*stream_);
  return graph;
}

double device_meter::build_ns(std::size_t branches) {
  return median_of([&] {
    auto const begin = clock::now();
    auto const graph = build(branches);
    return ns_since(begin);
  });
}

void device_meter::measure_graphs(device_costs& costs) {
  constexpr std::size_t many = many_branches * launches_per_branch, few = few_branches * launches_per_branch;
  auto const few_ns = build_ns(few_branches), many_ns = build_ns(many_branches);
  costs.build_launch_ns = std::max(least_cost, (many_ns - few_ns) / double(many - few));
  costs.build_graph_ns = std::max(least_cost, few_ns - double(few) * costs.build_launch_ns);
  auto const graph = build(many_branches);
  stream_->synchronize(until_);
  costs.launch_graph_ns = median_of([&] {
    auto const begin = clock::now();
    graph->launch(*stream_);
    return ns_since(begin);
  });
}

/// The rate of the slowest link between a GPU and another one, if each can address the other's memory; 0 if
/// there is no such GPU. Devices of cores copy between each other as within one.
double peer_rate(device_list const& devices, link_matrix const& links, std::size_t device) {
  auto const place = device + 1;
  if (!devices[device]->is_cuda()) return links.between(place, place).gigabytes_per_second;
  double slowest = 0;
  for (std::size_t peer = 1; peer <= devices.size(); ++peer) {
    auto const &out = links.between(place, peer), &in = links.between(peer, place);
    if (peer == place || !devices[peer - 1]->is_cuda() || !out.direct || !in.direct) continue;
    auto const rate = std::min(out.gigabytes_per_second, in.gigabytes_per_second);
    slowest = slowest == 0 ? rate : std::min(slowest, rate);
  }
  return slowest;
}

/// Stores the costs of copies. 10^9 bytes per second are a byte per ns.
void add_copies(device_costs& costs, device_list const& devices, link_matrix const& links,
                std::size_t device) {
  auto const &in = links.between(0, device + 1), &out = links.between(device + 1, 0);
  costs.copy_ns = 1000 * std::max(in.microseconds, out.microseconds);
  costs.host_bytes_per_ns = std::min(in.gigabytes_per_second, out.gigabytes_per_second);
  costs.peer_bytes_per_ns = peer_rate(devices, links, device);
}

/// The costs before any is measured. On cores, costs of GPUs only stay 0; all others are measured.
device_costs nothing_measured() {
  auto costs = default_costs(backend::host);
  costs.measured_on = utc_now().substr(0, 10);
  return costs;
}

/// One device for each set of equal costs: parts of a GPU share theirs, and so do all devices of cores.
device_list one_of_each(device_list const& devices) {
  device_list chosen;
  for (auto const& device : devices) {
    auto const is_same = [&](auto const& other) {
      return other->properties().uuid == device->properties().uuid;
    };
    if (std::ranges::none_of(chosen, is_same)) chosen.push_back(device);
  }
  return chosen;
}

}  // namespace

std::vector<calibrated_device> calibrate(device_list const& devices, deadline until,
                                         std::atomic<std::uint64_t>* measured) {
  auto const chosen = one_of_each(devices);
  auto const links = measure_links(chosen);
  std::vector<calibrated_device> all;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    auto& costs = all.emplace_back(chosen[i], nothing_measured()).costs;
    add_copies(costs, chosen, links, i);
    device_meter meter(chosen[i], until);
    meter.measure_launches(costs);
    if (chosen[i]->is_cuda()) meter.measure_graphs(costs);
    if (measured != nullptr) ++*measured;
  }
  return all;
}

}  // namespace ballast::cli
