// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/launch_queue.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "ballast/base/error.hpp"
#include "ballast/base/log.hpp"
#include "ballast/device/hardware_connections.hpp"
#include "issuers.hpp"
#include "nice_thread.hpp"

namespace ballast::inline launch {
namespace {

/// Whoever holds a GPU has used CUDA, which reads the number once: too late to ask for another.
void check_connections(device_list const& devices, std::uint32_t wanted) {
  if (wanted > 32) refuse_argument("connections", wanted, "1 to 32, or 0 for as many as there are");
  bool const has_gpu = std::ranges::any_of(devices, [](auto const& device) { return device->is_cuda(); });
  auto const count = connections_of_this_process().count;
  if (wanted == 0 || wanted == count || !has_gpu) return;
  refuse_argument("connections", wanted,
                  std::to_string(count) +
                      ", which CUDA has read; before the first GPU is opened, call ask_for_connections(" +
                      std::to_string(wanted) + ") or set CUDA_DEVICE_MAX_CONNECTIONS");
}

void check_niceness(std::optional<int> niceness) {
  if (!niceness || (*niceness >= least_niceness && *niceness <= most_niceness)) return;
  refuse_argument("issuer_niceness", *niceness,
                  std::to_string(least_niceness) + " to " + std::to_string(most_niceness));
}

void check(device_list const& devices, launch_options const& options) {
  if (devices.empty()) refuse_argument("devices", "none", "at least one device");
  if (options.streams > most_streams)
    refuse_argument("streams", options.streams,
                    "1 to " + std::to_string(most_streams) + ", or 0 for the default");
  check_connections(devices, options.connections);
  if (options.most_waiting < 1) refuse_argument("most_waiting", options.most_waiting, "at least 1");
  check_niceness(options.issuer_niceness);
}

/// What a device still runs, or will, tells its end in the issuers' memory and rings their bells.
void leave_behind(issuers const* all) {
  static std::mutex mutex;
  static auto* const left_behind = new std::vector<issuers const*>;
  {
    std::lock_guard const hold(mutex);
    left_behind->push_back(all);
  }
  std::string text = "a launch queue is left behind with its memory: launches have not ended\n";
  for (auto const& one : all->all) text += told_resident(one.device());
  write_log(log_level::warning, text);
}

void end_issuers(issuers* all) {
  for (auto& one : all->all) one.end();
  std::ranges::all_of(all->all, &issuer::is_at_rest) ? delete all : leave_behind(all);
}

std::shared_ptr<issuers> make_issuers(device_list const& devices, launch_kernels const* kernels,
                                      launch_options const& options) {
  check(devices, options);
  std::shared_ptr<issuers> all(new issuers, &end_issuers);
  all->options = options;
  for (auto const& device : devices) all->all.emplace_back(device, kernels, options);
  return all;
}

}  // namespace

launch_queue::launch_queue(device_list const& devices, launch_options const& options)
    : issuers_(make_issuers(devices, nullptr, options)) {}

launch_queue::launch_queue(device_list const& devices, launch_kernels const& kernels,
                           launch_options const& options)
    : issuers_(make_issuers(devices, &kernels, options)) {}

launch_queue::~launch_queue() {
  auto const until = deadline::in(issuers_->options.end_patience);
  for (auto& one : issuers_->all) one.finish(until);
  for (auto& one : issuers_->all) one.stop("the launch queue of this producer is gone");
}

producer launch_queue::make_producer(producer_options const& options) {
  std::lock_guard const hold(issuers_->making);
  auto const load = [](issuer const& one) {
    return double(one.lines() + 1) / double(std::max(1, one.device().facts().multiprocessors));
  };
  auto const least = std::ranges::min_element(issuers_->all, {}, load);
  return {issuers_, least->add_line(options.priority), issuers_->options.most_waiting,
          issuers_->options.patience};
}

producer launch_queue::make_producer_on(std::size_t device, producer_options const& options) {
  if (device >= issuers_->all.size())
    refuse_argument("device", device, "0 to " + std::to_string(issuers_->all.size() - 1));
  return {issuers_, issuers_->all[device].add_line(options.priority), issuers_->options.most_waiting,
          issuers_->options.patience};
}

void launch_queue::pause() {
  for (auto& one : issuers_->all) one.pause();
}

void launch_queue::resume() {
  for (auto& one : issuers_->all) one.resume();
}

void launch_queue::drain(deadline until) {
  for (auto& one : issuers_->all) one.drain(until);
}

void launch_queue::stop() {
  for (auto& one : issuers_->all) one.stop("the launch queue was stopped");
}

launch_statistics launch_queue::statistics() const {
  launch_statistics sum;
  for (auto const& one : issuers_->all) one.add_to(sum);
  return sum;
}

}  // namespace ballast::inline launch
