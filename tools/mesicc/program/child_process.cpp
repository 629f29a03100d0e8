// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ballast/base/error.hpp"

namespace ballast::mesicc {
namespace {

/// Keeps Ctrl-C from ending this process, which has a scratch folder to remove.
class ignored_interrupt {
 public:
  ignored_interrupt() : before_(signal(SIGINT, SIG_IGN)) {}
  ~ignored_interrupt() { signal(SIGINT, before_); }
  ignored_interrupt(ignored_interrupt const&) = delete;
  ignored_interrupt& operator=(ignored_interrupt const&) = delete;

 private:
  void (*before_)(int);
};

/// As exec wants it; valid as long as the words.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t start(std::vector<std::string>& words) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  int const failed =
      posix_spawnp(&child, words.front().c_str(), nullptr, &attributes, pointers_to(words).data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw error("cannot run " + words.front() + ": " + std::strerror(failed));
  return child;
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

int run_and_wait(std::vector<std::string> words) {
  ignored_interrupt const while_it_runs;
  pid_t const child = start(words);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw error("cannot wait for " + words.front() + ": " + std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string as_shell_line(std::vector<std::string> const& words) {
  std::string line;
  for (auto const& word : words)
    line += (line.empty() ? "" : " ") + (needs_quotes(word) ? quoted(word) : word);
  return line;
}

}  // namespace ballast::mesicc
