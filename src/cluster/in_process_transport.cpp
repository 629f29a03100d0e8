// SPDX-License-Identifier: Apache-2.0
#include "in_process_transport.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "ballast/detail/base/event_count.hpp"

namespace ballast::detail {

namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch()).count();
}

struct letter {
  std::int64_t due_ns;
  std::vector<std::byte> bytes;
};

// Messages sent to a rank and not received yet: a queue for each sender, in which a message waits for the
// earlier ones.
struct mailbox {
  std::mutex mutex;
  std::vector<std::deque<letter>> lines;
  std::vector<std::map<std::uint32_t, std::deque<letter>>> placed;  // for each sender, by tag
  std::atomic<bool> is_lost = false;
  bool has_left = false;  // no transport receives here any more

  void clear() {
    for (auto& line : lines) line.clear();
    for (auto& of_sender : placed) of_sender.clear();
  }
};

}  // namespace

class in_process_network {
 public:
  in_process_network(std::uint32_t ranks, in_process_options const& options)
      : options_(options), mailboxes_(ranks) {
    for (auto& box : mailboxes_) {
      box.lines.resize(ranks);
      box.placed.resize(ranks);
    }
  }

  in_process_options const& options() const { return options_; }
  std::uint32_t ranks() const { return std::uint32_t(mailboxes_.size()); }
  cluster_place place_of(std::uint32_t rank) const;
  std::uint32_t room(std::uint32_t from, std::uint32_t to);
  void put(std::uint32_t from, std::uint32_t to, letter sent);
  // The first message that is due; starts with the queue of rank `first`.
  std::optional<incoming_message> take(std::uint32_t to, std::uint32_t first, std::vector<std::byte>& bytes);
  std::uint32_t placed_room(std::uint32_t from, std::uint32_t to);
  void place(std::uint32_t from, std::uint32_t to, std::uint32_t tag, letter sent);
  // The first of a rank's posts whose message has come.
  std::optional<std::uint64_t> take_placed(std::uint32_t to, std::deque<placed_receive>& posted);
  void lose(std::uint32_t rank);
  void leave(std::uint32_t rank);
  void close();

 private:
  bool reaches(std::uint32_t from, mailbox const& box) const {
    return !box.has_left && !box.is_lost && !mailboxes_[from].is_lost;
  }

  in_process_options const options_;
  std::vector<mailbox> mailboxes_;
  std::mutex close_mutex_;
  std::condition_variable all_closed_;
  std::uint32_t closed_ = 0;
};

cluster_place in_process_network::place_of(std::uint32_t rank) const {
  auto const of_host = options_.host_ranks == 0 ? ranks() : options_.host_ranks;
  auto const first = rank / of_host * of_host;
  return {rank, ranks(), first, std::min(of_host, ranks() - first)};
}

std::uint32_t in_process_network::room(std::uint32_t from, std::uint32_t to) {
  std::lock_guard const lock(mailboxes_[to].mutex);
  return options_.pair_messages - std::uint32_t(mailboxes_[to].lines[from].size());
}

void in_process_network::put(std::uint32_t from, std::uint32_t to, letter sent) {
  auto& box = mailboxes_[to];
  std::lock_guard const lock(box.mutex);
  if (reaches(from, box)) box.lines[from].push_back(std::move(sent));
}

std::uint32_t in_process_network::placed_room(std::uint32_t from, std::uint32_t to) {
  std::lock_guard const lock(mailboxes_[to].mutex);
  std::size_t waiting = 0;
  for (auto const& [tag, letters] : mailboxes_[to].placed[from]) waiting += letters.size();
  return options_.pair_messages - std::uint32_t(waiting);
}

void in_process_network::place(std::uint32_t from, std::uint32_t to, std::uint32_t tag, letter sent) {
  auto& box = mailboxes_[to];
  std::lock_guard const lock(box.mutex);
  if (reaches(from, box)) box.placed[from][tag].push_back(std::move(sent));
}

// One lock and one time for all posts: else a message that comes meanwhile could go to a later post of the
// same tag.
std::optional<std::uint64_t> in_process_network::take_placed(std::uint32_t to,
                                                             std::deque<placed_receive>& posted) {
  auto const now = options_.most_delay_ns == 0 ? 0 : now_ns();
  auto& box = mailboxes_[to];
  std::lock_guard const lock(box.mutex);
  auto const come = std::ranges::find_if(posted, [&](placed_receive const& one) {
    auto const letters = box.placed[one.from].find(one.tag);
    return letters != box.placed[one.from].end() && letters->second.front().due_ns <= now;
  });
  if (come == posted.end()) return std::nullopt;
  auto const what = *come;
  posted.erase(come);
  auto const letters = box.placed[what.from].find(what.tag);
  auto const& bytes = letters->second.front().bytes;
  check_placed_size(what, bytes.size());
  std::ranges::copy(bytes, what.into.begin());
  letters->second.pop_front();
  if (letters->second.empty()) box.placed[what.from].erase(letters);
  return what.number;
}

