// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_queue.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "dispatcher.hpp"

namespace ballast {

using namespace detail;
namespace {

/// Throws bad_argument ("connections") if CUDA has read another number. A caller that holds a GPU has used
/// CUDA, which reads it only once: too late to request another.
void check_connections(device_list const& devices, std::uint32_t wanted) {
  if (wanted > 32) throw_bad_argument("connections", wanted, "1 to 32, or 0 for as many as there are");
  bool const has_gpu =
      std::ranges::any_of(devices, [](auto const& device) { return device->capabilities().runs_functions; });
  auto const count = process_connections().count;
  if (wanted == 0 || wanted == count || !has_gpu) return;
  throw_bad_argument("connections", wanted,
                     std::to_string(count) +
                         ", which CUDA has read; before the first GPU is opened, call request_connections(" +
                         std::to_string(wanted) + ") or set CUDA_DEVICE_MAX_CONNECTIONS");
}

void check(device_list const& devices, launch_options const& options) {
  check_devices(devices);
  if (options.streams > max_streams)
    throw_bad_argument("streams", options.streams,
                       "1 to " + std::to_string(max_streams) + ", or 0 for the default");
  check_connections(devices, options.connections);
  if (options.max_waiting < 1) throw_bad_argument("max_waiting", options.max_waiting, "at least 1");
  options.trace_to.check(devices.size());
}

/// Logs that a destructor waits for launches, if some are unfinished. Called before it waits.
void log_wait_for_launches(dispatchers const& of, std::string const& why) {
  std::uint64_t left = 0;
  for (auto const& one : of.all) left += one.unfinished();
  if (left > 0)
    log_wait(why + " (unfinished launches: " + std::to_string(left) + ")", of.options.shutdown_timeout);
}

/// Ends the dispatchers. If a device still has launches to run or to finish, the dispatchers' memory is left
/// behind, since those launches record their completion in it and notify the dispatchers.
void end_dispatchers(dispatchers* all) {
  if (all->process.is_parent()) return;  // their threads exist only in the parent
  log_wait_for_launches(*all, "a launch queue and its launch streams are gone");
  std::shared_ptr<dispatchers const> const used(all);
  for (auto& one : all->all) one.end();
  if (!std::ranges::all_of(all->all, &dispatcher::is_at_rest))
    leave_behind(used, "a launch queue is left behind with its memory: launches have not ended",
                 all->devices);
}

std::shared_ptr<dispatchers> make_dispatchers(device_list const& devices, kernel_set const* kernels,
                                              launch_options const& options) {
  check(devices, options);
  std::shared_ptr<dispatchers> all(new dispatchers, &end_dispatchers);
  all->devices = devices;
  all->options = options;
  auto own = options;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    own.trace_to = options.trace_to.from_device(i);
    all->all.emplace_back(devices[i], kernels, own);
  }
  return all;
}

}  // namespace

launch_queue::launch_queue(device_list const& devices, launch_options const& options)
    : dispatchers_(make_dispatchers(devices, nullptr, options)) {}

launch_queue::launch_queue(device_list const& devices, kernel_set const& kernels,
                           launch_options const& options)
    : dispatchers_(make_dispatchers(devices, &kernels, options)) {}

launch_queue::~launch_queue() {
  if (dispatchers_->process.is_parent()) return;
  log_wait_for_launches(*dispatchers_, "a launch queue is destroyed");
  auto const until = deadline::in(dispatchers_->options.shutdown_timeout);
  for (auto& one : dispatchers_->all) one.finish(until);
  for (auto& one : dispatchers_->all) one.stop("the launch queue of this launch stream is gone");
}

launch_stream launch_queue::make_launch_stream(launch_stream_options const& options) {
  dispatchers_->process.check("make_launch_stream()");
  std::lock_guard const hold(dispatchers_->making);
  auto const load = [](dispatcher const& one) {
    return double(one.launch_stream_count() + 1) /
           double(std::max(1, one.device().properties().multiprocessors));
  };
  auto const least = std::ranges::min_element(dispatchers_->all, {}, load);
  return {dispatchers_, least->add_launch_stream(options.priority), dispatchers_->options.max_waiting};
}

launch_stream launch_queue::make_launch_stream_on(std::size_t device, launch_stream_options const& options) {
  dispatchers_->process.check("make_launch_stream_on()");
  if (device >= dispatchers_->all.size())
    throw_bad_argument("device", device, "0 to " + std::to_string(dispatchers_->all.size() - 1));
  return {dispatchers_, dispatchers_->all[device].add_launch_stream(options.priority),
          dispatchers_->options.max_waiting};
}

void launch_queue::pause() {
  dispatchers_->process.check("pause()");
  for (auto& one : dispatchers_->all) one.pause();
}

void launch_queue::resume() {
  dispatchers_->process.check("resume()");
  for (auto& one : dispatchers_->all) one.resume();
}

void launch_queue::wait_all(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(dispatchers_->options.timeout));
  dispatchers_->process.check("wait_all()");
  throw_if_in_continuation("wait_all()");
  nvtx_range const shown("launch_queue::wait_all");
  for (auto& one : dispatchers_->all) one.wait_all(until);
}

void launch_queue::stop() {
  dispatchers_->process.check("stop()");
  for (auto& one : dispatchers_->all)
    if (!one.is_lost()) one.stop("the launch queue was stopped");
}

launch_statistics launch_queue::statistics() const {
  dispatchers_->process.check("statistics()");
  launch_statistics sum;
  for (auto const& one : dispatchers_->all) one.add_to(sum);
  return sum;
}

std::vector<launch_statistics::named_count> launch_statistics::listed() const {
  return {{"launches", launches},
          {"kernels", kernels},
          {"merged_launches", merged_launches},
          {"merged_kernels", merged_kernels},
          {"chained_kernels", chained_kernels},
          {"direct_launches", direct_launches},
          {"resident_kernels", resident_kernels},
          {"resident_starts", resident_starts}};
}

}  // namespace ballast
