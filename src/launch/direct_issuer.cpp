// SPDX-License-Identifier: Apache-2.0
#include "direct_issuer.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

// If hardware queues are few, a launch that waits in one for its predecessor holds up all launches after it
// (Wende, Cordes, Steinke 2012, equation 1): this needs no trial.
constexpr std::uint32_t enough_connections = 8, many_connections = 32;

std::uint32_t streams_for(compute_device const& device, launch_options const& options) {
  return options.streams != 0 ? options.streams : device.capabilities().streams;
}

std::uint32_t connections_of(compute_device const& device) {
  return std::min<std::uint32_t>(device.capabilities().connections, max_streams);
}

bool is_resident(launch_options const& options) { return options.order == "resident"; }

/// True if threads that wait for each of their launches are served at once. Not so on cores, where merging
/// concurrent launches costs less, nor with a key, which may put other launches first.
bool serves_awaited(compute_device const& device, launch_options const& options) {
  return !device.capabilities().prefers_merging && options.order == "adaptive" && options.key == "fifo";
}

launch_placement::rules rules_of(launch_options const& options, std::uint32_t connections) {
  return {.waits_on_device =
              connections >= many_connections && direct_dispatch_of(options.order) != direct_dispatch::never,
          .follows_others = connections >= enough_connections && options.order != "held"};
}

/// Makes the rings for these options. By default null if a resident kernel already runs, which may run as
/// long as the queue.
std::unique_ptr<ordered_rings> make_rings(std::shared_ptr<compute_device> const& device,
                                          mergeable_kernels const& kernels, launch_options const& options,
                                          event_count& wake_event) {
  bool const is_traced = bool(options.trace_to);
  if (is_resident(options)) return ordered_rings::make(device, kernels, ring_use::all, wake_event, is_traced);
  if (!options.rings || !serves_awaited(*device, options) || device->has_resident()) return nullptr;
  try {
    return ordered_rings::make(device, kernels, ring_use::short_ones, wake_event, is_traced);
  } catch (no_room const&) { return nullptr; }
}

/// The dispatch modes from which the mode selector chooses. Only the default order has several, and not on
/// CPU cores, where merging was the fastest in every load tried (docs/decisions/0029).
std::vector<dispatch_mode> modes_of(compute_device const& device, launch_options const& options,
                                    std::uint32_t connections, bool has_rings) {
  bool const merges_anyway = device.capabilities().prefers_merging && options.merge != "none";
  if (is_resident(options)) return {dispatch_mode::resident};
  if (merges_anyway || options.order != "adaptive" || !options.filter_merges) return {dispatch_mode::queued};
  std::vector modes{dispatch_mode::queued};
  if (connections >= enough_connections) modes.push_back(dispatch_mode::direct);
  if (has_rings) modes.push_back(dispatch_mode::resident);
  return modes;
}

std::string name_of_queue(kernel_set const* set, compute_device const& device) {
  return "launch queue" + (set == nullptr ? "" : " of " + set->name()) + " on " + device.name();
}

}  // namespace

dispatch_parts::dispatch_parts(std::shared_ptr<compute_device> on, kernel_set const* set,
                               launch_options const& options, dispatcher* owner, event_count& wake_event)
    : device(std::move(on)),
      kernels(set),
      connections(connections_of(*device)),
      order(direct_dispatch_of(options.order)),
      has_merge_policy(options.merge != "none"),
      looks_for_awaited(serves_awaited(*device, options)),
      streams(device, streams_for(*device, options)),
      has_queue_for_each(connections >= streams.size()),
      lines(owner, device, options.timeout, name_of_queue(set, *device)),
      placement(lines.fence(), rules_of(options, connections)),
      table(*device, kernels),
      issuer(*device, streams, table, counts, wake_event, bool(options.trace_to)),
      rings(make_rings(device, kernels, options, wake_event)),
      trial(modes_of(*device, options, connections, rings != nullptr)) {}

struct direct_issuer::new_launch : asked_launch {
  direct_issuer const& by;
  bool was_awaited = false;

