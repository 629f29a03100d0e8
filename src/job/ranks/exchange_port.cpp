// SPDX-License-Identifier: Apache-2.0
#include "ranks/exchange_port.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

/// The most messages that wait to be sent. More would only use memory: the thread of the messages asks for
/// further ones when these have left.
constexpr std::size_t max_waiting_messages = 16;
/// Ranks compare steps when nothing else is to be sent, or when this many are unreported.
constexpr std::size_t max_untold_steps = 64;
constexpr std::size_t max_step_text = 4000;  // so that a message holds several
/// Memory for another exchange is posted only while fewer messages of 256 KiB than this are.
constexpr std::size_t max_posted = 1024;

std::span<std::byte const> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string_view text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

}  // namespace

void program_check::add(std::string text) {
  if (text.size() > max_step_text) text.resize(max_step_text);
  std::ranges::replace(text, '\n', ' ');
  untold_.push_back(text);
  own_.push_back(std::move(text));
  compare();
}

std::string program_check::take_untold(std::size_t most_bytes) {
  std::string told;
  while (!untold_.empty() && (told.empty() || told.size() + untold_.front().size() < most_bytes)) {
    told += untold_.front() + '\n';
    untold_.pop_front();
  }
  return told;
}

void program_check::hear(std::string_view told) {
  for (auto end = told.find('\n'); end != told.npos; end = told.find('\n')) {
    heard_.emplace_back(told.substr(0, end));
    told.remove_prefix(end + 1);
  }
  compare();
}

void program_check::compare() {
  for (; !own_.empty() && !heard_.empty(); own_.pop_front(), heard_.pop_front()) {
    ++compared_;
    if (difference_ || own_.front() == heard_.front()) continue;
    difference_ = "step " + std::to_string(compared_) + " is " + own_.front() + " here, and " +
                  heard_.front() + " there";
  }
}

exchange_port::exchange_port(std::shared_ptr<job_peers> peers, end_listener ended, failure_listener failed,
                             std::function<void()> heard)
    : peers_(std::move(peers)),
      ended_(std::move(ended)),
      failed_(std::move(failed)),
      heard_(std::move(heard)) {
  peers_->open(*this);
}

void exchange_port::begin(exchanged_bytes const& what, std::byte* memory, std::shared_ptr<void const> owner,
                          std::shared_ptr<operation_progress> of) {
  {
    std::lock_guard const hold(mutex_);
    auto& begun = (what.is_sent ? outgoing_ : incoming_)[what.id];
    begun.peer = what.peer;
    begun.bytes = what.bytes;
    begun.memory = memory;
    begun.owner = std::move(owner);
    begun.progress = std::move(of);
    if (!what.is_sent)
      to_ask_.emplace_back(what.peer, what.id);
    else
      queue_wanted(what.id, begun);
  }
  peers_->wake();
}

void exchange_port::note_step(std::string text) {
  std::lock_guard const hold(mutex_);
  check_.add(std::move(text));
}

void exchange_port::tell_time(std::uint64_t step, rank_time const& time) {
  {
    std::lock_guard const hold(mutex_);
    times_[step][peers_->rank()] = untold_times_[step] = time;
  }
  peers_->wake();
}

std::optional<std::vector<rank_time>> exchange_port::take_times(std::uint64_t step) {
  std::lock_guard const hold(mutex_);
  auto const told = times_.find(step);
  if (told == times_.end() || told->second.size() < peers_->ranks()) return std::nullopt;
  std::vector<rank_time> all;
  for (auto const& [rank, time] : told->second) all.push_back(time);
  times_.erase(told);
  return all;
}

std::string exchange_port::missing_times(std::uint64_t step) {
  std::lock_guard const hold(mutex_);
  std::string text;
  for (std::uint32_t rank = 0; rank < peers_->ranks(); ++rank)
    if (!times_[step].contains(rank)) text += "rank " + std::to_string(rank) + " has not told its time\n";
  return text;
}

void exchange_port::close(bool is_over, std::string_view why) {
  {
    std::lock_guard const hold(mutex_);
    is_over_ = is_over;
  }
  peers_->close(is_over, why);
}

std::span<std::byte> exchange_port::transfer::take(std::size_t most) {
  auto const next = bytes[range];
  std::span const taken(memory + next.begin + offset, std::min(most, next.size() - offset));
  offset += taken.size();
  if (offset == next.size()) ++range, offset = 0;
  return taken;
}

