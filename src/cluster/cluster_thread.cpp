// SPDX-License-Identifier: Apache-2.0
#include "cluster_thread.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <limits>
#include <string_view>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

constexpr int looks_before_yield = 60, messages_of_a_look = 64;
constexpr std::int64_t yields_for_ns = 1'000'000, naps_short_for_ns = 10'000'000;
/// How long a rank that leaves early tries to send its reason to ranks that may have stopped receiving.
constexpr clock::duration parting = std::chrono::milliseconds(200);
/// The other ranks wait this long for the reason of an exception that ended something here.
constexpr std::int64_t cause_may_follow_ns = 2'000'000'000;
/// The limit for the reason that others receive: MPI sends a message of this size at once.
constexpr std::size_t max_cause_bytes = 2000;
constexpr std::string_view ended_by_exception = "an exception ended its program";
constexpr std::int64_t short_nap_ns = 20'000, long_nap_ns = 200'000;

std::int64_t ns(clock::time_point at) { return std::chrono::nanoseconds(at.time_since_epoch()).count(); }
std::int64_t now() { return ns(clock::now()); }

std::string text_of(clock::duration time) {
  auto const us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  if (us % 1'000'000 == 0) return std::to_string(us / 1'000'000) + " s";
  return us % 1000 == 0 ? std::to_string(us / 1000) + " ms" : std::to_string(us) + " us";
}

cluster_options const& checked(cluster_options const& options) {
  if (options.heartbeat < std::chrono::milliseconds(1))
    throw_bad_argument("heartbeat", text_of(options.heartbeat), "at least 1 ms");
  if (options.lost_after < 3 * options.heartbeat)
    throw_bad_argument("lost_after", text_of(options.lost_after),
                       "at least three heartbeats of " + text_of(options.heartbeat));
  return options;
}

std::string name_of(std::uint32_t rank) { return "rank " + std::to_string(rank); }

/// A post's number has its channel's number from this bit on.
constexpr int channel_shift = 48;

}  // namespace

