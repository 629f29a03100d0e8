// SPDX-License-Identifier: Apache-2.0
#include "launch_trace.hpp"

#include <algorithm>
#include <ranges>

#include "ballast/detail/base/host_waits.hpp"

namespace ballast::detail {

void launch_content::add_kernel(std::string_view name) {
  if (kernel.empty()) kernel = name;
  has_others |= kernel != name;
  ++kernels;
}

std::string launch_content::label() const {
  if (is_graph) return "graph: " + std::to_string(kernels) + " plain launches";
  if (kernel.empty()) return "plain launch";
  if (kernels < 2) return std::string(kernel);
  return "merged: " + std::to_string(kernels) + " kernels of " + std::string(kernel) +
         (has_others ? " and others" : "");
}

std::vector<span> spans_of_stream(std::vector<ended_launch> const& ended, std::int64_t free_from_ns,
                                  std::int64_t seen_ns) {
  std::vector<span> spans;
  auto end_ns = std::max(seen_ns, free_from_ns);
  for (auto const& one : std::views::reverse(ended)) {
    auto const told_ns = one.device_ns > 0 ? end_ns - one.device_ns : one.issued_ns;
    auto const begin_ns = std::min(end_ns, std::max(told_ns, free_from_ns));
    spans.push_back(
        {.label = one.what.label(), .tasks = one.what.kernels, .begin_ns = begin_ns, .end_ns = end_ns});
    end_ns = begin_ns;
  }
  std::ranges::reverse(spans);
  return spans;
}

// A failure to record must not end the dispatcher's thread.
void launch_trace::record(std::uint32_t stream, std::vector<ended_launch> const& ended) noexcept {
  if (ended.empty()) return;
  auto const seen_ns = std::int64_t(steady_now_ns());
  try {
    auto spans = spans_of_stream(ended, free_from_ns_[stream], seen_ns);
    for (auto& one : spans) one.worker = stream;
    to_.record(std::move(spans));
  } catch (...) { to_.count_dropped(ended.size()); }
  free_from_ns_[stream] = seen_ns;
}

}  // namespace ballast::detail
