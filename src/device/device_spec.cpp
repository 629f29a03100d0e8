// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"

#include <array>
#include <optional>
#include <string>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "device_choice.hpp"

namespace ballast {
namespace {

constexpr auto grammar = "a comma-separated list of cuda | cuda:INDEX[@SMS] | host[:CORES][/SLOWDOWN]";
constexpr int max_cores = 4096;
constexpr double max_slowdown = 1000;

// Cuts `text` at the first `mark` and returns the text after it; nothing if there is no mark.
std::optional<std::string_view> cut(std::string_view& text, char mark) {
  auto const at = text.find(mark);
  if (at == text.npos) return std::nullopt;
  auto const after = text.substr(at + 1);
  text = text.substr(0, at);
  return after;
}

std::string_view without_blanks(std::string_view text) {
  auto const first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

int read_count(std::string_view part, std::string_view text, int least, int most, std::string const& what) {
  auto const number = detail::number_in<int>(text);
  if (number && *number >= least && *number <= most) return *number;
  throw_bad_argument(
      "devices", escape_beyond_ascii(part),
      what + " of " + std::to_string(least) + " to " + std::to_string(most) + " in " + grammar);
}

double read_slowdown(std::string_view part, std::string_view text) {
  auto const number = detail::number_in<double>(text);
  if (number && *number >= 1 && *number <= max_slowdown) return *number;
  throw_bad_argument("devices", escape_beyond_ascii(part),
                     std::string("a SLOWDOWN of 1 to 1000 in ") + grammar);
}

device_spec parse_cuda(std::string_view part, std::optional<std::string_view> after_colon) {
  device_spec spec;
  spec.kind = backend::cuda;
  if (!after_colon) return spec;
  auto const multiprocessors = cut(*after_colon, '@');
  spec.index = read_count(part, *after_colon, 0, 1023, "an INDEX");
  if (multiprocessors) spec.multiprocessors = read_count(part, *multiprocessors, 1, 65535, "SMS");
  return spec;
}

device_spec parse_host(std::string_view part, std::optional<std::string_view> cores,
                       std::optional<std::string_view> slowdown) {
  device_spec spec;
  if (cores) spec.cores = read_count(part, *cores, 1, max_cores, "CORES");
  if (slowdown) spec.slowdown = read_slowdown(part, *slowdown);
  return spec;
}

/// "; did you mean cuda:0?" for an entry "gpu:0", whose kind is "gpu".
std::string meant_by(std::string_view part, std::string_view kind) {
  static constexpr std::array<std::string_view, 2> kinds{"cuda", "host"};
  auto near = detail::nearest_words(kinds, kind, 1);
  if (kind == "gpu") near = {kinds[0]};
  if (kind == "cpu") near = {kinds[1]};
  if (near.empty() || near[0] == kind) return {};
  return "; did you mean " + std::string(near[0]) + std::string(part.substr(kind.size())) + "?";
}

device_spec parse_device(std::string_view part) {
  if (part.starts_with("host") && part.find('@') != part.npos)
    throw_bad_argument("devices", escape_beyond_ascii(part),
                       std::string("@SMS for GPUs only, and CORES for CPU cores, in ") + grammar);
  auto kind = part;
  auto const slowdown = cut(kind, '/');
  auto const after_colon = cut(kind, ':');
  if (kind == "cuda" && !slowdown) return parse_cuda(part, after_colon);
  if (kind == "host") return parse_host(part, after_colon, slowdown);
  throw_bad_argument("devices", escape_beyond_ascii(part), grammar + meant_by(part, kind));
}

[[noreturn]] void throw_empty_entry(std::string_view list, std::size_t which) {
  std::string const value =
      "\"" + std::string(list) + "\", whose entry " + std::to_string(which) + " is empty";
  throw_bad_argument("devices", value, grammar);
}

}  // namespace

std::vector<device_spec> parse_devices(std::string_view list) {
  std::vector<device_spec> specs;
  for (std::optional<std::string_view> rest = list; rest;) {
    auto part = *rest;
    rest = cut(part, ',');
    part = without_blanks(part);
    if (part.empty()) throw_empty_entry(list, specs.size() + 1);
    specs.push_back(parse_device(part));
  }
  return specs;
}

std::string to_text(device_spec const& spec) {
  std::string text = spec.kind == backend::cuda ? "cuda" : "host";
  if (spec.kind == backend::cuda && spec.index != spec.all) text += ":" + std::to_string(spec.index);
  if (spec.multiprocessors != 0) text += "@" + std::to_string(spec.multiprocessors);
  if (spec.kind == backend::host && spec.cores != spec.all) text += ":" + std::to_string(spec.cores);
  if (spec.slowdown != 1.0) text += "/" + detail::shortest(spec.slowdown);
  return text;
}

}  // namespace ballast
