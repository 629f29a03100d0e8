// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/replace_file.hpp"
#include "ballast/trace.hpp"

namespace ballast {
namespace {

// Viewers take process 0 for the idle process, and a thread with its process's number for the main thread.
constexpr std::uint64_t first_process = 1, first_thread = 1000;
// Viewers keep thread numbers in 31 bits.
constexpr std::uint64_t first_copy_thread = 900'000'000, first_host_thread = 1'000'000'000;
constexpr std::uint64_t first_graph_thread = 800'000'000;

std::uint64_t process_of(std::size_t device) { return first_process + device; }
std::uint64_t thread_of(std::uint32_t worker) {
  if (worker >= detail::first_graph_worker) return first_graph_thread + (worker - detail::first_graph_worker);
  if (worker >= detail::first_host_worker) return first_host_thread + (worker - detail::first_host_worker);
  if (worker >= detail::first_copy_worker) return first_copy_thread + (worker - detail::first_copy_worker);
  return first_thread + worker;
}
std::string thread_name(std::uint32_t worker) {
  if (worker >= detail::first_graph_worker)
    return fmt::format("graph {}", worker - detail::first_graph_worker);
  if (worker >= detail::first_host_worker) return fmt::format("host {}", worker - detail::first_host_worker);
  if (worker >= detail::first_copy_worker)
    return fmt::format("copies {}", worker - detail::first_copy_worker);
  return fmt::format("worker {}", worker);
}

/// A JSON string; each byte that is not UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    auto const bytes = detail::first_character(text);
    if (bytes == 0)
      result += "\uFFFD";
    else if (text[0] == '"' || text[0] == '\\')
      (result += '\\') += text[0];
    else if (static_cast<unsigned char>(text[0]) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[0]));
    else
      result += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result + '"';
}

/// Nanoseconds as microseconds, exactly.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::int64_t first_begin(std::vector<span> const& spans) {
  auto const first = std::min_element(spans.begin(), spans.end(),
                                      [](auto const& a, auto const& b) { return a.begin_ns < b.begin_ns; });
  return first == spans.end() ? 0 : first->begin_ns;
}

std::string process_names(recording const& what) {
  std::string text;
  for (std::size_t device = 0; device < what.devices.size(); ++device) {
    text += fmt::format(R"({}{{"name":"process_name","ph":"M","pid":{},"args":{{"name":{}}}}})",
                        device == 0 ? "" : ",\n", process_of(device), json_string(what.devices[device]));
    text += fmt::format(
        ",\n"
        R"({{"name":"process_sort_index","ph":"M","pid":{},"args":{{"sort_index":{}}}}})",
        process_of(device), device);
  }
  return text;
}

std::string thread_names(recording const& what) {
  std::set<std::pair<std::size_t, std::uint32_t>> workers;
  for (span const& one : what.spans) workers.emplace(one.device, one.worker);
  std::string text;
  for (auto const& [device, worker] : workers) {
    text += fmt::format(
        ",\n"
        R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
        process_of(device), thread_of(worker), thread_name(worker));
  }
  return text;
}

std::string counts_of(span const& one) {
  std::string text;
  for (auto const& count : one.counts) text += fmt::format(",{}:{}", json_string(count.name), count.value);
  return text;
}

std::string complete_event(span const& one, std::int64_t origin) {
  return fmt::format(
      ",\n"
      R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"tasks":{},"step":{}{}}}}})",
      json_string(one.label), process_of(one.device), thread_of(one.worker),
      microseconds(one.begin_ns - origin), microseconds(one.end_ns - one.begin_ns), one.tasks, one.step,
      counts_of(one));
}

using span_path = std::vector<span const*>;

/// The spans of each critical path of a device, in the order in which they begin.
std::map<std::pair<std::size_t, std::uint64_t>, span_path> critical_paths(std::vector<span> const& spans) {
  std::map<std::pair<std::size_t, std::uint64_t>, span_path> found;
  for (span const& one : spans)
    for (auto const& count : one.counts)
      if (count.name == detail::critical_path) found[{one.device, count.value}].push_back(&one);
  for (auto& [key, all] : found) std::ranges::stable_sort(all, {}, &span::begin_ns);
  return found;
}

/// The events of an arrow from span to span.
std::string arrows(span_path const& along, std::size_t id, std::int64_t origin) {
  std::string text;
  for (span const* const one : along) {
    auto const* const end = one == along.front()  ? R"("s")"
                            : one == along.back() ? R"("f","bp":"e")"
                                                  : R"("t")";
    text += fmt::format(
        ",\n"
        R"({{"name":"critical path","cat":"graph","ph":{},"id":{},"pid":{},"tid":{},"ts":{}}})",
        end, id, process_of(one->device), thread_of(one->worker), microseconds(one->begin_ns - origin));
  }
  return text;
}

}  // namespace

void detail::write_chrome_trace(std::ostream& out, recording const& what) {
  out << fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"dropped_spans":"{}"}},"traceEvents":[)",
                     what.dropped)
      << '\n'
      << process_names(what) << thread_names(what);
  std::int64_t const origin = first_begin(what.spans);
  for (span const& one : what.spans) out << complete_event(one, origin);
  std::size_t id = 0;
  for (auto const& [key, along] : critical_paths(what.spans)) out << arrows(along, ++id, origin);
  out << "\n]}\n";
}

void save_chrome_trace(std::filesystem::path const& path, recording const& what) {
  replace_file(path, [&what](std::ostream& out) { detail::write_chrome_trace(out, what); });
}

}  // namespace ballast
