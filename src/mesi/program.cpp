// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/mesi/program.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/mesi/launch.hpp"
#include "ballast/detail/mesi/variable.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"

namespace ballast::mesi {
namespace {

/// The launches that the devices have not finished. It bounds how far a loop of launches runs ahead of the
/// devices, and reports failures even if no one accesses their variables. Any thread may call any member.
class pending_launches {
 public:
  explicit pending_launches(std::chrono::nanoseconds timeout) : timeout_(timeout) {}

  void add(completion launch) {
    std::lock_guard const lock(mutex_);
    launches_.push_back(std::move(launch));
  }
  /// Makes space for one more: waits for the oldest launch if there are `max_pending`. Throws its failure if
  /// it has ended, and timed_out.
  void limit() {
    if (auto launch = oldest(max_pending - 1)) wait_for(*std::move(launch), deadline::in(timeout_));
  }
  /// Waits for all launches. Throws the first failure, and timed_out. Other failures remain to be reported.
  void wait_for_all() {
    auto const until = deadline::in(timeout_);
    while (auto launch = oldest(0)) wait_for(*std::move(launch), until);
  }
  /// Waits for the launch whose job messages call `number`, such as "number 17", and for earlier ones. Throws
  /// its failure, which is then not reported again. Throws timed_out.
  void throw_failure_of(std::string const& number) {
    std::lock_guard const lock(mutex_);
    auto const called = "(" + number + ")";
    auto const until = deadline::in(timeout_);
    for (auto launch = launches_.begin(); launch != launches_.end(); ++launch) try {
        launch->wait_until(until);  // what it was to write may be reported as lost before it ends
      } catch (job_failed const& failure) {
        if (failure.job().find(called) == std::string::npos) continue;
        launches_.erase(launch);
        throw;
      }
  }

  static constexpr std::size_t max_pending = 256;  ///< submitted launches take memory until they have run

 private:
  /// Removes and returns the oldest launch if it has finished, or if there are more than `allowed_pending`.
  std::optional<completion> oldest(std::size_t allowed_pending) {
    std::lock_guard const lock(mutex_);
    if (launches_.empty()) return std::nullopt;
    if (launches_.size() <= allowed_pending && !launches_.front().ready()) return std::nullopt;
    auto launch = std::move(launches_.front());
    launches_.pop_front();
    return launch;
  }
  void put_back(completion launch) {
    std::lock_guard const lock(mutex_);
    launches_.push_front(std::move(launch));
  }
  /// Waits for the launch, and puts it back if it has not ended by then.
  void wait_for(completion launch, deadline until) {
    try {
      launch.wait_until(until);
    } catch (timed_out const&) {
      put_back(std::move(launch));
      throw;
    }
  }

  std::chrono::nanoseconds timeout_;
  std::mutex mutex_;
  std::deque<completion> launches_;
};

/// The kernels of all files. Files register them before main; an initialiser of an earlier file may have used
/// a variable by then.
struct known_kernels {
  std::mutex mutex;
  std::vector<kernel_set const& (*)()> lists;
  job_scheduler* running = nullptr;

  void add(kernel_set const& (*list)()) {
    std::lock_guard const lock(mutex);
    lists.push_back(list);
    if (running != nullptr) running->add(list());
  }
  void attach(job_scheduler& jobs) {
    std::lock_guard const lock(mutex);
    for (auto const list : lists) jobs.add(list());
    running = &jobs;
  }
  void detach() {
    std::lock_guard const lock(mutex);
    running = nullptr;
  }
};
known_kernels& kernels() {
  static auto* const all = new known_kernels;
  return *all;
}

struct known_variables {
  std::mutex mutex;
  std::map<char const*, variable_state*> by_address;
};
/// Never destroyed: launches that end after main still look for their variables.
known_variables& variables() {
  static auto* const all = new known_variables;
  return *all;
}

/// The number that an environment variable has. Throws bad_argument naming the variable.
template <class Number>
Number number_of(char const* variable, Number unset, Number min, Number max) {
  auto const text = environment(variable);
  return text ? parse_integer(variable, *text, min, max) : unset;
}

/// The policy that BALLAST_POLICY names. Throws bad_argument.
std::string policy_in_environment(std::string const& unset) {
  auto const named = environment("BALLAST_POLICY");
  if (!named) return unset;
  std::vector<std::string_view> legal;
  for (auto const& policy : split_policies()) legal.push_back(policy.name);
  return std::string(legal[index_among(legal, "BALLAST_POLICY", *named)]);
}

struct shown_warnings {
  shown_warnings() { ballast::detail::set_log_sink_if_none_was_set(warnings_on_standard_error()); }
};

/// Destroyed after main, and before objects that were made before the first use of a variable.
struct running_program {
  shown_warnings warnings;  // first: opening devices may warn
  job_options options = options_of_environment();
  job_scheduler jobs{open_devices(default_device_list()), options};
  pending_launches launches{options.shutdown_timeout};
  detail::process_of_origin const process{};

