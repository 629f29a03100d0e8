// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/resident/resident_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t stop_word = 0, idle_timed_out_word = 32, host_blocks_word = 64,
                      words = 96;  // 128 bytes apart

std::atomic_ref<std::uint32_t> shared(std::uint32_t& word) { return std::atomic_ref(word); }

std::int64_t host_now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

/// Allocating beside a running resident kernel can wait for it, so occupied devices are refused before, and
/// so are those that share a GPU's memory with one.
std::shared_ptr<compute_device> require_unclaimed(std::shared_ptr<compute_device> device) {
  if (!device->has_resident()) return device;
  throw error("no resident kernel can be made on " + device->name() + " beside " +
              device->resident_holders() +
              ": make all of a device or a GPU before the first starts (start_at_once = false)");
}

/// CUDA gives green contexts no guarantee of progress.
std::string describe_part(compute_device const& device) {
  if (!device.is_cuda() || device.spec().multiprocessors == 0) return "";
  return "; " + device.name() +
         " is a part of a GPU, and CUDA does not promise that kernels of several parts run at the same time: "
         "more hardware connections may help (request_connections)";
}

void check_spared(int spared, int multiprocessors) {
  if (spared >= 0 && spared < multiprocessors) return;
  throw_bad_argument("spared_multiprocessors", spared, "0 to " + std::to_string(multiprocessors - 1));
}

/// Of the places on an SM: its quarters take a block's warps in turn, and the first block of a kernel begins
/// with the first.
std::uint32_t fragmented_blocks(compute_device const& device, std::uint32_t threads) {
  constexpr std::uint32_t quarters = 4, warp_threads = 32;
  if (!device.is_cuda()) return 0;
  auto const warps = (threads + warp_threads - 1) / warp_threads;
  return quarters / std::gcd(quarters, warps) - 1;
}

/// Between polls whether a kernel has ended that runs for so long: a sixteenth of it. A thread that polls
/// more often would take a core of a host device from its workers.
clock::duration poll_interval_after(clock::duration run) {
  return std::clamp<clock::duration>(run / 16, std::chrono::microseconds(20), std::chrono::milliseconds(1));
}

}  // namespace

resident_kernel::resident_kernel(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                                 kernel_code const& entry, resident_options const& options)
    : device_(require_unclaimed(std::move(device))),
      entry_(entry),
      options_(options),
      request_(make_request(kernels, entry)),
      blocks_(max_blocks()),
      words_(device_, words),
      arrived_(device_, max_blocks()),
      clock_(device_, 1),
      activity_(device_, max_blocks()),
      activity_copy_(device_, max_blocks()),
      stream_(device_->make_stream()),
      reader_(device_->make_stream()),
      launches_block_(environment("CUDA_LAUNCH_BLOCKING").value_or("0") != "0") {
  std::ranges::fill(words_.span(), 0u);
  std::ranges::fill(arrived_.span(), 0u);
  clear_activity(deadline::in(std::chrono::minutes(1)));  // this is no start
}

resident_kernel::~resident_kernel() {
  try {
    request_stop();
    join(deadline::in(options_.stop_timeout));
  } catch (error const&) {
    // A lost device or a block that never ends: nothing more can be done for it here.
  }
  give_back_room();
  if (launcher_.joinable()) launcher_.detach();
}

resident_request resident_kernel::make_request(kernel_set const& kernels, kernel_code const& entry) const {
  int const fit_each = device_->resources(entry).blocks_per_multiprocessor;
  int const multiprocessors = device_->properties().multiprocessors;
  int const least = device_->is_cuda() ? 2 : 1;
  int const most = fit_each * multiprocessors;
  auto const legal = std::to_string(least) + " to " + std::to_string(most) + " on " + device_->name() +
                     " (the set's heaviest kernel is " + kernels.heaviest(*device_).name + ")";
  int const spared = device_->is_cuda() ? options_.spared_multiprocessors : 0;
  if (device_->is_cuda()) check_spared(spared, multiprocessors);
  int const asked = options_.blocks;
  int const blocks = asked != 0 ? asked : std::max(most - fit_each * spared, least);
  if (blocks < least || blocks > most) throw_bad_argument("blocks", blocks, legal);
  kernels.resources(*device_);  // loads every kernel now: none may be loaded while a resident kernel runs
  return {"the resident kernel of set " + kernels.name(), std::uint32_t(blocks),
          std::uint32_t(asked != 0 ? blocks : least),     std::uint32_t(fit_each),
          std::uint32_t(asked != 0 ? 0 : spared),         fragmented_blocks(*device_, entry.threads)};
}

