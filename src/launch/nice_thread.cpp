// SPDX-License-Identifier: Apache-2.0
#include "nice_thread.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <future>
#include <string>
#include <system_error>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

/// What the system says against it, 0 if nothing. Linux keeps a niceness for each thread (sched(7)).
int set_own_niceness(int niceness) {
  constexpr id_t calling_thread = 0;
  return setpriority(PRIO_PROCESS, calling_thread, niceness) == 0 ? 0 : errno;
}

[[noreturn]] void throw_refused_niceness(int niceness, int reason) {
  throw_bad_argument("dispatcher_niceness", niceness,
                     "what this process may set (" + std::generic_category().message(reason) +
                         "): lower values than its own need CAP_SYS_NICE or a limit on nice (RLIMIT_NICE)");
}

}  // namespace

std::thread start_nice_thread(std::optional<int> niceness, std::function<void()> work) {
  constexpr auto purpose = "issuing launches";
  if (!niceness) return start_thread(purpose, std::move(work));
  std::promise<int> setting;
  auto answer = setting.get_future();
  auto thread = start_thread(
      purpose, [niceness = *niceness, setting = std::move(setting), work = std::move(work)]() mutable {
        auto const reason = set_own_niceness(niceness);
        setting.set_value(reason);
        if (reason == 0) work();
      });
  auto const reason = answer.get();
  if (reason == 0) return thread;
  thread.join();
  throw_refused_niceness(*niceness, reason);
}

}  // namespace ballast::detail
