// SPDX-License-Identifier: Apache-2.0
#include "cluster_thread.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <limits>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

constexpr int looks_before_yield = 60, messages_of_a_look = 64;
constexpr std::int64_t yields_for_ns = 1'000'000, naps_short_for_ns = 10'000'000;
/// So long a rank that leaves before the end tries to say so to others, which may take nothing any more.
constexpr clock::duration parting = std::chrono::milliseconds(200);
constexpr std::int64_t short_nap_ns = 20'000, long_nap_ns = 200'000;

std::int64_t ns(clock::time_point at) { return std::chrono::nanoseconds(at.time_since_epoch()).count(); }
std::int64_t now() { return ns(clock::now()); }

cluster_options const& checked(cluster_options const& options) {
  auto const ms = [](clock::duration of) { return std::chrono::duration<double, std::milli>(of).count(); };
  if (options.heartbeat < std::chrono::milliseconds(1))
    throw_bad_argument("heartbeat", ms(options.heartbeat), "at least 1 ms");
  if (options.lost_after < 3 * options.heartbeat)
    throw_bad_argument("lost_after", ms(options.lost_after),
                       "at least three heartbeats of " + std::to_string(ms(options.heartbeat)) + " ms");
  return options;
}

}  // namespace

cluster_thread::cluster_thread(transport_maker make, cluster_options const& options)
    : options_(checked(options)) {
  std::promise<void> made;
  auto is_made = made.get_future();
  thread_ = start_thread("messages of a cluster", [this, make = std::move(make), &made]() mutable {
    try {
      transport_ = make();
      place_ = transport_->place();
      description_ = transport_->describe();
      heartbeats_.emplace(place_.rank, place_.ranks, std::chrono::nanoseconds(options_.heartbeat).count(),
                          std::chrono::nanoseconds(options_.lost_after).count(), now());
    } catch (...) {
      transport_.reset();
      made.set_exception(std::current_exception());
      return;
    }
    made.set_value();
    run();
    transport_.reset();
  });
  try {
    is_made.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

cluster_thread::~cluster_thread() {
  is_leaving_ = true;
  wake();
  thread_.join();
}

std::unique_lock<std::mutex> cluster_thread::lock() {
  ++waiters_;
  std::unique_lock hold(mutex_);
  --waiters_;
  return hold;
}

std::vector<std::uint32_t> cluster_thread::lost() {
  auto const hold = lock();
  return {lost_.begin(), lost_.end()};
}

std::uint16_t cluster_thread::open(cluster_channel& channel) {
  if (failure_) std::rethrow_exception(failure_);
  if (last_channel_ == 65535)
    throw error("65535 queues were opened on this cluster, which are all there can be");
  auto const number = ++last_channel_;
  auto& opening = channels_[number];
  opening.channel = &channel;
  if (++open_channels_ == 1) heartbeats_->begin(now());
  for (auto const rank : lost_) channel.lose(rank);
  for (auto const& [from, message] : std::exchange(opening.early, {})) deliver(from, message);
  return number;
}

void cluster_thread::skip_channel() {
  if (failure_ || last_channel_ == 65535) return;
  channels_[++last_channel_].early.clear();
  is_unclean_ = true;
  for (std::uint32_t rank = 0; rank < place_.ranks; ++rank)
    if (rank != place_.rank) send(rank, {last_channel_, no_channel}, {});
}

void cluster_thread::close(std::uint16_t channel, bool is_over, bool has_losses) {
  auto& closing = channels_[channel];
  closing.channel = nullptr;
  closing.is_over = is_over;
  is_unclean_ = is_unclean_ || !is_over || has_losses;
  --open_channels_;
}

void cluster_thread::send(std::uint32_t to, std::vector<std::byte> message) {
  outbox_[to].push_back(std::move(message));
  ++waiting_;
}

void cluster_thread::send(std::uint32_t to, envelope const& head, std::span<std::byte const> content) {
  auto const first = std::as_bytes(std::span(&head, 1));
  std::vector<std::byte> message(first.begin(), first.end());
  message.insert(message.end(), content.begin(), content.end());
  send(to, std::move(message));
}

void cluster_thread::lose(std::uint32_t rank) {
  if (!lost_.insert(rank).second) return;
  heartbeats_->drop(rank, now());
  for (auto const& [number, opened] : channels_)
    if (opened.channel != nullptr) opened.channel->lose(rank);
}

void cluster_thread::run() try {
  auto idle_since_ns = now();
  for (int idle_looks = 0; !is_leaving_;) {
    auto const epoch = awake_.epoch();
    std::int64_t look_again_ns = 0;
    if (look(look_again_ns)) {
      idle_looks = 0;
      idle_since_ns = now();
    } else if (++idle_looks > looks_before_yield) {
      rest(epoch, idle_since_ns, look_again_ns);
    }
    while (waiters_ > 0) std::this_thread::yield();
  }
  leave();
} catch (...) {
  auto const hold = lock();
  failure_ = std::current_exception();
  for (auto const& [number, opened] : channels_)
    if (opened.channel != nullptr) opened.channel->fail(failure_);
}

// Ranks may share cores, and then others wait for this one's: with a core for each, MPI's own waits would do.
void cluster_thread::rest(std::uint64_t epoch, std::int64_t idle_since_ns, std::int64_t look_again_ns) {
  auto const time = now();
  auto const idle_ns = time - idle_since_ns;
  if (idle_ns < yields_for_ns) {
    std::this_thread::yield();
    return;
  }
  auto const nap_ns = idle_ns < naps_short_for_ns ? short_nap_ns : long_nap_ns;
  auto const until_ns = std::min(time + nap_ns, std::max(look_again_ns, time));
  awake_.wait_past(epoch, clock::time_point(std::chrono::nanoseconds(until_ns)));
}

bool cluster_thread::is_heartbeat(std::span<std::byte const> message) {
  envelope head;
  if (message.size() != sizeof head) return false;
  std::memcpy(&head, message.data(), sizeof head);
  return head.channel == 0 && kind(head.kind) == kind::alive;
}

bool cluster_thread::look(std::int64_t& look_again_ns) {
  std::lock_guard const hold(mutex_);
  auto const time = now();
  bool const has_received = receive(time);
  look_again_ns = std::numeric_limits<std::int64_t>::max();
  for (auto const& [number, opened] : channels_)
    if (opened.channel != nullptr) look_again_ns = std::min(look_again_ns, opened.channel->step(time));
  beat(time);
  return flush(time) || has_received;
}

// Whether there is more to do than to know who lives, for which nobody stays awake.
bool cluster_thread::receive(std::int64_t now_ns) {
  bool has_news = false;
  for (int messages = 0; messages < messages_of_a_look; ++messages) {
    auto const message = transport_->receive();
    if (!message) return has_news;
    heartbeats_->heard(message->from, now_ns);
    has_news = has_news || !is_heartbeat(message->bytes);
    if (message->bytes.size() >= sizeof(envelope)) deliver(message->from, message->bytes);
  }
  return true;
}

void cluster_thread::deliver(std::uint32_t from, std::span<std::byte const> message) {
  envelope what;
  std::memcpy(&what, message.data(), sizeof what);
  if (what.channel == 0) {
    if (kind(what.kind) == kind::leaving) {
      left_.insert(from);
      heartbeats_->drop(from, now());
    }
    return;
  }
  auto& to = channels_[what.channel];
  if (what.channel > last_channel_) {
    to.early.emplace_back(from, std::vector(message.begin(), message.end()));
  } else if (to.channel == nullptr) {
    if (to.is_over && what.kind != end_of_channel && to.told.insert(from).second)
      send(from, {what.channel, end_of_channel}, {});
  } else if (what.kind == end_of_channel) {
    to.channel->hear_of_end(from);
  } else if (what.kind == no_channel) {
    to.channel->lose(from);
  } else {
    to.channel->receive(from, what, message.subspan(sizeof what));
  }
}

bool cluster_thread::flush(std::int64_t now_ns) {
  bool has_sent = false;
  for (auto& [to, messages] : outbox_) {
    if (messages.empty()) continue;
    for (auto room = transport_->room_for(to); room > 0 && !messages.empty(); --room) {
      transport_->send(to, messages.front());
      has_sent = has_sent || !is_heartbeat(messages.front());
      messages.pop_front();
      --waiting_;
      heartbeats_->sent(to, now_ns);
    }
    // A rank that only seems to be lost is to hear so, if it takes messages.
    if (!lost_.contains(to) || messages.empty()) continue;
    waiting_ -= messages.size();
    messages.clear();
  }
  return has_sent;
}

void cluster_thread::beat(std::int64_t now_ns) {
  for (auto const rank : heartbeats_->due(now_ns)) {
    heartbeats_->sent(rank, now_ns);  // or it would be due again until the message has left
    send(rank, {0, std::uint8_t(kind::alive)}, {});
  }
  if (open_channels_ == 0) return;
  for (auto const rank : heartbeats_->silent(now_ns)) lose(rank);
}

// What others are to hear still leaves. If all goes well the last message to each rank says so: who has it
// from all has all that was sent to it.
void cluster_thread::leave() {
  bool const is_clean = !is_unclean_ && lost_.empty();
  bool const waits = is_clean && transport_->ends_together();
  for (std::uint32_t rank = 0; waits && rank < place_.ranks; ++rank)
    if (rank != place_.rank) send(rank, {0, std::uint8_t(kind::leaving)}, {});
  auto const until = deadline::in(is_clean ? options_.timeout : std::min(options_.timeout, parting));
  while (waiting_ > 0 || (waits && left_.size() + 1 < place_.ranks)) {
    auto const time = now();
    bool const has_received = receive(time);
    if (!flush(time) && !has_received) std::this_thread::yield();
    if (!until.passed()) continue;
    if (waits)
      write_log(log_level::warning, "rank " + std::to_string(place_.rank) + " waited in vain for " +
                                        std::to_string(place_.ranks - 1 - left_.size()) +
                                        " other ranks at the end of their cluster");
    return;
  }
  if (waits) transport_->close();
}

next_channel::~next_channel() {
  if (number_ != 0) return;
  {
    auto const hold = thread_->lock();
    thread_->skip_channel();
  }
  thread_->wake();
}

}  // namespace ballast::detail
