// SPDX-License-Identifier: Apache-2.0
#include "host/device.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fstream>
#include <istream>
#include <limits>
#include <mutex>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "ballast/detail/base/event_count.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "costs_file.hpp"
#include "device_choice.hpp"
#include "host/worker_pool.hpp"

namespace ballast::detail {
namespace {

namespace fs = std::filesystem;

/// The processor's name as /proc/cpuinfo gives it.
std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    auto const colon = line.find(": ");
    if (colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::size_t cores_of_machine() { return std::size_t(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

/// Takes a number off the front of the text; -1 if the text begins with none.
int take_number(std::string_view& text) {
  int number = -1;
  auto const end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(std::size_t(end - text.data()));
  return number;
}

bool take_sign(char sign, std::string_view& text) {
  bool const is_next = text.starts_with(sign);
  if (is_next) text.remove_prefix(1);
  return is_next;
}

/// The thread's core mask as "0-3,8", for any number of cores. Empty for a thread that has ended.
std::string core_list_of_thread(fs::path const& folder) {
  constexpr std::string_view key = "Cpus_allowed_list:\t";
  std::ifstream status(folder / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return {};
}

/// The CPU quota of one group; nothing for "max" or -1, or if there is no such file.
std::optional<double> quota_by(std::istream&& quota, std::istream&& period) {
  double quota_us = 0, period_us = 0;
  if (!(quota >> quota_us) || !(period >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

std::optional<double> quota_of_version_2(fs::path const& folder) {
  std::ifstream both(folder / "cpu.max");
  std::string quota, period;
  both >> quota >> period;
  return quota_by(std::istringstream(quota), std::istringstream(period));
}

std::optional<double> quota_of_version_1(fs::path const& folder) {
  return quota_by(std::ifstream(folder / "cpu.cfs_quota_us"), std::ifstream(folder / "cpu.cfs_period_us"));
}

// A kernel's argument, aligned for any type.
class argument_copy {
 public:
  argument_copy(void const* argument, std::size_t bytes) : lines_((bytes + sizeof(line) - 1) / sizeof(line)) {
    if (bytes != 0) std::memcpy(lines_.data(), argument, bytes);
  }
  void const* data() const { return lines_.data(); }

 private:
  struct alignas(64) line {
    unsigned char bytes[64];
  };
  std::vector<line> lines_;
};

void check_host_function(kernel_code const& code) {
  if (code.host_function == nullptr)
    throw error("kernel " + std::string(code.name) + " was compiled without a host function");
}

// Every stream has a thread of its own. A core runs one block at a time, to its end.
device_capabilities capabilities_of_cores() {
  return {.needs_polling = false,
          .shares_host_memory = true,
          .runs_on_cores = true,
          .shares_multiprocessors = false,
          .has_servers = false,
          .has_own_clock = false,
          .runs_functions = false,
          .prefers_merging = true,  // docs/decisions/0029
          .streams = 2,
          .connections = std::numeric_limits<std::uint32_t>::max()};
}

// Built in place, since neither a pool nor a mutex can be moved.
std::shared_ptr<host_engine> make_engine(device_spec const& spec, std::string const& name,
                                         std::size_t workers, std::vector<int> const& cores) {
  auto const fault = std::make_shared<fault_record>(name);
  return std::shared_ptr<host_engine>(
      new host_engine{fault, worker_pool(name, workers, cores, spec.slowdown, fault)});
}

}  // namespace

std::vector<int> numbers_in_core_list(std::string_view list) {
  constexpr int beyond_all_systems = 1 << 20;
  std::set<int> numbers;
  do {
    int const first = take_number(list);
    int const last = take_sign('-', list) ? take_number(list) : first;
    if (first < 0 || last < first || last > beyond_all_systems) break;
    for (int core = first; core <= last; ++core) numbers.insert(core);
  } while (take_sign(',', list));
  return {numbers.begin(), numbers.end()};
}

std::vector<int> usable_cores(fs::path const& threads) {
  std::set<int> cores;
  std::error_code ignored;
  for (fs::directory_iterator thread(threads, ignored), end; !ignored && thread != end;
       thread.increment(ignored))
    for (int const core : numbers_in_core_list(core_list_of_thread(*thread))) cores.insert(core);
  if (cores.empty())
    for (int core = 0; core < int(cores_of_machine()); ++core) cores.insert(core);
  return {cores.begin(), cores.end()};
}

std::optional<double> core_quota(fs::path const& membership, fs::path const& root) {
  auto const groups = control_groups_of("cpu", membership, root);
  std::optional<double> least;
  auto const consider = [&](std::optional<double> quota) {
    if (quota && (!least || *quota < *least)) least = quota;
  };
  for (auto const& folder : groups.version_2) consider(quota_of_version_2(folder));
  for (auto const& folder : groups.version_1) consider(quota_of_version_1(folder));
  return least;
}

process_cores count_cores(std::size_t usable, std::optional<double> quota, std::size_t all) {
  auto const by_mask = std::uint32_t(std::max<std::size_t>(usable, 1));
  auto const machine = std::max(by_mask, std::uint32_t(all));
  if (quota && std::ceil(*quota) < by_mask)
    return {std::uint32_t(std::max(1.0, std::ceil(*quota))), machine,
            "its control group has a CPU quota of " + shortest(std::round(*quota * 100) / 100) + " cores"};
  if (by_mask < machine) return {by_mask, machine, "the affinity masks of its threads have no others"};
  return {by_mask, machine, {}};
}

void host_event_state::complete() noexcept {
  at_ns_.store(std::chrono::nanoseconds(clock::now().time_since_epoch()).count(), std::memory_order_release);
  at_ns_.notify_all();
}

bool host_event::reached() {
  fault_->check();
  return state_->completed_at_ns() != 0;
}

std::chrono::nanoseconds host_event::since(event const& earlier) const {
  auto const* const other = dynamic_cast<host_event const*>(&earlier);
  if (other == nullptr)
    throw_bad_argument("earlier", "an event of another backend", "an event of this device");
  if (!timed_) throw_untimed("event");
  if (!other->timed_) throw_untimed("earlier");
  auto const begin = other->state_->completed_at_ns(), end = state_->completed_at_ns();
  if (begin == 0 || end == 0) throw error("event times were asked before both events were reached");
  return std::chrono::nanoseconds(end - begin);
}

// Shared with the thread: a thread that never ends may outlive the stream.
struct host_stream::work_queue {
  std::shared_ptr<host_engine> engine;
  std::mutex mutex;
  std::condition_variable more, drained;
  std::deque<std::function<void()>> work;
  bool busy = false, ended = false;

  bool idle() const { return work.empty() && !busy; }

  void run() {
    std::unique_lock hold(mutex);
    for (;;) {
      more.wait(hold, [this] { return ended || !work.empty(); });
      if (work.empty()) return;
      busy = true;
      run_first(hold);
      busy = false;
      if (work.empty()) drained.notify_all();
    }
  }
  void run_first(std::unique_lock<std::mutex>& hold) {
    auto first = std::move(work.front());
    work.pop_front();
    hold.unlock();
    first();
    first = nullptr;  // the kept object may use the stream
    hold.lock();
  }
};

host_stream::host_stream(std::shared_ptr<host_engine> engine) : queue_(std::make_shared<work_queue>()) {
  queue_->engine = std::move(engine);
  thread_ = start_thread(
      "a stream of " + device_name(), [queue = queue_] { queue->run(); }, "ballast-stream");
}

host_stream::~host_stream() {
  if (queue_->engine->fault->is_in_forked_child()) {
    leak_in_child();
    return;
  }
  constexpr auto at_most = std::chrono::minutes(1);
  std::unique_lock hold(queue_->mutex);
  queue_->ended = true;
  queue_->more.notify_all();
  if (!queue_->idle()) {
    hold.unlock();
    log_wait("a stream of " + device_name() + " is destroyed before its work has ended", at_most);
    hold.lock();
  }
  bool const idle =
      wait_until(queue_->drained, hold, deadline::in(at_most), [this] { return queue_->idle(); });
  hold.unlock();
  idle ? thread_.join() : thread_.detach();
}

/// Leaves queue and thread behind: a child of fork() has neither the thread nor its locks, so it cannot end
/// the thread.
void host_stream::leak_in_child() noexcept {
  (void)new std::shared_ptr<work_queue>(std::move(queue_));
  (void)new std::thread(std::move(thread_));
}

void host_stream::enqueue(std::function<void()> work) {
  queue_->engine->fault->check();
  std::lock_guard const hold(queue_->mutex);
  queue_->work.push_back(std::move(work));
  queue_->more.notify_one();
}

void host_stream::copy(void* to, void const* from, std::size_t bytes) {
  enqueue([=, fault = queue_->engine->fault.get()] {
    if (!fault->lost()) copy_host_memory(to, from, bytes);
  });
}

void host_stream::enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                               std::size_t row_bytes, std::size_t rows) {
  enqueue([=, fault = queue_->engine->fault.get()] {
    if (fault->lost()) return;
    for (std::size_t row = 0; row < rows; ++row)
      copy_host_memory(static_cast<std::byte*>(to) + row * to_pitch,
                       static_cast<std::byte const*>(from) + row * from_pitch, row_bytes);
  });
}

void host_stream::fill(void* to, unsigned char byte, std::size_t bytes) {
  enqueue([=, fault = queue_->engine->fault.get()] {
    if (!fault->lost() && bytes != 0) std::memset(to, byte, bytes);
  });
}

void host_stream::launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
                         std::shared_ptr<void const> kept) {
  check_host_function(code);
  if (grid == 0) return;
  enqueue([code, grid, copy = argument_copy(argument, bytes), engine = queue_->engine.get(),
           kept = std::move(kept), gate = gate()] {
    if (!engine->fault->lost()) engine->pool.run(code, grid, copy.data(), gate.get());
  });
}

void host_stream::launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                                     std::size_t bytes) {
  check_host_function(code);
  auto const most = queue_->engine->pool.size();
  if (grid > most)
    throw_bad_argument("blocks", grid,
                       "1 to " + std::to_string(most) + " resident blocks on " + device_name());
  if (grid == 0) return;
  enqueue([code, grid, copy = argument_copy(argument, bytes), engine = queue_->engine.get()] {
    if (!engine->fault->lost()) engine->pool.run_cooperative(code, grid, copy.data());
  });
}

void host_stream::launch_plain(plain_launch const& launch) {
  throw_bad_argument(
      "kernel", launch.name,
      "a ballast kernel or a callable on " + device_name() + ": plain __global__ functions run on GPUs only");
}

std::unique_ptr<event> host_stream::record(bool timed) {
  auto state = std::make_shared<host_event_state>();
  enqueue([state] { state->complete(); });
  return std::make_unique<host_event>(std::move(state), timed, queue_->engine->fault);
}

void host_stream::wait_for(event const& before) {
  auto const* const awaited = dynamic_cast<host_event const*>(&before);
  if (awaited == nullptr) throw_bad_argument("before", "an event of a GPU", "an event of a host device");
  enqueue([state = awaited->state()] { state->wait(); });
}

std::shared_ptr<void const> host_stream::enqueue_gate() {
  auto const state = std::make_shared<host_event_state>();
  enqueue([state] { state->wait(); });
  return {nullptr, [state](void const*) { state->complete(); }};
}

bool host_stream::idle() {
  queue_->engine->fault->check();
  std::lock_guard const hold(queue_->mutex);
  return queue_->idle();
}

bool host_stream::is_at_rest() noexcept {
  std::lock_guard const hold(queue_->mutex);
  return queue_->idle();
}

bool host_stream::notify_on_completion(event_count& wake_event) {
  enqueue([&wake_event] { wake_event.notify(); });
  return true;
}

// Wakes up from time to time, because after a fault a block may never end.
bool host_stream::await_idle(deadline until) {
  std::unique_lock hold(queue_->mutex);
  wait_limit limit(until);
  while (!queue_->idle()) {
    queue_->engine->fault->check();
    if (limit.passed()) return false;
    queue_->drained.wait_until(hold,
                               std::min(limit.next_look(), clock::now() + std::chrono::milliseconds(20)));
  }
  queue_->engine->fault->check();
  return true;
}

std::string const& host_stream::device_name() const { return queue_->engine->fault->device(); }

host_device::host_device(device_spec const& spec, std::string const& name, std::size_t workers,
                         std::vector<int> const& cores, std::shared_ptr<memory_resource> resource)
    : compute_device(spec, name, capabilities_of_cores(), std::move(resource)),
      engine_(make_engine(spec, name, workers, cores)) {
  properties_.model = processor_model();
  properties_.multiprocessors = int(workers);
  properties_.memory_bytes = host_memory_bytes();
  properties_.pinned_to_cores = !cores.empty();
  set_costs(costs_on_this_machine(properties_));
}

std::size_t host_device::free_bytes() {
  check();
  return available_memory_bytes();
}

std::unique_ptr<stream> host_device::make_stream() {
  check();
  return std::make_unique<host_stream>(engine_);
}

std::unique_ptr<stream> host_device::adopt_stream(native_stream) {
  throw_bad_argument("device", name(), "a GPU: a cudaStream_t enqueues nothing to CPU cores");
}

std::unique_ptr<event> host_device::adopt_event(native_event) {
  throw_bad_argument("device", name(), "a GPU: a stream of CPU cores cannot wait for a cudaEvent_t");
}

std::unique_ptr<launch_graph> host_device::make_graph(std::span<graph_branch const>) {
  throw_bad_argument("device", name(), "a GPU: the plain __global__ functions of a graph run there only");
}

kernel_resources host_device::resources(kernel_code const& code) {
  check();
  check_host_function(code);
  kernel_resources found;
  found.blocks_per_multiprocessor = 1;
  return found;
}

void* host_device::allocate_bytes(memory, std::size_t bytes) {
  check();
  return allocate_host_memory(name(), bytes);
}

void host_device::release_bytes(memory, void* address) noexcept { release_host_memory(address); }

}  // namespace ballast::detail

ballast::process_cores ballast::cores_of_process() {
  return detail::count_cores(detail::usable_cores().size(), detail::core_quota(), detail::cores_of_machine());
}
