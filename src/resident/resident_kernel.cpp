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

/// Whether a server and its workers were seen to run at the same time in this process: some tools make CUDA
/// run one kernel at a time. If the environment names such a tool, there is no trial.
enum class side_by_side { unknown, yes, no };
std::atomic<side_by_side> kernels_run = side_by_side::unknown;
constexpr auto side_by_side_trial = std::chrono::seconds(5);

std::atomic_ref<std::uint32_t> shared(std::uint32_t& word) { return std::atomic_ref(word); }

std::int64_t host_now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

/// Refuses occupied devices, and devices that share a GPU's memory with one, before allocating: an allocation
/// beside a running resident kernel can wait for that kernel.
std::shared_ptr<compute_device> require_unclaimed(std::shared_ptr<compute_device> device) {
  if (!checked_device(device).has_resident()) return device;
  throw no_room("no resident kernel can be made on " + device->name() + " beside " +
                device->resident_holders() +
                ": make all of a device or a GPU before the first starts (start_at_once = false)");
}

/// A warning for messages if the device is a part of a GPU: CUDA gives green contexts no guarantee of
/// progress.
std::string describe_part(compute_device const& device) {
  if (device.capabilities().runs_on_cores || device.spec().multiprocessors == 0) return "";
  return "; " + device.name() +
         " is a part of a GPU, and CUDA does not promise that kernels of several parts run at the same time: "
         "more hardware connections may help (request_connections)";
}

/// The number of the kernel's blocks that fit on an empty SM.
std::uint32_t fit_on(compute_device& device, kernel_code const& code) {
  return std::uint32_t(device.resources(code).blocks_per_multiprocessor);
}

void check_spared(int spared, int multiprocessors) {
  if (spared >= 0 && spared < multiprocessors) return;
  throw_bad_argument("spared_multiprocessors", spared, "0 to " + std::to_string(multiprocessors - 1));
}

resident_options const& checked(resident_options const& options) {
  if (options.idle_timeout > clock::duration(0)) return options;
  throw_bad_argument("idle_timeout", std::to_string(options.idle_timeout.count()) + " ns", "more than 0");
}

/// The resident_request::fragmented_blocks of a kernel. An SM's quarters take a block's warps in turn, and a
/// kernel's first block begins with the first quarter.
std::uint32_t fragmented_blocks(compute_device const& device, std::uint32_t threads) {
  constexpr std::uint32_t quarters = 4, warp_threads = 32;
  if (!device.capabilities().shares_multiprocessors) return 0;
  auto const warps = (threads + warp_threads - 1) / warp_threads;
  return quarters / std::gcd(quarters, warps) - 1;
}

/// The interval between polls for the end of a kernel that has run for `run`: a sixteenth of it. A thread
/// that polls more often would take a core of a host device from its workers.
clock::duration poll_interval_after(clock::duration run) {
  return std::clamp<clock::duration>(run / 16, std::chrono::microseconds(20), std::chrono::milliseconds(1));
}

}  // namespace

resident_kernel::resident_kernel(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                                 kernel_entry const& entry, resident_options const& options, bool yields,
                                 server_limits servers)
    : device_(require_unclaimed(std::move(device))),
      entry_(entry),
      options_(checked(options)),
      yields_(yields),
      launches_block_(environment("CUDA_LAUNCH_BLOCKING").value_or("0") != "0"),
      runs_one_by_one_(launches_block_ || environment("NV_SANITIZER_INJECTION_PORT_BASE").has_value()),
      limits_(servers),
      server_{.holder = "the server of set " + kernels.name(),
              .blocks = most_servers(kernels, servers.most),
              .starts_first = true},
      workers_(request_beside_servers(kernels, std::min(servers.fewest, server_.blocks))),
      whole_(request_of_one(kernels)),
      max_blocks_(workers_.blocks != 0 ? workers_.blocks + 1 : whole_.blocks),
      blocks_(max_blocks()),
      words_(device_, words),
      arrived_(device_, max_blocks() + std::max(server_.blocks, 1u) - 1),
      clock_(device_, 1),
      activities_(device_, max_blocks()),
      stream_(device_->make_stream()),
      server_stream_(may_split() ? device_->make_stream() : nullptr) {
  std::ranges::fill(words_.span(), 0u);
  std::ranges::fill(arrived_.span(), 0u);
}