bool exchange_port::transfer::is_to_be_placed() const {
  std::size_t all = 0;
  for (auto const& one : bytes) all += one.size();
  return owner != nullptr && all >= bytes.size() * job_peers::max_message_bytes;
}

std::vector<std::byte> exchange_port::message(header const& head, std::size_t room) {
  static_assert(std::is_trivially_copyable_v<header>);
  std::vector<std::byte> made;
  made.reserve(job_peers::reserved_bytes + sizeof head + room);
  made.resize(job_peers::reserved_bytes + sizeof head);
  std::memcpy(made.data() + job_peers::reserved_bytes, &head, sizeof head);
  return made;
}

void exchange_port::send(std::uint32_t to, header const& head, std::span<std::byte const> content) {
  auto made = message(head, content.size());
  made.insert(made.end(), content.begin(), content.end());
  peers_->send(to, std::move(made));
}

void exchange_port::send_to_all(header const& head, std::span<std::byte const> content) {
  for (std::uint32_t rank = 0; rank < peers_->ranks(); ++rank)
    if (rank != peers_->rank()) send(rank, head, content);
}

void exchange_port::step() {
  std::lock_guard const hold(mutex_);
  for (auto const& [peer, id] : to_ask_) {
    if (ended_ranks_.contains(peer)) report_end_of(peer);
    ask(peer, id);
  }
  to_ask_.clear();
  send_steps();
  report_difference();
  send_times();
  while (!to_send_.empty() && peers_->waiting() < max_waiting_messages) {
    auto const id = to_send_.front();
    to_send_.pop_front();
    send_data(id);
  }
  // Taken out of the list first, in case the send fails.
  for (auto left = to_place_.size(); left > 0; --left) {
    auto const id = to_place_.front();
    to_place_.pop_front();
    if (!send_placed(id)) to_place_.push_back(id);
  }
  if (is_over_) tell_end();
}

/// Asks a rank for the bytes of an exchange. Posts memory before that rank can know the tag. Each check of
/// the posts goes through all of them, so not too many are posted; other exchanges arrive as usual messages.
void exchange_port::ask(std::uint32_t peer, exchange_id id) {
  auto& wanted = incoming_.at(id);
  if (wanted.is_to_be_placed() && posted_.size() < max_posted && peers_->can_post()) {
    wanted.tag = peers_->next_tag();
    for (; wanted.has_more(); ++wanted.posted) {
      posted_[++newest_posted_] = id;
      peers_->post(
          {newest_posted_, peer, wanted.tag, wanted.take(job_peers::max_placed_bytes), wanted.owner});
    }
  }
  send(peer, {kind::want, wanted.tag, id});
}

void exchange_port::queue_wanted(exchange_id id, transfer const& one) {
  if (one.is_wanted && one.progress != nullptr) (one.tag == no_tag ? to_send_ : to_place_).push_back(id);
}

void exchange_port::hear_of_placed(std::uint64_t number) {
  std::lock_guard const hold(mutex_);
  auto const of = incoming_.find(posted_.extract(number).mapped());
  if (--of->second.posted == 0) peers_->free_tag(of->second.tag);
  if (of->second.is_done()) end(incoming_, of);
}

void exchange_port::end(std::map<exchange_id, transfer>& of, std::map<exchange_id, transfer>::iterator at) {
  auto const progress = std::move(at->second.progress);
  of.erase(at);  // before the call: the listener may be the last owner of the memory
  ended_(progress);
}

/// Notifies ranks that asked for exchanges this rank never reached. From now on job_peers answers such ranks.
void exchange_port::tell_end() {
  for (auto const& [id, one] : outgoing_)
    if (one.progress == nullptr) send(one.peer, {.what = kind::ended});
}

void exchange_port::send_steps() {
  if (peers_->waiting() > 0 && check_.untold() < max_untold_steps) return;
  while (check_.untold() > 0)
    send((peers_->rank() + 1) % peers_->ranks(), {.what = kind::steps},
         bytes_of(check_.take_untold(job_peers::max_message_bytes / 2)));
}

void exchange_port::send_times() {
  for (auto const& [step, time] : std::exchange(untold_times_, {}))
    send_to_all({.what = kind::time, .id = {step, 0}}, std::as_bytes(std::span(&time, 1)));
}

