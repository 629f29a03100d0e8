// SPDX-License-Identifier: Apache-2.0
#include "command_line/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace ballast::command_line {
namespace {

std::atomic<bool> interrupted = false;
std::atomic<bool> at_once = false;
std::atomic<stop_function> stop_now = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<stop_function>::is_always_lock_free,
              "a signal handler may use lock-free atomics only");

void say(std::string_view line) {
  [[maybe_unused]] auto const written = write(STDERR_FILENO, line.data(), line.size());
}

extern "C" void ballast_handle_signal(int) {
  int const saved_errno = errno;
  interrupted.store(true);
  if (at_once.load()) {
    say("\nballast: stopped before the run\n");
    _exit(stopped_by_signal);
  }
  if (auto const stop = stop_now.load()) stop();
  say("\nstopping; the same signal again kills\n");
  errno = saved_errno;
}

}  // namespace

void install_interrupt_handler(stop_function stop) {
  stop_now.store(stop);
  struct sigaction action = {};
  action.sa_handler = &ballast_handle_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // once: then the default, which kills
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

exits_on_interrupt::exits_on_interrupt() noexcept { at_once.store(true); }
exits_on_interrupt::~exits_on_interrupt() { at_once.store(false); }

bool was_interrupted() noexcept { return interrupted.load(); }

}  // namespace ballast::command_line