resident_kernel::~resident_kernel() {
  if (!process_.is_parent()) {
    try {
      request_stop();
      join(deadline::in(options_.stop_timeout));
    } catch (error const&) {
      // The device is lost, or a block never ends: nothing more can be done here.
    }
    give_back_room();
  }
  for (auto* each : {&main_, &serving_})
    if (each->launcher.joinable()) each->launcher.detach();
}

/// True if the server may be a kernel of its own.
bool resident_kernel::may_split() const {
  return device_->capabilities().has_servers && static_cast<bool>(entry_.server.cuda_function) &&
         !runs_one_by_one_ && kernels_run.load() != side_by_side::no;
}

resident_request resident_kernel::make_request(kernel_set const& kernels, kernel_code const& code) const {
  if (device_->capabilities().shares_multiprocessors)
    check_spared(options_.spared_multiprocessors, device_->properties().multiprocessors);
  kernels.resources(*device_);  // loads every kernel now: none may be loaded while a resident kernel runs
  bool const spares = device_->capabilities().shares_multiprocessors && options_.blocks == 0;
  return {.holder = "the resident kernel of set " + kernels.name(),
          .blocks_per_multiprocessor = fit_on(*device_, code),
          .spared_multiprocessors = spares ? std::uint32_t(options_.spared_multiprocessors) : 0,
          .fragmented_blocks = fragmented_blocks(*device_, code.threads),
          .yields = yields_};
}

/// The number of a request's blocks that fit on the device, less the spared ones.
int resident_kernel::most_of(resident_request const& request) const {
  return int(request.blocks_per_multiprocessor) *
         (device_->properties().multiprocessors - int(request.spared_multiprocessors));
}

/// The workers' request beside this many servers. It has no blocks if the server is no kernel of its own, or
/// if the workers do not fit beside the servers.
resident_request resident_kernel::request_beside_servers(kernel_set const& kernels,
                                                         std::uint32_t servers) const {
  if (!may_split() || servers == 0) return {.holder = {}, .blocks = 0};
  device_->resources(entry_.server);  // loads it, as make_request() loads the others
  auto request = make_request(kernels, entry_.workers);
  int const most = most_of(request) - int(request.blocks_per_multiprocessor * servers);
  int const wanted = options_.blocks == 0 ? most : options_.blocks - 1;
  request.blocks = std::uint32_t(wanted > most ? 0 : std::max(wanted, 0));
  request.min_blocks = options_.blocks == 0 ? 1 : request.blocks;
  return request;
}

/// The number of the requested servers that leave space for the workers on an empty device.
std::uint32_t resident_kernel::most_servers(kernel_set const& kernels, std::uint32_t asked) const {
  while (asked > 0 && request_beside_servers(kernels, asked).blocks == 0) --asked;
  return asked;
}

resident_request resident_kernel::request_of_one(kernel_set const& kernels) const {
  auto request = make_request(kernels, entry_.code);
  int const least = device_->capabilities().has_servers ? 2 : 1;
  int const most = most_of(request), asked = options_.blocks;
  if (asked != 0 && (asked < least || asked > most) && workers_.blocks == 0)
    throw_bad_argument("blocks", asked,
                       std::to_string(least) + " to " + std::to_string(most) + " on " + device_->name() +
                           " (the set's heaviest kernel is " + kernels.heaviest(*device_).name + ")");
  request.min_blocks = std::uint32_t(asked != 0 ? asked : least);
  request.blocks = asked != 0 ? request.min_blocks : std::uint32_t(std::max(most, least));
  if (asked == 0 && workers_.blocks != 0) request.blocks = std::min(request.blocks, workers_.blocks + 1);
  return request;
}

