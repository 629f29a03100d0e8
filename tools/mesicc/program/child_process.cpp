// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "ballast/error.hpp"

namespace ballast::mesicc {
namespace {

/// The words in the form that exec takes; valid as long as `words`.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t start(std::vector<std::string>& words, held_signals const& signals) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals.before());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  int const failed =
      posix_spawnp(&child, words.front().c_str(), nullptr, &attributes, pointers_to(words).data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw error("cannot run " + words.front() + ": " + std::strerror(failed));
  return child;
}

/// Passes on a signal that was sent to this process alone. A terminal sends Ctrl-C to the program too.
void forward_signal(siginfo_t const& info, pid_t child) {
  if (info.si_code <= 0) kill(child, info.si_signo);
}

/// The program's exit code; nothing while it runs.
std::optional<int> exit_code_of(pid_t child, std::string const& program) {
  int status = 0;
  pid_t const ended = waitpid(child, &status, WNOHANG);
  if (ended < 0 && errno != EINTR) throw error("cannot wait for " + program + ": " + std::strerror(errno));
  if (ended <= 0) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool needs_quotes(std::string const& word) {
  return word.empty() || word.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_-+=/.,:@%") != std::string::npos;
}

std::string quoted(std::string const& word) {
  std::string text = "'";
  for (char const c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

held_signals::held_signals() : on_child_(signal(SIGCHLD, SIG_DFL)) {
  sigemptyset(&held_);
  sigaddset(&held_, SIGCHLD);
  for (int const one : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now;
    if (sigaction(one, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&held_, one);
  }
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

held_signals::~held_signals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  signal(SIGCHLD, on_child_);
}

int run_and_wait(std::vector<std::string> words, held_signals const& signals) {
  pid_t const child = start(words, signals);
  for (;;) {
    siginfo_t info;
    int const number = sigwaitinfo(&signals.held(), &info);
    if (number > 0 && number != SIGCHLD) forward_signal(info, child);
    if (auto const code = exit_code_of(child, words.front())) return *code;
  }
}

std::string as_shell_line(std::vector<std::string> const& words) {
  std::string line;
  for (auto const& word : words)
    line += (line.empty() ? "" : " ") + (needs_quotes(word) ? quoted(word) : word);
  return line;
}

}  // namespace ballast::mesicc
