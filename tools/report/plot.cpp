// SPDX-License-Identifier: Apache-2.0
#include "report/plot.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"

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

pid_t start_gnuplot(redirections const& streams) {
  std::string program = "gnuplot", own_settings = "-d";
  std::array<char*, 3> const arguments = {program.data(), own_settings.data(), nullptr};
  pid_t child = 0;
  int const code = posix_spawnp(&child, "gnuplot", streams.get(), nullptr, arguments.data(), environ);
  if (code == ENOENT)
    throw error("there is no gnuplot in PATH; install it (on Debian the package gnuplot-nox)");
  if (code != 0) fail("cannot start gnuplot", code);
  return child;
}

bool ended_well(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("cannot wait for gnuplot", errno);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// What gnuplot, found in PATH, writes on its standard output when it reads the script; it reads no settings
/// of the user's. Throws ballast::error if there is none, or with what it complained of.
std::string output_of_gnuplot(std::string const& script) {
  memory_file input, output, complaints;
  input.write(script);
  redirections streams;
  streams.put(input, STDIN_FILENO);
  streams.put(output, STDOUT_FILENO);
  streams.put(complaints, STDERR_FILENO);
  if (!ended_well(start_gnuplot(streams))) throw error("gnuplot failed: " + complaints.contents());
  return output.contents();
}

}  // namespace

void write_plot(std::filesystem::path const& svg, std::span<run_record const> records) {
  std::string const picture = output_of_gnuplot(plot_script(records));
  if (picture.find("</svg>") == picture.npos) throw error("gnuplot drew no picture for " + svg.string());
  replace_file(svg, picture);
}

}  // namespace ballast