void resident_kernel::take_room(std::uint32_t servers) { take_room(may_split(), servers); }

void resident_kernel::take_room(bool two, std::uint32_t servers) {
  if (claimed_) throw error("this resident kernel is running already");
  if (server_room_.blocks != 0 && !two) give_back_room();
  if (room_.id != 0) return;
  auto const asked = std::clamp(servers, limits_.fewest, limits_.most);
  if (!two || !take_two_rooms(asked)) room_ = device_->claim_resident(whole_);
  log_servers(asked);
  auto const blocks = room_.blocks + (server_room_.blocks != 0 ? 1 : 0);
  auto const others = device_->resident_holders(rooms());
  if (blocks_.exchange(blocks) == blocks || others.empty() || room_.blocks == whole_.blocks ||
      room_.blocks == workers_.blocks)
    return;
  write_log(log_level::info, whole_.holder + " runs on " + device_->name() + " with " +
                                 std::to_string(blocks) + " of " + counted(max_blocks(), "block") +
                                 " beside " + others);
}

void resident_kernel::log_servers(std::uint32_t asked) {
  auto const servers = server_room_.blocks;
  if (servers_.exchange(servers) == servers || asked == 1) return;
  write_log(log_level::info, whole_.holder + " runs on " + device_->name() + " with " +
                                 std::to_string(std::max(servers, 1u)) + " of " + std::to_string(asked) +
                                 " servers");
}

/// Claims space for the workers and as many servers as fit; false if not even one fits beside the workers.
bool resident_kernel::take_two_rooms(std::uint32_t asked) {
  for (auto servers = workers_.blocks == 0 ? 0 : std::min(asked, server_.blocks); servers > 0; --servers)
    if (try_two_rooms(servers)) return true;
  return false;
}

bool resident_kernel::try_two_rooms(std::uint32_t servers) {
  auto request = server_;
  request.blocks = request.min_blocks = servers;
  try {
    server_room_ = device_->claim_resident(request);
    room_ = device_->claim_resident(workers_);
    auto const more = std::max(servers, limits_.fewest) - limits_.fewest;
    auto const cost = std::min(std::uint32_t(workers_.blocks_per_multiprocessor) * more,
                               std::uint32_t(workers_.blocks - room_.blocks));
    if (8 * cost <= room_.blocks + cost) return true;
  } catch (no_room const&) {}
  give_back_room();
  return false;
}

void resident_kernel::give_back_room() noexcept {
  if (claimed_) return;
  for (auto* room : {&room_, &server_room_}) {
    if (room->id != 0) device_->release_resident(*room);
    *room = {};
  }
}

resident_control resident_kernel::next_control() const {
  resident_control control;
  control.stop = &words_[stop_word];
  control.idle_timed_out = &words_[idle_timed_out_word];
  control.host_blocks = &words_[host_blocks_word];
  control.arrived = arrived_.data();
  control.clock_ns = clock_.data();
  control.activity = activities_.words();
  control.run = run_ + 1;
  control.blocks = blocks_;
  control.idle_timeout_ns = std::uint64_t(std::chrono::nanoseconds(options_.idle_timeout).count());
  return control;
}

void resident_kernel::begin_run() {
  ++run_;
  activities_.begin_run();
  main_.on = serving_.on = nullptr;
  main_.failure = serving_.failure = nullptr;
  main_.launched = false;
  serving_.launched = server_room_.blocks == 0;
  shared(words_[stop_word]).store(0, std::memory_order_relaxed);
  claimed_ = true;
}

