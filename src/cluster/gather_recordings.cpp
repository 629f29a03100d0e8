// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ballast/cluster.hpp"
#include "cluster_thread.hpp"

namespace ballast {

using namespace detail;
namespace {

enum class gather_kind : std::uint8_t { ask_time, time, piece, complete };

constexpr int round_trips = 8;
constexpr std::size_t max_queued_pieces = 8;
constexpr std::int64_t look_again_ns = 100'000;

std::int64_t steady_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

/// Keeps the name of a count until the process ends, since such names are string literals elsewhere.
std::string_view kept_for_good(std::string const& name) {
  static std::mutex alone;
  static std::set<std::string> names;
  std::lock_guard const hold(alone);
  return *names.insert(name).first;
}

struct recording_writer {
  std::vector<std::byte> bytes;

  template <class Number>
  void operator()(Number& value) requires std::is_arithmetic_v<Number> {
    auto const* const first = reinterpret_cast<std::byte const*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  }
  void operator()(std::string_view const& text) {
    auto size = text.size();
    (*this)(size);
    auto const* const first = reinterpret_cast<std::byte const*>(text.data());
    bytes.insert(bytes.end(), first, first + size);
  }
  void operator()(std::string& text) { (*this)(std::string_view(text)); }
};

struct recording_reader {
  std::span<std::byte const> rest;

  std::byte const* take(std::size_t size) {
    if (size > rest.size()) throw error("the recording of another rank ends too early");
    auto const* const first = rest.data();
    rest = rest.subspan(size);
    return first;
  }
  template <class Number>
  void operator()(Number& value) requires std::is_arithmetic_v<Number> {
    std::memcpy(&value, take(sizeof value), sizeof value);
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text.assign(reinterpret_cast<char const*>(take(size)), size);
  }
  void operator()(std::string_view& text) {
    std::string name;
    (*this)(name);
    text = kept_for_good(name);
  }
};

template <class Pass, class Element, class Each>
void pass_all(Pass& pass, std::vector<Element>& all, Each const& each) {
  auto size = all.size();
  pass(size);
  if constexpr (std::is_same_v<Pass, recording_reader>) {
    if (size > pass.rest.size()) throw error("the recording of another rank has less than it says");
    all.resize(size);
  }
  for (auto& one : all) each(one);
}

/// Writes a recording, or reads one.
template <class Pass>
void pass_recording(Pass& pass, recording& what) {
  pass(what.dropped);
  pass_all(pass, what.devices, [&](std::string& name) { pass(name); });
  pass_all(pass, what.spans, [&](span& one) {
    pass(one.device);
    pass(one.worker);
    pass(one.label);
    pass(one.step);
    pass(one.tasks);
    pass(one.begin_ns);
    pass(one.end_ns);
    pass_all(pass, one.counts, [&](span_count& count) {
      pass(count.name);
      pass(count.value);
    });
  });
}

void append_recording(recording& all, std::uint32_t rank, recording of_rank) {
  auto const first = all.devices.size();
  for (auto const& name : of_rank.devices) all.devices.push_back("rank " + std::to_string(rank) + " " + name);
  for (auto& one : of_rank.spans) {
    one.device += first;
    all.spans.push_back(std::move(one));
  }
  all.dropped += of_rank.dropped;
}

/// Gathers recordings on rank 0: the other ranks compare their clocks with rank 0's, and send their
/// recordings.
class gathering final : public cluster_channel {
 public:
  gathering(cluster& over, recording mine);
  ~gathering() override;

  recording result(deadline until);

  void receive(std::uint32_t from, envelope const& what, std::span<std::byte const> message) override;
  void hear_of_end(std::uint32_t) override { finish(); }
  void lose(std::uint32_t rank, std::string const& why) override;
  std::int64_t step(std::int64_t now_ns) override;
  void fail(std::exception_ptr why) override;

 private:
  bool is_first() const { return thread_->place().rank == 0; }
  void send(std::uint32_t to, gather_kind what, std::span<std::byte const> content, bool has_more = false);
  void ask_time();
  void compare_clocks(std::int64_t theirs_ns);
  void send_mine();
  void note_complete();
  void finish();
  void wait_until(deadline until, auto const& is_met);
  std::string missing() const;

  cluster_thread* thread_;
  next_channel channel_;
  std::uint16_t number_ = 0;
  recording mine_;
  event_count changed_;