void resident_kernel::take_room() {
  if (claimed_) throw error("this resident kernel is running already");
  if (room_.id != 0) return;
  room_ = device_->claim_resident(request_);
  if (blocks_.exchange(room_.blocks) == room_.blocks || room_.blocks == max_blocks()) return;
  write_log(log_level::info, request_.holder + " runs on " + device_->name() + " with " +
                                 std::to_string(room_.blocks) + " of " + std::to_string(max_blocks()) +
                                 " blocks beside " + device_->resident_holders(room_));
}

void resident_kernel::give_back_room() noexcept {
  if (claimed_ || room_.id == 0) return;
  device_->release_resident(room_);
  room_ = {};
}

resident_control resident_kernel::next_control() const {
  resident_control control;
  control.stop = &words_[stop_word];
  control.idle_timed_out = &words_[idle_timed_out_word];
  control.host_blocks = &words_[host_blocks_word];
  control.arrived = arrived_.data();
  control.clock_ns = clock_.data();
  control.activity = activity_.data();
  control.run = run_ + 1;
  control.idle_timeout_ns = std::uint64_t(std::chrono::nanoseconds(options_.idle_timeout).count());
  return control;
}

void resident_kernel::begin_run(stream& on) {
  take_room();
  ++run_;
  launch_stream_ = &on;
  launched_.store(false, std::memory_order_relaxed);
  launch_failure_ = nullptr;
  shared(words_[stop_word]).store(0, std::memory_order_relaxed);
  claimed_ = true;
}

void resident_kernel::start(void const* argument, std::size_t bytes) {
  begin_run(*stream_);
  try {
    clear_activity(deadline::in(options_.start_timeout));
    launch_by_thread(argument, bytes, [] {});
  } catch (...) {
    end_of_run();  // nothing was launched
    throw;
  }
  await_arrival();
}

// A kernel on another part of the GPU may hold this up.
void resident_kernel::clear_activity(deadline until) {
  reader_->fill(activity_.data(), 0, activity_.bytes());
  reader_->synchronize(until);
}

void resident_kernel::start_on(stream& on, void const* argument, std::size_t bytes,
                               std::function<void()> follow) {
  begin_run(on);
  if (!launches_block_) return launch(argument, bytes, follow);
  try {
    launch_by_thread(argument, bytes, std::move(follow));
  } catch (...) {
    end_of_run();  // nothing was launched
    throw;
  }
}

void resident_kernel::launch(void const* argument, std::size_t bytes,
                             std::function<void()> const& follow) noexcept {
  try {
    launch_stream_->launch_cooperative(entry_, blocks_, argument, bytes);
    follow();
  } catch (...) { launch_failure_ = std::current_exception(); }
  launched_.store(true, std::memory_order_release);
}

void resident_kernel::launch_by_thread(void const* argument, std::size_t bytes,
                                       std::function<void()> follow) {
  std::vector<unsigned char> copy(bytes);
  std::memcpy(copy.data(), argument, bytes);
  launcher_ = start_thread("the resident kernel on " + device_->name(),
                           [this, copy = std::move(copy), follow = std::move(follow)] {
                             launch(copy.data(), copy.size(), follow);
                           });
}

void resident_kernel::await_arrival() {
  auto const until = deadline::in(options_.start_timeout);
  for (int polls = 0; arrived() < blocks_; ++polls) {
    if (polls % 64 == 63) std::this_thread::yield();
    if (polls % 64 == 63 && !running()) break;
    if (!until.passed()) continue;
    auto const started = arrived();
    request_stop();
    throw timed_out("the resident kernel's blocks to start on " + device_->name(),
                    std::to_string(started) + " of " + std::to_string(blocks_) + " blocks started" +
                        describe_neighbours());
  }
  auto const device_ns = std::atomic_ref(clock_[0]).load(std::memory_order_acquire);
  clock_offset_ns_ = device_->is_cuda() ? host_now_ns() - std::int64_t(device_ns) : 0;
}