bool resident_kernel::start(void const* argument, std::size_t bytes) {
  take_room();
  begin_run();
  bool const two = server_room_.blocks != 0;
  main_.on = stream_.get();
  serving_.on = server_stream_.get();
  try {
    activities_.clear(deadline::in(options_.start_timeout));
    launch_by_thread(two ? serving_ : main_, argument, bytes, [] {});
  } catch (...) {
    end_of_run();  // nothing was launched
    throw;
  }
  if (two) {
    await_servers();
    launch_by_thread(main_, argument, bytes, [] {});
    if (!run_side_by_side()) return false;
  }
  if (!await_arrival(deadline::in(options_.start_timeout))) give_up_start();
  auto const device_ns = std::atomic_ref(clock_[0]).load(std::memory_order_acquire);
  clock_offset_ns_ = device_->capabilities().has_own_clock ? host_now_ns() - std::int64_t(device_ns) : 0;
  return true;
}

/// Waits until all servers run; their workers are not launched yet.
void resident_kernel::await_servers() {
  wait_limit limit(deadline::in(options_.start_timeout));
  try {
    for (int polls = 0; arrived() < server_room_.blocks; ++polls) {
      if (limit.passed()) give_up_start();
      if (polls % 64 != 63) continue;
      std::this_thread::yield();
      if (!serving_.launched.load(std::memory_order_acquire)) continue;
      if (serving_.failure) std::rethrow_exception(serving_.failure);
      if (!serving_.running()) return;
    }
  } catch (...) {
    main_.launched = true;  // there is nothing to wait for
    throw;
  }
}

/// At a process's first start with a server, checks whether the server and its workers run at the same time.
/// False if not: the workers would start only after the server has ended, and it has ended now.
bool resident_kernel::run_side_by_side() {
  if (kernels_run.load() != side_by_side::unknown) return true;
  (void)await_arrival(deadline::in(std::min<clock::duration>(options_.start_timeout, side_by_side_trial)));
  auto const there = arrived();
  if (there == blocks_of_run()) kernels_run = side_by_side::yes;
  if (there != server_room_.blocks || !running()) return true;
  kernels_run = side_by_side::no;
  write_log(log_level::info, "CUDA runs one kernel at a time here: " + whole_.holder + " on " +
                                 device_->name() + " gets a block that serves");
  request_stop();
  join(deadline::in(options_.stop_timeout));
  return false;
}

void resident_kernel::start_on(stream& on, void const* argument, std::size_t bytes,
                               std::function<void()> follow) {
  take_room(false, 1);
  begin_run();
  main_.on = &on;
  if (!launches_block_) return launch(main_, argument, bytes, follow);
  try {
    launch_by_thread(main_, argument, bytes, std::move(follow));
  } catch (...) {
    end_of_run();  // nothing was launched
    throw;
  }
}

void resident_kernel::launch(launched_kernel& which, void const* argument, std::size_t bytes,
                             std::function<void()> const& follow) noexcept {
  try {
    auto& on = *which.on.load();
    auto const& code = &which == &serving_        ? entry_.server
                       : server_room_.blocks != 0 ? entry_.workers
                                                  : entry_.code;
    on.launch_cooperative(code, &which == &serving_ ? server_room_.blocks : room_.blocks, argument, bytes);
    follow();
  } catch (...) {
    which.failure = std::current_exception();
    request_stop();  // for the other kernel
  }
  which.launched.store(true, std::memory_order_release);
}

void resident_kernel::launch_by_thread(launched_kernel& which, void const* argument, std::size_t bytes,
                                       std::function<void()> follow) {
  std::vector<unsigned char> copy(bytes);
  std::memcpy(copy.data(), argument, bytes);
  try {
    auto work = [this, &which, copy = std::move(copy), follow = std::move(follow)] {
      launch(which, copy.data(), copy.size(), follow);
    };
    which.launcher =
        start_thread("the resident kernel on " + device_->name(), std::move(work), "ballast-kernel");
  } catch (...) {
    which.launched.store(true, std::memory_order_relaxed);
    request_stop();  // for the other kernel
    throw;
  }
}