/// Sends one message of an exchange; the rest waits behind other exchanges' messages.
void exchange_port::send_data(exchange_id id) {
  auto const sent = outgoing_.find(id);
  auto& from = sent->second;
  auto room = job_peers::max_message_bytes - job_peers::reserved_bytes - sizeof(header);
  auto made = message({.what = kind::data, .id = id}, room);
  while (room > 0 && from.has_more()) {
    auto const bytes = from.take(room);
    made.insert(made.end(), bytes.begin(), bytes.end());
    room -= bytes.size();
  }
  peers_->send(from.peer, std::move(made));
  if (from.has_more()) return to_send_.push_back(id);
  end(outgoing_, sent);
}

/// Sends as much of an exchange as fits; true if nothing of it remains.
bool exchange_port::send_placed(exchange_id id) {
  auto const sent = outgoing_.find(id);
  auto& from = sent->second;
  for (auto room = peers_->placed_room_for(from.peer); room > 0 && from.has_more(); --room)
    peers_->send_placed(from.peer, from.tag, from.take(job_peers::max_placed_bytes));
  if (from.has_more()) return false;
  send(from.peer, {.what = kind::placed, .id = id});  // sent before the end of this rank
  end(outgoing_, sent);
  return true;
}

void exchange_port::receive(std::uint32_t from, std::span<std::byte const> message) {
  header head;
  if (message.size() < sizeof head) return;
  std::memcpy(&head, message.data(), sizeof head);
  auto const rest = message.subspan(sizeof head);
  std::lock_guard const hold(mutex_);
  switch (head.what) {
    case kind::want: {
      auto& wanted = outgoing_[head.id];
      wanted.peer = from;
      wanted.is_wanted = true;
      wanted.tag = head.tag;
      return queue_wanted(head.id, wanted);
    }
    case kind::data:
      return receive_data(head, rest);
    case kind::placed: {
      if (auto const at = incoming_.find(head.id); at != incoming_.end()) at->second.is_sent = true;
      return;
    }
    case kind::steps:
      check_.hear(text_of(rest));
      return;
    case kind::time:
      if (rest.size() != sizeof(rank_time)) return;
      std::memcpy(&times_[head.id.step][from], rest.data(), sizeof(rank_time));
      return heard_();
    case kind::ended:
      return note_end_of(from);
  }
}

void exchange_port::receive_data(header const& head, std::span<std::byte const> data) {
  auto const received = incoming_.find(head.id);
  if (received == incoming_.end()) return;
  auto& to = received->second;
  while (!data.empty() && to.has_more()) {
    auto const bytes = to.take(data.size());
    std::memcpy(bytes.data(), data.data(), bytes.size());
    data = data.subspan(bytes.size());
  }
  if (to.is_done()) end(incoming_, received);
}

void exchange_port::hear_of_end(std::uint32_t rank) {
  std::lock_guard const hold(mutex_);
  note_end_of(rank);
}

/// Records that a rank has ended. Reports a failure if bytes were still to come from it. It has itself
/// received all that it needs, if it runs the same program.
void exchange_port::note_end_of(std::uint32_t rank) {
  ended_ranks_.insert(rank);
  auto const comes_from_it = [&](auto const& one) { return one.second.peer == rank && !one.second.is_sent; };
  if (std::ranges::any_of(incoming_, comes_from_it)) report_end_of(rank);
}

/// Reports that a step differs from the previous rank's. If that rank reported the step first, this rank
/// compares it when it reaches the step itself.
void exchange_port::report_difference() {
  auto const& difference = check_.difference();
  if (!difference || has_failed_) return;
  auto const before = (peers_->rank() + peers_->ranks() - 1) % peers_->ranks();
  report(std::make_exception_ptr(error("the ranks run different programs, here and on rank " +
                                       std::to_string(before) + ": " + *difference)));
}

void exchange_port::report_end_of(std::uint32_t rank) {
  report(std::make_exception_ptr(error("the ranks run different programs: rank " + std::to_string(rank) +
                                       " has ended its scheduler, and something was to come from it")));
}

void exchange_port::fail(std::exception_ptr why) {
  std::lock_guard const hold(mutex_);
  report(std::move(why));
}

void exchange_port::report(std::exception_ptr why) {
  if (!std::exchange(has_failed_, true)) failed_(std::move(why));
}

}  // namespace ballast::detail
