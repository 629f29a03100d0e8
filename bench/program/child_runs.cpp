// SPDX-License-Identifier: Apache-2.0
#include "program/child_runs.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "ballast/error.hpp"
#include "command_line/program.hpp"

namespace ballast::bench {
namespace {

constexpr char variable[] = "CUDA_DEVICE_MAX_CONNECTIONS=";

std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::vector<std::string> environment_with(std::uint32_t connections) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string(*entry).rfind(variable, 0) != 0) all.emplace_back(*entry);
  all.push_back(variable + std::to_string(connections));
  return all;
}

/// The words in the form that exec takes; valid as long as `words`.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t start(std::vector<std::string> words, std::vector<std::string> variables) {
  pid_t child = 0;
  auto const failed = posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, pointers_to(words).data(),
                                  pointers_to(variables).data());
  if (failed != 0) throw error(std::string("cannot start another run: ") + std::strerror(failed));
  return child;
}

bool ended_well(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw error(std::string("cannot wait for another run: ") + std::strerror(errno));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::vector<std::string> without_option(std::vector<std::string> const& words, std::string const& option) {
  std::vector<std::string> left;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option)
      ++i;  // its value
    else if (words[i].rfind(option + "=", 0) != 0)
      left.push_back(words[i]);
  }
  return left;
}

void run_with_connections(std::vector<std::uint32_t> const& counts, std::string const& option) {
  auto const words = without_option(own_words(), option);
  std::string failed;
  for (auto const count : counts) {
    if (command_line::was_interrupted()) break;
    std::fprintf(stderr, "%u hardware connections\n", count);
    if (!ended_well(start(words, environment_with(count)))) failed += " " + std::to_string(count);
  }
  if (!failed.empty()) throw error("the runs with these numbers of connections failed:" + failed);
}

}  // namespace ballast::bench
