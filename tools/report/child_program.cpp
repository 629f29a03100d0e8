// SPDX-License-Identifier: Apache-2.0
#include "report/child_program.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace ballast {
namespace {

[[noreturn]] void fail(std::string const& what, int code) {
  throw error(what + ": " + std::generic_category().message(code));
}

/// A file that has no name and lies in memory. Unlike pipes, three of them need no one who reads while
/// another writes.
class memory_file {
 public:
  memory_file() : descriptor_(memfd_create("ballast", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("cannot make a file in memory", errno);
  }
  ~memory_file() { close(descriptor_); }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;

  int descriptor() const { return descriptor_; }

  void write(std::string_view text) {
    while (!text.empty()) {
      ssize_t const written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) fail("cannot write a file in memory", errno);
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    lseek(descriptor_, 0, SEEK_SET);
  }

  std::string contents() {
    std::string text;
    std::array<char, 4096> part{};
    lseek(descriptor_, 0, SEEK_SET);
    for (ssize_t got; (got = read(descriptor_, part.data(), part.size())) != 0;) {
      if (got < 0 && errno != EINTR) fail("cannot read a file in memory", errno);
      if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int descriptor_;
};

class redirections {
 public:
  redirections() { posix_spawn_file_actions_init(&actions_); }
  ~redirections() { posix_spawn_file_actions_destroy(&actions_); }
  redirections(redirections const&) = delete;
  redirections& operator=(redirections const&) = delete;

  void put(memory_file const& file, int in_place_of) {
    posix_spawn_file_actions_adddup2(&actions_, file.descriptor(), in_place_of);
  }
  posix_spawn_file_actions_t const* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

pid_t start_child(std::vector<std::string> words, redirections const& streams) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int const code = posix_spawnp(&child, arguments.front(), streams.get(), nullptr, arguments.data(), environ);
  if (code == ENOENT) throw no_such_program("there is no program " + words.front());
  if (code != 0) fail("cannot start " + words.front(), code);
  return child;
}

int exit_code_of(pid_t child, std::string const& name) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("cannot wait for " + name, errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

child_end run_child(child_program const& what) {
  memory_file input, output, complaints;
  input.write(what.input);
  redirections streams;
  streams.put(input, STDIN_FILENO);
  streams.put(output, STDOUT_FILENO);
  if (!what.complains_here) streams.put(complaints, STDERR_FILENO);
  int const code = exit_code_of(start_child(what.words, streams), what.words.front());
  return {code, output.contents(), complaints.contents()};
}

}  // namespace ballast