  // Guarded by the cluster's lock:
  std::map<std::uint32_t, std::vector<std::byte>> pieces_;
  std::set<std::uint32_t> complete_, lost_;
  std::vector<std::byte> to_send_;
  std::size_t sent_ = 0;
  std::int64_t asked_ns_ = 0, best_trip_ns_ = std::numeric_limits<std::int64_t>::max(), offset_ns_ = 0;
  int trips_ = 0;
  bool is_over_ = false;
  std::exception_ptr failure_;
};

gathering::gathering(cluster& over, recording mine)
    : thread_(&over.thread()), channel_(*thread_), mine_(std::move(mine)) {
  {
    auto const hold = thread_->lock();
    channel_.open(*this);
    number_ = channel_.number();
    if (is_first())
      note_complete();
    else
      ask_time();
  }
  thread_->wake();
}

gathering::~gathering() {
  auto const hold = thread_->lock();
  if (!is_over_ && lost_.empty()) thread_->leave(channel_.number(), {});
  thread_->close(channel_.number(), is_over_, !lost_.empty());
}

void gathering::send(std::uint32_t to, gather_kind what, std::span<std::byte const> content, bool has_more) {
  thread_->send(to, {number_, std::uint8_t(what), std::uint8_t(has_more ? 1 : 0)}, content);
}

void gathering::ask_time() {
  asked_ns_ = steady_ns();
  send(0, gather_kind::ask_time, {});
}

// The shortest of several round trips gives the most exact time at which the other rank read its clock.
void gathering::compare_clocks(std::int64_t theirs_ns) {
  auto const now_ns = steady_ns(), trip_ns = now_ns - asked_ns_;
  if (trip_ns < best_trip_ns_) {
    best_trip_ns_ = trip_ns;
    offset_ns_ = theirs_ns - (asked_ns_ + trip_ns / 2);
  }
  if (++trips_ < round_trips) return ask_time();
  changed_.notify();
}

// Called on the waiting thread, because this is too slow for the cluster's thread.
void gathering::send_mine() {
  for (auto& one : mine_.spans) {
    one.begin_ns += offset_ns_;
    one.end_ns += offset_ns_;
  }
  recording_writer writer;
  pass_recording(writer, mine_);
  {
    auto const hold = thread_->lock();
    to_send_ = std::move(writer.bytes);
  }
  thread_->wake();
}

void gathering::receive(std::uint32_t from, envelope const& what, std::span<std::byte const> message) {
  number_ = what.channel;  // open() may deliver messages before it returns it
  switch (gather_kind(what.kind)) {
    case gather_kind::ask_time: {
      auto const now_ns = steady_ns();
      return send(from, gather_kind::time, std::as_bytes(std::span(&now_ns, 1)));
    }
    case gather_kind::time: {
      recording_reader reader{message};
      std::int64_t theirs_ns = 0;
      reader(theirs_ns);
      return compare_clocks(theirs_ns);
    }
    case gather_kind::piece: {
      auto& of_rank = pieces_[from];
      of_rank.insert(of_rank.end(), message.begin(), message.end());
      if (what.has_more != 0) return;
      complete_.insert(from);
      return note_complete();
    }
    case gather_kind::complete:
      return finish();
  }
}

std::int64_t gathering::step(std::int64_t now_ns) {
  constexpr auto piece = transport::max_message_bytes - sizeof(envelope);
  while (sent_ < to_send_.size()) {
    if (thread_->waiting() >= max_queued_pieces) return now_ns + look_again_ns;
    auto const bytes = std::min(piece, to_send_.size() - sent_);
    send(0, gather_kind::piece, std::span(to_send_).subspan(sent_, bytes), sent_ + bytes < to_send_.size());
    sent_ += bytes;
  }
  return std::numeric_limits<std::int64_t>::max();
}

// On rank 0: ends the gathering once the recordings of all living ranks are complete.
void gathering::note_complete() {
  auto const& place = thread_->place();
  for (std::uint32_t rank = 1; rank < place.ranks; ++rank)
    if (!complete_.contains(rank) && !lost_.contains(rank)) return;
  for (auto const rank : complete_) send(rank, gather_kind::complete, {});
  finish();
}

void gathering::finish() {
  is_over_ = true;
  changed_.notify();
}

void gathering::lose(std::uint32_t rank, std::string const& why) {
  lost_.insert(rank);
  if (is_first() && !is_over_)
    note_complete();
  else if (rank == 0)
    fail(std::make_exception_ptr(
        rank_lost("rank 0 is lost, which gathers what was recorded: " + why, {rank})));
}

void gathering::fail(std::exception_ptr why) {
  if (!failure_) failure_ = why;
  changed_.notify();
}

std::string gathering::missing() const {
  if (!is_first()) return "rank 0 has not got all\n";
  std::string text;
  for (std::uint32_t rank = 1; rank < thread_->place().ranks; ++rank)
    if (!complete_.contains(rank) && !lost_.contains(rank))
      text += "rank " + std::to_string(rank) + " has not sent all that it has\n";
  return text;
}

void gathering::wait_until(deadline until, auto const& is_met) {
  wait_limit limit(until);
  for (auto epoch = changed_.epoch();; epoch = changed_.epoch()) {
    {
      auto const hold = thread_->lock();
      if (is_over_ || is_met()) return;
      if (failure_) std::rethrow_exception(failure_);
      if (limit.passed()) throw timed_out("the recordings of all ranks", missing());
    }
    changed_.wait_past(epoch, until);
  }
}

recording gathering::result(deadline until) {
  if (!is_first()) {
    wait_until(until, [this] { return trips_ == round_trips; });
    send_mine();
  }
  wait_until(until, [] { return false; });
  if (!is_first()) return {};
  recording all;
  append_recording(all, 0, std::move(mine_));
  for (auto const rank : complete_) {
    recording_reader reader{pieces_[rank]};
    recording of_rank;
    pass_recording(reader, of_rank);
    append_recording(all, rank, std::move(of_rank));
  }
  return all;
}

}  // namespace

recording gather_recordings(cluster& over, recording mine, deadline until) {
  return gathering(over, std::move(mine)).result(until);
}

}  // namespace ballast
