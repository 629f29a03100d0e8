// SPDX-License-Identifier: Apache-2.0
#include "report/child_program.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>

namespace ballast {
namespace {

[[noreturn]] void fail(std::string const& what, int code) {
  throw error(what + ": " + std::generic_category().message(code));
}

/// An unnamed file in memory. Unlike pipes, three of them need no reader while another process writes.
class memory_file {
 public:
  memory_file() : descriptor_(memfd_create("ballast", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("cannot make a file in memory", errno);
  }
  ~memory_file() { close(descriptor_); }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;

  int descriptor() const { return descriptor_; }
  std::size_t size() const {
    struct stat now {};
    return fstat(descriptor_, &now) == 0 ? static_cast<std::size_t>(now.st_size) : 0;
  }

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

/// A started program, until its end was seen.
class started_child {
 public:
  started_child(pid_t id, std::string const& name) : id_(id), name_(name) {}

  /// True if the child has ended; waits for the end if `options` is 0.
  bool ends(int options) {
    pid_t ended = 0;
    while ((ended = waitpid(id_, &status_, options)) < 0)
      if (errno != EINTR) fail("cannot wait for " + name_, errno);
    return ended == id_;
  }
  int code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_); }

  void kill() {
    ::kill(id_, SIGKILL);
    ends(0);
  }

 private:
  pid_t id_;
  std::string const& name_;
  int status_ = 0;
};

/// Waits for the end of the child; at a limit kills it and throws error. It may have ended while this process
/// slept past the limit, so its end is checked once more.
void wait_within(started_child& child, child_program const& what, memory_file const& output,
                 memory_file const& complaints) {
  auto const prints_too_much = [&] { return output.size() + complaints.size() > what.limits->bytes; };
  auto const end = clock::now() + what.limits->time;
  constexpr auto longest_nap = std::chrono::milliseconds(16);
  auto nap = longest_nap / 16;
  bool ended = false;
  while (!(ended = child.ends(WNOHANG)) && clock::now() < end && !prints_too_much()) {
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, longest_nap);
  }
  ended = ended || child.ends(WNOHANG);
  if (!ended) child.kill();
  if (prints_too_much())
    throw error(what.words.front() + " printed more than " + std::to_string(what.limits->bytes) + " bytes");
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(what.limits->time).count();
  if (!ended) throw error(what.words.front() + " did not end within " + std::to_string(seconds) + " s");
}

}  // namespace

child_end run_child(child_program const& what) {
  memory_file input, output, complaints;
  input.write(what.input);
  redirections streams;
  streams.put(input, STDIN_FILENO);
  streams.put(output, STDOUT_FILENO);
  if (!what.complains_here) streams.put(complaints, STDERR_FILENO);
  started_child child(start_child(what.words, streams), what.words.front());
  what.limits ? wait_within(child, what, output, complaints) : static_cast<void>(child.ends(0));
  return {child.code(), output.contents(), complaints.contents()};
}

}  // namespace ballast
