// SPDX-License-Identifier: Apache-2.0
#include "report/provenance.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast_source.hpp"  // made by the build: BALLAST_SOURCE

namespace ballast {
namespace {

/// The first line of a file that starts with `key`, without it; empty if there is none.
std::string line_after(char const* path, std::string const& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return {};
}

std::string cpu_model() {
  std::string const line = line_after("/proc/cpuinfo", "model name");
  auto const begin = line.find_first_not_of("\t :");
  return begin == std::string::npos ? "unknown CPU" : line.substr(begin);
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue ...": the first word like 580.95.
std::string nvidia_driver() {
  std::istringstream words(line_after("/proc/driver/nvidia/version", "NVRM version:"));
  for (std::string word; words >> word;) {
    bool const digits = word.find_first_not_of("0123456789.") == std::string::npos;
    if (digits && word.find('.') != std::string::npos) return word;
  }
  return {};
}

std::size_t physical_memory() {
  long const pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes) : 0;
}

std::string system_text() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + ' ' + names.release + ' ' + names.machine;
}

std::string compiler_text() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

/// Lower case; every run of other signs than letters and digits becomes one dash; none at the ends.
std::string slug(std::string const& text) {
  std::string result;
  for (char const sign : text) {
    bool const plain = std::isalnum(static_cast<unsigned char>(sign)) != 0 && (sign & 0x80) == 0;
    if (plain) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(sign)));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  result.erase(result.find_last_not_of('-') + 1);
  return result;
}

}  // namespace

machine_facts this_machine(std::vector<gpu_facts> gpus, std::string cuda_runtime, std::size_t cores) {
  machine_facts facts;
  facts.cpu = cpu_model();
  facts.cores = cores != 0 ? cores : std::size_t(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  facts.memory_bytes = physical_memory();
  facts.system = system_text();
  facts.compiler = compiler_text();
  facts.gpus = std::move(gpus);
  facts.driver = nvidia_driver();
  facts.cuda_runtime = std::move(cuda_runtime);
  facts.name = machine_name(facts);
  return facts;
}

std::string machine_name(machine_facts const& facts) {
  if (facts.gpus.empty()) return slug(facts.cpu) + '-' + std::to_string(facts.cores) + "-cores";
  return std::to_string(facts.gpus.size()) + "x-" + slug(facts.gpus.front().model);
}

std::string cuda_version_text(int version) {
  if (version <= 0) return {};
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

source_state parse_source(std::string_view text) {
  if (text.empty()) return {};
  constexpr std::string_view mark = "-dirty";
  bool const dirty = text.ends_with(mark);
  if (dirty) text.remove_suffix(mark.size());
  return {std::string(text), !dirty};
}

source_state current_source() {
  auto const given = environment("BALLAST_COMMIT");
  return parse_source(given ? *given : BALLAST_SOURCE);
}

}  // namespace ballast