  direct_dispatch order() const { return parts.order; }
  bool may_issue() const { return line.submitted() == line.issued() && parts.gate.is_open(); }
  bool is_awaited() { return was_awaited = parts.looks_for_awaited && line.is_awaited_each_time(); }
  bool may_be_issued_behind() const {
    return !work.has_dependencies() || parts.placement.can_wait_on_device(work);
  }
  bool is_alone() const { return by.is_alone(line, work); }
};

bool direct_issuer::issue(launch_stream_state& line, submission& work) {
  new_launch launch{{parts_, line, work}, *this};
  auto way = launch_way::plan;
  completion_events events;
  std::uint32_t place = 0;
  try {
    way = way_of_new(launch);
    if (way == launch_way::ring && !parts_.rings->put(line, work, launch.was_awaited)) return false;
    if (way == launch_way::direct) {
      place = stream_for(line);
      parts_.issuer.record_events_before(work, parts_.streams[place], events);
    }
  } catch (...) { return false; }  // the dispatcher's thread will see the error
  if (way == launch_way::ring) return note_put(line);
  return way == launch_way::direct && issue_on_stream(line, work, place, events);
}

/// Has the launch that was put into the stream's ring carried out.
bool direct_issuer::note_put(launch_stream_state const& line) {
  auto& rings = *parts_.rings;
  rings.count_direct(line);
  if (rings.is_running()) {
    thread_.wake_if_idle();
  } else {
    rings.start_if_idle();
    thread_.wake();
  }
  return true;
}

/// False if the stream is full, or in use.
bool direct_issuer::issue_on_stream(launch_stream_state& line, submission& work, std::uint32_t place,
                                    completion_events const& events) {
  auto& target = parts_.streams[place];
  std::unique_lock const hold(target.mutex(), std::try_to_lock);
  if (!hold || target.is_full()) return false;
  bool const must_be_first =
      parts_.order == direct_dispatch::where_better && parts_.mode() != dispatch_mode::direct;
  if (must_be_first && !line.is_in_flight() && target.in_flight() != 0) return false;
  try {
    parts_.issuer.issue_directly(target, line, work, events);
  } catch (...) {
    line.fail(std::current_exception(), !is_sound());
    return true;
  }
  parts_.leave_ring(line);
  line.mark_issued(place, 1);
  target.mark_issued();
  note_lone(line.number());
  thread_.wake_if_idle();
  return true;
}

/// The stream that has the launch stream's launches, else its own. If the order does not require a particular
/// stream: another one without launches.
std::uint32_t direct_issuer::stream_for(launch_stream_state const& line) const {
  auto const streams = parts_.streams.size();
  auto const own = line.number() % streams;
  if (line.is_in_flight()) return line.stream_index();
  if (parts_.order == direct_dispatch::always) return own;
  for (std::uint32_t i = 0; i < streams; ++i)
    if (parts_.streams.in_flight((own + i) % streams) == 0) return (own + i) % streams;
  return own;
}

bool direct_issuer::is_sound() {
  try {
    parts_.device->check();
    return true;
  } catch (...) { return false; }
}

/// True if this launch stream may issue its launch itself: no other has launches in flight or waiting, and
/// its own last launch has ended or may be followed. If hardware queues are shared, successive launches may
/// block the next launch stream; and a launch that waits for its predecessor may be merged with later ones.
/// Launch streams that begin together all find nothing in flight; if each issued its own launch, each would
/// continue in a stream of its own, and none would be merged.
bool direct_issuer::is_alone(launch_stream_state const& line, submission const& work) const {
  bool const may_merge = parts_.merges() && work.kernel() != nullptr;
  bool const may_follow_own = parts_.has_queue_for_each && !may_merge;
  auto const own = may_follow_own ? line.issued() - line.finished() : 0;
  return lone_line_.load(std::memory_order_relaxed) == line.number() && parts_.counts.in_flight() == own &&
         !anyone_waits_.load(std::memory_order_relaxed) && parts_.inbox.is_empty();
}

}  // namespace ballast::detail