std::optional<incoming_message> in_process_network::take(std::uint32_t to, std::uint32_t first,
                                                         std::vector<std::byte>& bytes) {
  auto const now = options_.most_delay_ns == 0 ? 0 : now_ns();
  auto& box = mailboxes_[to];
  std::lock_guard const lock(box.mutex);
  for (std::uint32_t i = 0; i < ranks(); ++i) {
    auto const from = (first + i) % ranks();
    auto& line = box.lines[from];
    if (line.empty() || line.front().due_ns > now) continue;
    bytes = std::move(line.front().bytes);
    line.pop_front();
    return incoming_message{from, bytes};
  }
  return std::nullopt;
}

void in_process_network::lose(std::uint32_t rank) {
  mailboxes_[rank].is_lost = true;
  for (auto& box : mailboxes_) {
    std::lock_guard const lock(box.mutex);
    box.lines[rank].clear();
    box.placed[rank].clear();
    if (box.is_lost) box.clear();
  }
}

void in_process_network::leave(std::uint32_t rank) {
  auto& box = mailboxes_[rank];
  std::lock_guard const lock(box.mutex);
  box.has_left = true;
  box.clear();
}

void in_process_network::close() {
  std::unique_lock lock(close_mutex_);
  ++closed_;
  all_closed_.notify_all();
  auto const have_closed = [this] { return closed_ == ranks(); };
  if (wait_until(all_closed_, lock, deadline::in(options_.timeout), have_closed)) return;
  throw timed_out("all ranks to close",
                  std::to_string(closed_) + " of " + std::to_string(ranks()) + " ranks have closed");
}

namespace {

class in_process_transport final : public transport {
 public:
  in_process_transport(std::shared_ptr<in_process_network> network, std::uint32_t rank)
      : network_(std::move(network)), place_(network_->place_of(rank)) {
    auto const& options = network_->options();
    random_.seed(options.seed + rank);
    delay_ns_ = std::uniform_int_distribution(options.least_delay_ns, options.most_delay_ns);
  }

  ~in_process_transport() override { network_->leave(place_.rank); }

  cluster_place place() const override { return place_; }
  std::string describe() const override {
    return counted(place_.ranks, "rank") + " in threads of one process";
  }
  std::uint32_t room_for(std::uint32_t rank) const override { return network_->room(place_.rank, rank); }
  void send(std::uint32_t to, std::span<std::byte const> message) override {
    check_message(*this, to, message.size());
    network_->put(place_.rank, to, letter_of(message));
  }
  std::optional<incoming_message> receive() override {
    auto const message = network_->take(place_.rank, first_, received_);
    if (message) first_ = message->from + 1;
    return message;
  }
  void post(placed_receive what) override { posted_.push_back(std::move(what)); }
  std::optional<std::uint64_t> next_placed() override { return network_->take_placed(place_.rank, posted_); }
  std::uint32_t placed_room_for(std::uint32_t rank) const override {
    return network_->placed_room(place_.rank, rank);
  }
  void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) override {
    check_placed(*this, to, bytes.size());
    network_->place(place_.rank, to, tag, letter_of(bytes));
  }
  bool ends_together() const override { return network_->options().ends_together; }
  void close() override { network_->close(); }

 private:
  letter letter_of(std::span<std::byte const> bytes) {
    auto const due = delay_ns_.max() == 0 ? 0 : now_ns() + delay_ns_(random_);
    return {due, {bytes.begin(), bytes.end()}};
  }

  std::shared_ptr<in_process_network> const network_;
  cluster_place const place_;
  std::mt19937_64 random_;
  std::uniform_int_distribution<std::int64_t> delay_ns_;
  std::uint32_t first_ = 0;  // the queue to look at first, so that each rank gets its turn
  std::vector<std::byte> received_;
  std::deque<placed_receive> posted_;
};

}  // namespace

in_process_ranks::in_process_ranks(std::uint32_t ranks, in_process_options const& options) {
  if (ranks == 0) throw_bad_argument("ranks", ranks, "at least 1");
  if (options.pair_messages == 0) throw_bad_argument("pair_messages", 0, "at least 1");
  if (options.least_delay_ns < 0 || options.most_delay_ns < options.least_delay_ns) {
    throw_bad_argument("most_delay_ns", options.most_delay_ns,
                       "at least least_delay_ns, which is at least 0");
  }
  network_ = std::make_shared<in_process_network>(ranks, options);
}

std::vector<transport_maker> in_process_ranks::makers() const {
  std::vector<transport_maker> makers(network_->ranks());
  for (std::uint32_t rank = 0; rank < makers.size(); ++rank) {
    makers[rank] = [network = network_, rank] {
      return std::make_unique<in_process_transport>(network, rank);
    };
  }
  return makers;
}

void in_process_ranks::lose(std::uint32_t rank) { network_->lose(rank); }

}  // namespace ballast::detail