/// Who may be in the way.
std::string resident_kernel::describe_neighbours() const {
  auto const others = device_->resident_holders(room_);
  auto const part = describe_part(*device_);
  if (!others.empty()) return " beside " + others + part;
  if (!device_->is_cuda()) return "";
  return "; no other resident kernel of this process has room there, but another process may use " +
         device_->name() + part;
}

std::uint32_t resident_kernel::arrived() const {
  auto const here = [this](std::uint32_t& word) {
    return shared(word).load(std::memory_order_acquire) == run_;
  };
  return std::uint32_t(std::ranges::count_if(arrived_.span(), here));
}

bool resident_kernel::running() {
  if (!claimed_) return false;
  if (!launched_.load(std::memory_order_acquire)) return true;
  if (!launch_stream_->idle()) return true;
  if (launch_failure_) std::rethrow_exception(launch_failure_);
  return false;
}

void resident_kernel::request_stop() noexcept {
  shared(words_[stop_word]).store(1, std::memory_order_release);
}

bool resident_kernel::stop_requested() const noexcept {
  return shared(words_[stop_word]).load(std::memory_order_acquire) != 0;
}

bool resident_kernel::idle_timed_out() const {
  return shared(words_[idle_timed_out_word]).load(std::memory_order_acquire) == run_;
}

void resident_kernel::join(deadline until) {
  if (!claimed_) return;
  auto const begin = clock::now();
  try {
    while (running()) {
      if (until.passed())
        throw timed_out("the resident kernel on " + device_->name() + " to end", describe_blocks());
      pause(clock::now() - begin, until);
    }
  } catch (timed_out const&) { throw; } catch (...) {
    await_host_blocks(until);
    end_of_run();
    throw;
  }
  end_of_run();
}

void resident_kernel::pause(clock::duration run, deadline until) {
  if (launch_stream_ == stream_.get() || !launched_.load(std::memory_order_acquire))
    return std::this_thread::sleep_for(poll_interval_after(run));
  try {
    launch_stream_->synchronize(until);
  } catch (timed_out const&) {
    // join() says so, and what the blocks do.
  }
}

bool resident_kernel::has_host_blocks() { return shared(words_[host_blocks_word]).load() != 0; }

// A fault of one block of a host device does not end the others: they leave after their tasks, and those that
// begin later leave at once.
void resident_kernel::await_host_blocks(deadline until) {
  request_stop();
  while (shared(words_[host_blocks_word]).load() != 0) {
    if (until.passed())
      throw timed_out("the blocks of " + device_->name() + " to leave after a fault", describe_blocks());
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void resident_kernel::end_of_run() {
  if (launcher_.joinable()) launcher_.join();
  device_->release_resident(room_);
  room_ = {};
  claimed_ = false;
}

std::string resident_kernel::describe_blocks() {
  try {
    reader_->copy(activity_copy_.data(), activity_.data(), activity_.bytes());
    reader_->synchronize(deadline::in(std::chrono::seconds(2)));
  } catch (error const& failure) {
    return std::string("the blocks' state cannot be read: ") + failure.what() + "\n";
  }
  bool const is_cleared = launch_stream_ == stream_.get();  // start_on() leaves the words of the run before
  char const* const names[] = {"not started", "wait for ticket", "run ticket",
                               is_cleared ? "have left" : "have left or not started"};
  std::map<unsigned, std::pair<std::string, int>> by_kind;
  for (std::uint32_t block = 0; block < blocks_; ++block) {
    auto const word = std::atomic_ref(activity_copy_[block]).load(std::memory_order_relaxed);
    auto& [text, count] = by_kind[unsigned(word & 3)];
    if (count++ < 8 && (word & 3) != 0) text += " " + std::to_string(word >> 2) + "@" + std::to_string(block);
  }
  std::string all;
  for (auto const& [kind, entry] : by_kind)
    all += std::to_string(entry.second) + " blocks " + names[kind] +
           (entry.first.empty() ? "" : " (ticket@block:" + entry.first + ")") + "\n";
  return all;
}

}  // namespace ballast::detail
