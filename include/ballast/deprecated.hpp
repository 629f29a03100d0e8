// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Names of ballast 0.1, for programs that were written with them: they go with the release after 0.2.
/// Options and members that were renamed have no second name; docs/renamed.md lists them all.

#include "ballast/arguments.hpp"
#include "ballast/ballast.hpp"
#include "ballast/replace_file.hpp"

namespace ballast {

using compiled_kernels [[deprecated("is called kernel_set")]] = kernel_set;
using launch_kernels [[deprecated("is called kernel_set")]] = kernel_set;
using job_kernels [[deprecated("is called kernel_set")]] = kernel_set;
using deadline_passed [[deprecated("is called timed_out")]] = timed_out;
using device_facts [[deprecated("is called device_properties")]] = device_properties;
using ticket [[deprecated("is called completion")]] = completion;
using backlog_ticket [[deprecated("is called completion")]] = completion;
using launch_ticket [[deprecated("is called completion")]] = completion;
using job_ticket [[deprecated("is called completion")]] = completion;
using queue_stopped [[deprecated("is called stopped")]] = stopped;
using doorbell [[deprecated("is called event_count")]] = event_count;
using feed_policy_entry [[deprecated("is called named_policy")]] = named_policy;
using operation_note [[deprecated("is called journal_entry")]] = journal_entry;
using producer [[deprecated("is called launch_stream")]] = launch_stream;
using producer_options [[deprecated("is called launch_stream_options")]] = launch_stream_options;
template <kernel_form K>
using by_reference [[deprecated("is called indirect")]] = indirect<K>;

[[deprecated("is called max_streams")]] inline constexpr std::uint32_t most_streams = max_streams;
[[deprecated("is called max_blocks_per_task")]] inline constexpr std::uint32_t most_blocks_per_task =
    max_blocks_per_task;

[[deprecated("is called grid_task")]] inline task spread(task whole) { return grid_task(std::move(whole)); }

template <class Value>
[[deprecated("is called throw_bad_argument"), noreturn]] void refuse_argument(std::string_view argument,
                                                                              Value value,
                                                                              std::string_view legal) {
  throw_bad_argument(argument, value, legal);
}
template <std::integral Number>
[[deprecated("is called parse_integer")]] Number whole_number(std::string_view argument,
                                                              std::string_view text, Number min, Number max) {
  return parse_integer(argument, text, min, max);
}
[[deprecated("is called index_among")]] inline std::size_t place_among(
    std::span<std::string_view const> legal, std::string_view argument, std::string_view word) {
  return index_among(legal, argument, word);
}
[[deprecated("is called check_replaceable")]] inline void require_replaceable(
    std::filesystem::path const& path) {
  check_replaceable(path);
}
[[deprecated("is called request_connections")]] inline bool ask_for_connections(std::uint32_t count) {
  return request_connections(count);
}
[[deprecated("is called process_connections")]] inline hardware_connections connections_of_this_process() {
  return process_connections();
}

}  // namespace ballast