cluster_thread::cluster_thread(transport_maker make, cluster_options const& options)
    : options_(checked(options)) {
  std::promise<void> made;
  auto is_made = made.get_future();
  auto work = [this, make = std::move(make), &made]() mutable {
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
  };
  thread_ = start_thread("messages of a cluster", std::move(work), "ballast-cluster");
  try {
    is_made.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

cluster_thread::~cluster_thread() {
  if (std::uncaught_exceptions() > exceptions_) {
    auto const hold = lock();
    fail(ended_by_exception);
  }
  if (place_.ranks > 1)
    log_wait("a cluster is destroyed, and the other ranks are to end as well", options_.timeout);
  is_ending_ = true;
  wake();
  thread_.join();
}

std::unique_lock<std::mutex> cluster_thread::lock() {
  process_.check("a cluster or what is open on it");
  ++waiters_;
  std::unique_lock hold(mutex_);
  --waiters_;
  return hold;
}

std::vector<std::uint32_t> cluster_thread::lost() {
  auto const hold = lock();
  std::vector<std::uint32_t> ranks;
  for (auto const& [rank, why] : lost_) ranks.push_back(rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::uint16_t cluster_thread::open(cluster_channel& channel) {
  if (failure_) std::rethrow_exception(failure_);
  if (has_told_own_fault_) throw error("this rank has failed: " + own_fault_);
  if (last_channel_ == 65535)
    throw error("65535 queues were opened on this cluster, which are all there can be");
  tell_left(std::numeric_limits<std::int64_t>::max());
  auto const number = ++last_channel_;
  auto& opening = channels_[number];
  opening.channel = &channel;
  if (++open_channels_ == 1) heartbeats_->begin(now());
  for (auto const& [rank, why] : lost_) channel.lose(rank, why);
  for (auto const& [from, message] : std::exchange(opening.early, {})) deliver(from, message);
  return number;
}

void cluster_thread::skip_channel() {
  if (failure_ || last_channel_ == 65535) return;
  channels_[++last_channel_].early.clear();
  is_unclean_ = true;
  leave(last_channel_, {});
}

void cluster_thread::leave(std::uint16_t channel, std::string_view why) {
  if (has_told_own_fault_) return;
  if (own_fault_.empty()) own_fault_ = why.empty() ? ended_by_exception : why.substr(0, max_cause_bytes);
  if (why.empty())
    left_until_ns_[channel] = now() + cause_may_follow_ns;
  else
    send_all({channel, no_channel}, own_failure(why));
}

void cluster_thread::tell_left(std::int64_t now_ns) {
  std::erase_if(left_until_ns_, [&](auto const& left) {
    if (left.second > now_ns) return false;
    send_all({left.first, no_channel}, own_failure(ended_by_exception));
    return true;
  });
}

void cluster_thread::fail(std::string_view why) {
  if (has_told_own_fault_) return;
  own_fault_ = why.empty() ? ended_by_exception : why.substr(0, max_cause_bytes);
  tell_own_fault();
  fail_channels(std::make_exception_ptr(error("this rank has failed: " + own_fault_)));
  wake();
}

void cluster_thread::tell_own_fault() {
  if (own_fault_.empty() || std::exchange(has_told_own_fault_, true)) return;
  is_unclean_ = true;
  left_until_ns_.clear();
  // If a rank fails because another one did, it first passes on the other rank's reason.
  for (auto const& [rank, why] : lost_) send_all({0, std::uint8_t(kind::lost), 0, rank}, why);
  send_all({0, std::uint8_t(kind::lost), 0, place_.rank}, own_failure(own_fault_));
}

std::string cluster_thread::own_failure(std::string_view why) const {
  return name_of(place_.rank) + " failed: " + std::string(why.substr(0, max_cause_bytes));
}

void cluster_thread::fail_channels(std::exception_ptr const& why) {
  for (auto const& [number, opened] : channels_)
    if (opened.channel != nullptr) opened.channel->fail(why);
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

void cluster_thread::post(std::uint16_t channel, placed_receive what) {
  what.number |= std::uint64_t(channel) << channel_shift;
  transport_->post(std::move(what));
}

std::uint32_t cluster_thread::next_tag() {
  do newest_tag_ = (newest_tag_ + 1) % transport::placed_tags;
  while (!used_tags_.insert(newest_tag_).second);
  return newest_tag_;
}

void cluster_thread::send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) {
  transport_->send_placed(to, tag, bytes);
  has_sent_placed_ = true;
}

void cluster_thread::send_all(envelope const& head, std::string_view text) {
  for (std::uint32_t rank = 0; rank < place_.ranks; ++rank)
    if (rank != place_.rank && !is_lost(rank)) send(rank, head, std::as_bytes(std::span(text)));
}

void cluster_thread::lose(std::uint32_t rank, std::string const& why) {
  if (is_lost(rank)) return;
  lost_.push_back({rank, why});
  heartbeats_->drop(rank, now());
  for (auto const& [number, opened] : channels_)
    if (opened.channel != nullptr) opened.channel->lose(rank, why);
}

void cluster_thread::run() try {
  auto idle_since_ns = now();
  for (int idle_looks = 0; !is_ending_;) {
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
  end();
} catch (...) {
  auto const hold = lock();
  failure_ = std::current_exception();
  fail_channels(failure_);
}

// Yields first and sleeps later, because ranks may share cores: other ranks would wait for this rank's core.
// If each rank had a core, MPI's own waits would suffice.
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
  bool const has_received = receive(time), has_placed = receive_placed();
  look_again_ns = std::numeric_limits<std::int64_t>::max();
  for (auto const& [number, opened] : channels_)
    if (opened.channel != nullptr) look_again_ns = std::min(look_again_ns, opened.channel->step(time));
  beat(time);
  tell_left(time);
  bool const has_sent = flush(time), has_sent_placed = std::exchange(has_sent_placed_, false);
  return has_sent || has_sent_placed || has_received || has_placed;
}

// True if messages other than heartbeats came. Heartbeats alone do not keep the thread awake.
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

bool cluster_thread::receive_placed() {
  bool has_any = false;
  for (int i = 0; i < messages_of_a_look; ++i) {
    auto const number = transport_->next_placed();
    if (!number) break;
    auto const channel = channels_[std::uint16_t(*number >> channel_shift)].channel;
    if (channel != nullptr) channel->hear_of_placed(*number & ((std::uint64_t(1) << channel_shift) - 1));
    has_any = true;
  }
  return has_any;
}

void cluster_thread::deliver(std::uint32_t from, std::span<std::byte const> message) {
  envelope what;
  std::memcpy(&what, message.data(), sizeof what);
  auto const content = message.subspan(sizeof what);
  std::string_view const text(reinterpret_cast<char const*>(content.data()), content.size());
  if (what.channel == 0) return hear(from, what, text);
  auto& to = channels_[what.channel];
  if (what.channel > last_channel_) {
    to.early.emplace_back(from, std::vector(message.begin(), message.end()));
  } else if (to.channel == nullptr) {
    if (to.is_over && what.kind != end_of_channel && to.told.insert(from).second)
      send(from, {what.channel, end_of_channel}, {});
  } else if (what.kind == end_of_channel) {
    to.channel->hear_of_end(from);
  } else if (what.kind == no_channel) {
    to.channel->lose(from, std::string(text));
  } else {
    to.channel->receive(from, what, content);
  }
}

void cluster_thread::hear(std::uint32_t from, envelope const& what, std::string_view text) {
  auto const rank = what.count;
  if (kind(what.kind) == kind::ending || kind(what.kind) == kind::leaving) {
    have_said_[kind(what.kind)].insert(from);
  } else if (kind(what.kind) == kind::lost && rank == place_.rank) {
    is_unclean_ = true;
    fail_channels(std::make_exception_ptr(
        error("the other ranks heard nothing of this one for too long and go on without it")));
  } else if (kind(what.kind) == kind::lost && rank < place_.ranks) {
    lose(rank, std::string(text));
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
    // A rank that only seems to be lost must be notified, if it accepts messages.
    if (!is_lost(to) || messages.empty()) continue;
    waiting_ -= messages.size();
    messages.clear();
  }
  return has_sent;
}

void cluster_thread::beat(std::int64_t now_ns) {
  for (auto const rank : heartbeats_->due(now_ns)) {
    heartbeats_->sent(rank, now_ns);  // or it would count as due until the message has left
    send(rank, {0, std::uint8_t(kind::alive)}, {});
  }
  if (open_channels_ == 0 && !is_ending_) return;
  for (auto const rank : heartbeats_->silent(now_ns)) {
    auto const why = name_of(rank) + " is lost: nothing was heard of it for " + text_of(options_.lost_after);
    send_all({0, std::uint8_t(kind::lost), 0, rank}, why);  // not all ranks watch the lost one
    lose(rank, why);
  }
}

// In a normal end the last message to each rank announces the end: a rank that has received this message from
// all other ranks has received everything. Until all ranks get there they watch each other. Afterwards no
// rank may take longer than `lost_after`.
void cluster_thread::end() {
  tell_own_fault();
  bool const is_clean = !is_unclean_ && lost_.empty();
  auto const until = deadline::in(options_.timeout);
  if (!is_clean || !transport_->ends_together())
    return flush_all(is_clean ? until : deadline::in(std::min(options_.timeout, parting)));
  if (meet(kind::ending, until) &&
      meet(kind::leaving, deadline::in(std::min(options_.timeout, options_.lost_after))))
    return transport_->close();
  if (!lost_.empty())
    write_log(log_level::warning, "the end of a cluster waits for nobody: " + lost_.front().why);
  flush_all(deadline::in(parting));
}

// Sends a word, and waits until all other ranks have sent it. False if they will not.
bool cluster_thread::meet(kind word, deadline until) {
  auto const& others = have_said_[word];
  wait_limit limit(until);
  send_all({0, std::uint8_t(word)});
  while (waiting_ > 0 || others.size() + 1 < place_.ranks) {
    auto const time = now();
    bool const has_received = receive(time);
    if (word == kind::ending) beat(time);
    if (!flush(time) && !has_received) std::this_thread::yield();
    if (!lost_.empty() || is_unclean_) return false;
    if (!limit.passed()) continue;
    write_log(log_level::warning, name_of(place_.rank) + " waited in vain for " +
                                      std::to_string(place_.ranks - 1 - others.size()) +
                                      " other ranks at the end of their cluster");
    return false;
  }
  return true;
}

// Sends the messages that are still due to other ranks.
void cluster_thread::flush_all(deadline until) {
  for (wait_limit limit(until); waiting_ > 0 && !limit.passed();) {
    auto const time = now();
    bool const has_received = receive(time);
    if (!flush(time) && !has_received) std::this_thread::yield();
  }
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
