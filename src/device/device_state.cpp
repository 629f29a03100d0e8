// SPDX-License-Identifier: Apache-2.0
#include "device_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/error.hpp"
#include "device_choice.hpp"

namespace ballast::detail {
namespace {

std::string describe_blocks(std::uint32_t blocks, std::uint32_t per_multiprocessor) {
  auto const text = counted(blocks, "block");
  return per_multiprocessor == 1 ? text : text + ", " + std::to_string(per_multiprocessor) + " to an SM";
}

std::string describe_wish(resident_request const& request) {
  auto const text = describe_blocks(request.min_blocks, request.blocks_per_multiprocessor);
  return request.min_blocks == request.blocks ? text : "at least " + text;
}

void check(resident_request const& request) {
  if (request.blocks_per_multiprocessor == 0)
    throw_bad_argument("blocks_per_multiprocessor", 0, "at least 1");
  if (request.min_blocks == 0 || request.min_blocks > request.blocks)
    throw_bad_argument("min_blocks", request.min_blocks, "1 to " + std::to_string(request.blocks));
}

constexpr auto max_wait_for_yielding = std::chrono::seconds(10);

/// True if both may share multiprocessors.
bool may_overlap(resident_claimant one, resident_claimant other) {
  return one == other || one.split != other.split;
}

constexpr char connections_variable[] = "CUDA_DEVICE_MAX_CONNECTIONS";

bool is_legal(std::uint32_t count) { return count >= 1 && count <= 32; }

hardware_connections read_variable() {
  auto const text = environment(connections_variable);
  auto const count = text ? number_in<std::uint32_t>(*text) : std::nullopt;
  if (!count || !is_legal(*count)) return {};
  return {*count, true};
}

connection_setting& process_setting() {
  static connection_setting setting;
  return setting;
}

}  // namespace

fault_record::fault_record(std::string device) : device_(std::move(device)) {}

void fault_record::record(std::string cause) {
  std::lock_guard const hold(mutex_);
  if (lost()) return;
  cause_ = std::move(cause);
  lost_.store(true, std::memory_order_release);
}

void fault_record::check() const {
  if (lost()) throw device_lost(device_, cause_);
  if (is_in_forked_child())
    throw error("device " + device_ +
                " was opened before fork(): it is the parent's, open devices anew here");
}

resident_room resident_claims::claim(resident_place const& place, resident_request const& request) {
  check(request);
  std::unique_lock hold(mutex_);
  if (request.yields)
    require_nobody_waits(place, request);
  else
    await_yielding(hold, place.who);
  require_no_overlap(place, request);
  auto const each = request.blocks_per_multiprocessor;
  auto const left = left_for(place, request);
  if (left < request.min_blocks)
    throw no_room("no room for " + request.holder + " on " + std::string(place.device) + ": it wants " +
                  describe_wish(request) + ", and there is room for " + std::to_string(left) +
                  (held_.empty() ? "" : " beside " + list_of(place.who, {})));
  auto const spared = std::min(left, std::uint64_t(request.spared_multiprocessors) * each);
  auto const most = std::max<std::uint64_t>(left - spared, request.min_blocks);
  resident_room const room{last_id_ + 1, std::uint32_t(std::min<std::uint64_t>(most, request.blocks))};
  held_.push_back({place.who, std::string(place.device), room, request});
  ++last_id_;
  return room;
}

/// Waits until no yielding holder is in the way, at most max_wait_for_yielding. A holder that stays longer
/// blocks the request as any other does.
void resident_claims::await_yielding(std::unique_lock<std::mutex>& hold, resident_claimant who) {
  auto const is_in_the_way = [&](held const& one) { return one.asked.yields && may_overlap(one.who, who); };
  auto const have_left = [&] { return std::ranges::none_of(held_, is_in_the_way); };
  if (have_left()) return;
  waiting_.push_back(who);
  wait_until(released_, hold, deadline::in(max_wait_for_yielding), have_left);
  waiting_.erase(std::ranges::find(waiting_, who));
}

void resident_claims::require_nobody_waits(resident_place const& place,
                                           resident_request const& request) const {
  if (std::ranges::any_of(waiting_, [&](auto const& who) { return may_overlap(who, place.who); }))
    throw no_room("no room for " + request.holder + " on " + std::string(place.device) +
                  ": others wait for it, to which it yields");
}

void resident_claims::release(resident_room const& room) noexcept {
  {
    std::lock_guard const hold(mutex_);
    std::erase_if(held_, [&](held const& one) { return one.room.id == room.id; });
  }
  released_.notify_all();
}

bool resident_claims::any() const noexcept {
  std::lock_guard const hold(mutex_);
  return std::ranges::any_of(held_, [](held const& one) { return !one.asked.yields; });
}

std::string resident_claims::holders(resident_claimant asking, std::span<resident_room const> except) const {
  std::lock_guard const hold(mutex_);
  return list_of(asking, except);
}

std::uint64_t resident_claims::held::cost_to(std::uint32_t places) const {
  auto const each = asked.blocks_per_multiprocessor;
  return std::uint64_t(room.blocks) * ((places + each - 1) / each);
}

std::string resident_claims::held::describe() const {
  return asked.holder + " (" + describe_blocks(room.blocks, asked.blocks_per_multiprocessor) + ")";
}

void resident_claims::require_no_overlap(resident_place const& place, resident_request const& request) const {
  auto const overlaps = [&](held const& other) { return other.who.split != place.who.split; };
  if (std::ranges::none_of(held_, overlaps)) return;
  throw no_room("no room for " + request.holder + " on " + std::string(place.device) + " beside " +
                list_of(place.who, {}) +
                ": the whole GPU and parts of it that other calls opened may have SMs in common");
}

std::uint64_t resident_claims::cost_to(std::uint32_t places, resident_claimant who) const {
  std::uint64_t sum = 0;
  for (auto const& one : held_)
    if (one.who == who) sum += one.cost_to(places);
  return sum;
}

/// Whether, with the request, two or more kernels leave each other fewer places.
bool resident_claims::are_fragmented(resident_claimant who, resident_request const& request) const {
  auto const held_ones = std::ranges::count_if(
      held_, [&](held const& one) { return one.who == who && one.asked.fragmented_blocks != 0; });
  return held_ones + (request.fragmented_blocks != 0 ? 1 : 0) > 1;
}

/// The number of the request's blocks that fit without displacing blocks of held claims.
std::uint64_t resident_claims::left_for(resident_place const& place, resident_request const& request) const {
  bool const fragmented = are_fragmented(place.who, request);
  auto const left_of = [&](resident_request const& one) {
    auto const each = one.blocks_per_multiprocessor, lost = fragmented ? one.fragmented_blocks : 0;
    auto const all = std::uint64_t(each - std::min(lost, each - 1)) * place.multiprocessors;
    return all - std::min(all, cost_to(each, place.who));
  };
  auto const places = request.blocks_per_multiprocessor;
  auto left = left_of(request);
  for (auto const& one : held_) {
    if (one.who != place.who || one.asked.starts_first) continue;
    auto const cost = (one.asked.blocks_per_multiprocessor + places - 1) / places;
    left = std::min(left, left_of(one.asked) / cost);
  }
  return left;
}

/// Describes the holders, those of the asking device first.
std::string resident_claims::list_of(resident_claimant asking, std::span<resident_room const> except) const {
  std::string own, others;
  for (auto const& one : held_) {
    if (std::ranges::find(except, one.room.id, &resident_room::id) != except.end()) continue;
    bool const is_own = one.who == asking;
    auto& text = is_own ? own : others;
    text += (text.empty() ? "" : ", ") + one.describe() + (is_own ? "" : " on " + one.device);
  }
  return own + (own.empty() || others.empty() ? "" : ", ") + others;
}

hardware_connections connection_setting::current() const {
  std::lock_guard const hold(mutex_);
  return at_first_use_ ? *at_first_use_ : read_variable();
}

bool connection_setting::request(std::uint32_t count) {
  if (!is_legal(count)) throw_bad_argument("count", count, "1 to 32 hardware connections");
  std::lock_guard const hold(mutex_);
  if (at_first_use_ || environment(connections_variable)) return false;
  return setenv(connections_variable, std::to_string(count).c_str(), 1) == 0;
}

void connection_setting::record_first_use() {
  std::lock_guard const hold(mutex_);
  if (!at_first_use_) at_first_use_ = read_variable();
}

void record_first_cuda_use() { process_setting().record_first_use(); }

}  // namespace ballast::detail

ballast::hardware_connections ballast::process_connections() { return detail::process_setting().current(); }

bool ballast::request_connections(std::uint32_t count) { return detail::process_setting().request(count); }