  running_program() { kernels().attach(jobs); }
  /// An unnoticed failure ends the program, like an exception that escapes main. It is caught to report its
  /// text: if an exception leaves a destructor, g++ 12 calls std::terminate() without an active exception.
  ~running_program() {
    if (process.is_parent()) return;  // in a child of fork(), which has none of its launches
    kernels().detach();
    try {
      launches.wait_for_all();
    } catch (...) { std::terminate(); }
  }
};
running_program& program() {
  static running_program one;
  return one;
}

}  // namespace

job_options options_of_environment() {
  constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  job_options options;
  options.policy = policy_in_environment(options.policy);
  options.tasks = number_of<std::uint32_t>("BALLAST_TASKS", options.tasks, 1, 1u << 20);
  options.check_maps = number_of<int>("BALLAST_CHECK_MAPS", 0, 0, 1) == 1;
  options.device_bytes =
      number_of<std::uint64_t>("BALLAST_DEVICE_BYTES", options.device_bytes, 4096, unlimited);
  options.shutdown_timeout = std::chrono::seconds(number_of("BALLAST_TIMEOUT", 86400, 1, 100 * 86400));
  return options;
}

job_scheduler& scheduler() { return program().jobs; }

void track_launch(completion launch) { program().launches.add(std::move(launch)); }
void limit_pending_launches() { program().launches.limit(); }

kernel_registration::kernel_registration(kernel_set const& (*list)()) { kernels().add(list); }

detail::array_handle const& variable_state::handle() {
  if (auto const* const made = handle_.load(std::memory_order_acquire)) return *made;
  auto& of = program();
  auto& known = variables();
  std::lock_guard const lock(known.mutex);
  if (auto const* const made = handle_.load(std::memory_order_acquire)) return *made;
  auto const* const made = new detail::array_handle(of.jobs, extents({elements_}), element_bytes_, name_);
  made->open({detail::host_use::write}, deadline::in(of.options.shutdown_timeout));
  std::memset(made->address(), 0, elements_ * element_bytes_);
  known.by_address[static_cast<char const*>(made->address())] = this;
  handle_.store(made, std::memory_order_release);
  return *made;
}

void* variable_state::wait_for(detail::host_use use) {
  auto const& made = handle();
  try {
    made.open({use}, deadline::in(program().options.shutdown_timeout));
  } catch (job_failed const& loss) {
    throw_cause_of_loss(loss.job());
    throw;
  }
  return made.address();
}

void variable_state::throw_cause_of_loss(std::string const& job) const {
  try {
    program().launches.throw_failure_of(job);
  } catch (job_failed const& cause) {
    throw error("variable '" + std::string(name_) + "' is lost: " + cause.what());
  }
}

variable_state* variable_at(void const* address) {
  auto& known = variables();
  std::lock_guard const lock(known.mutex);
  auto const at = static_cast<char const*>(address);
  auto after = known.by_address.upper_bound(at);
  if (after == known.by_address.begin()) return nullptr;
  auto const& [begin, of] = *std::prev(after);
  return at <= begin + of->elements() * of->element_bytes() ? of : nullptr;
}

argument_location location_of(void const* argument, std::size_t element_bytes, char const* parameter,
                              std::string const& kernel) {
  auto* const of = variable_at(argument);
  if (of == nullptr)
    throw_bad_argument(std::string(parameter) + " of " + kernel, "a pointer to something else",
                       "one to a shared variable");
  if (of->element_bytes() != element_bytes)
    throw_bad_argument(
        std::string(parameter) + " of " + kernel,
        "a pointer to elements of " + detail::counted(element_bytes, "byte") + " in '" + of->name() + "'",
        "one to elements of " + detail::counted(of->element_bytes(), "byte"));
  auto const bytes = static_cast<char const*>(argument) - static_cast<char const*>(of->handle().address());
  if (bytes % std::int64_t(element_bytes) != 0)
    throw_bad_argument(std::string(parameter) + " of " + kernel,
                       "a pointer into an element of '" + std::string(of->name()) + "'",
                       "one to where an element begins");
  return {of, bytes / std::int64_t(element_bytes)};
}

void require_inside(argument_location const& location, ranges const& written, char const* parameter,
                    std::string const& kernel) {
  auto const size = std::int64_t(location.of->elements());
  for (auto const& [begin, end] : written) {
    std::int64_t const first = begin + location.offset, last = end + location.offset - 1;
    if (begin >= end || (first >= 0 && last < size)) continue;
    throw_bad_argument(std::string(parameter) + " of " + kernel,
                       "elements " + std::to_string(first) + " to " + std::to_string(last) + " of '" +
                           location.of->name() + "'",
                       "from 0 to " + std::to_string(size - 1));
  }
}

std::int64_t as_bound(std::int64_t value, char const* parameter, std::string const& kernel) {
  constexpr std::int64_t most = std::int64_t(1) << 40;
  if (value >= -most && value <= most) return value;
  throw_bad_argument(std::string(parameter) + " of " + kernel, value,
                     "-2^40 to 2^40, since which elements are touched hangs on it");
}

void require_threads(threads of, char const* kernel) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (of.x <= most && of.y <= most) return;
  throw_bad_argument("threads",
                     "<<[" + std::to_string(of.x) + ", " + std::to_string(of.y) + "]>> of " + kernel,
                     "at most 2147483647 along each dimension");
}

void fetch_if_kept_open(void const* argument) {
  auto* const of = variable_at(argument);
  if (of != nullptr && of->is_kept_open()) of->opened(detail::host_use::update);
}

}  // namespace ballast::mesi