/// Waits until all blocks run, or none runs any more; then true.
bool resident_kernel::await_arrival(deadline until) {
  wait_limit limit(until);
  for (int polls = 0; arrived() < blocks_of_run(); ++polls) {
    if (polls % 64 == 63) std::this_thread::yield();
    if (polls % 64 == 63 && !running()) return true;
    if (limit.passed()) return false;
  }
  return true;
}

void resident_kernel::give_up_start() {
  auto const started = arrived();
  request_stop();
  throw timed_out("the resident kernel's blocks to start on " + device_->name(),
                  std::to_string(started) + " of " + counted(blocks_of_run(), "block") + " started" +
                      describe_neighbours());
}

/// Names the other resident kernels that may hold this one up.
std::string resident_kernel::describe_neighbours() const {
  auto const others = device_->resident_holders(rooms());
  auto const part = describe_part(*device_);
  if (!others.empty()) return " beside " + others + part;
  if (device_->capabilities().runs_on_cores) return "";
  return "; no other resident kernel of this process has room there, but another process may use " +
         device_->name() + part;
}

/// The blocks of server and workers together.
std::uint32_t resident_kernel::blocks_of_run() const { return room_.blocks + server_room_.blocks; }

std::uint32_t resident_kernel::arrived() const {
  auto const here = [this](std::uint32_t& word) {
    return shared(word).load(std::memory_order_acquire) == run_;
  };
  return std::uint32_t(std::ranges::count_if(arrived_.span(), here));
}

bool resident_kernel::running() {
  if (!claimed_) return false;
  for (auto const* each : {&serving_, &main_})
    if (!each->launched.load(std::memory_order_acquire)) return true;
  if (main_.running() || serving_.running()) return true;
  for (auto const* each : {&main_, &serving_})
    if (each->failure) std::rethrow_exception(each->failure);
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
  wait_limit limit(until);
  try {
    while (running()) {
      if (limit.passed())
        throw timed_out("the resident kernel on " + device_->name() + " to end", describe_blocks());
      pause(clock::now() - begin, until);
      activities_.look();
    }
  } catch (timed_out const&) { throw; } catch (...) {
    await_host_blocks(until);
    end_of_run();
    throw;
  }
  end_of_run();
}

void resident_kernel::pause(clock::duration run, deadline until) {
  auto* const on = main_.on.load();
  if (on == nullptr || on == stream_.get() || !main_.launched.load(std::memory_order_acquire))
    return std::this_thread::sleep_for(poll_interval_after(run));
  try {
    on->synchronize(until);
  } catch (timed_out const&) {
    // join() reports it, with the blocks' state.
  }
}

bool resident_kernel::has_host_blocks() { return shared(words_[host_blocks_word]).load() != 0; }

// A fault of one block of a host device does not end the others: they leave after their tasks, and later
// blocks leave at once. By then their feeder has failed, possibly half way through.
void resident_kernel::await_host_blocks(deadline until) {
  wait_limit limit(until);
  while (shared(words_[host_blocks_word]).load() != 0) {
    shared(words_[stop_word]).store(resident_control::fed_no_more, std::memory_order_release);
    if (limit.passed())
      throw timed_out("the blocks of " + device_->name() + " to leave after a fault", describe_blocks());
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void resident_kernel::end_of_run() {
  for (auto* each : {&main_, &serving_})
    if (each->launcher.joinable()) each->launcher.join();
  claimed_ = false;
  give_back_room();
}

activity_sums resident_kernel::look_at_blocks() noexcept {
  bool const is_read = claimed_ || device_->capabilities().runs_on_cores;
  return is_read ? activities_.look_at_all(blocks_) : activity_sums();
}

std::string resident_kernel::describe_blocks() {
  bool const is_cleared = main_.on == stream_.get();  // start_on() leaves the previous run's words
  return activities_.describe(blocks_, is_cleared ? "gone" : "gone or not started");
}

}  // namespace ballast::detail
