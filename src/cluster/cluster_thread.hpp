// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/cluster.hpp"
#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "heartbeats.hpp"
#include "transport.hpp"

namespace ballast::detail {

/// The header of every message. The channel defines the rest.
struct envelope {
  std::uint16_t channel = 0;
  std::uint8_t kind = 0;
  std::uint8_t has_more = 0;
  std::uint32_t count = 0;
};
static_assert(sizeof(envelope) == 8);

/// An object that is open on a cluster under the same number on every rank, such as a queue. The cluster's
/// thread calls its members with the cluster's lock held.
class cluster_channel {
 public:
  virtual ~cluster_channel() = default;

  /// Receives a message, without its envelope.
  virtual void receive(std::uint32_t from, envelope const& what, std::span<std::byte const> message) = 0;
  /// Called when the message for the memory posted under this number has arrived.
  virtual void hear_of_placed(std::uint64_t) {}
  /// Called when a rank reports that all ranks have finished with this channel.
  virtual void hear_of_end(std::uint32_t from) = 0;
  /// Called when a rank is lost. `why` is a sentence that names it.
  virtual void lose(std::uint32_t rank, std::string const& why) = 0;
  /// Does all that is due, and returns when to call it again if nothing happens.
  virtual std::int64_t step(std::int64_t now_ns) = 0;
  /// Called when this rank gives up.
  virtual void fail(std::exception_ptr why) = 0;
};

/// The thread of a cluster, which makes all calls to its transport.
class cluster_thread {
 public:
  cluster_thread(transport_maker make, cluster_options const& options);
  ~cluster_thread();

  cluster_place const& place() const { return place_; }
  process_of_origin const& process() const { return process_; }
  std::string const& description() const { return description_; }
  std::vector<std::uint32_t> lost();

  /// Keeps the thread from calling channels, and other threads from calling members. Throws error in a child
  /// of fork().
  [[nodiscard]] std::unique_lock<std::mutex> lock();
  /// Makes the thread look again at once.
  void wake() { awake_.notify(); }
  event_count& wake_event() { return awake_; }

  // Call the members below with the lock held.

  /// Opens the next channel, which receives the messages that came for it before. Throws the error that ended
  /// the thread.
  std::uint16_t open(cluster_channel& channel);
  /// Marks the next channel as not opened here: like open() and leave().
  void skip_channel();
  /// Makes this rank stop using the channel's object, and sends the reason to the other ranks. If `why` is
  /// empty, an exception is being thrown, and fail() must report it; if that takes too long, the other ranks
  /// are notified without a reason.
  void leave(std::uint16_t channel, std::string_view why);
  /// Makes this rank give up: the other ranks receive the reason, all that is open here fails, and the end
  /// waits for no rank.
  void fail(std::string_view why);
  /// Closes a channel. `is_over`: ranks that still ask are notified that the channel has finished.
  /// `has_losses`: the channel lost ranks, which may not come to the end of the cluster.
  void close(std::uint16_t channel, bool is_over, bool has_losses);
  /// Sends a message, which begins with an envelope, once the transport accepts it.
  void send(std::uint32_t to, std::vector<std::byte> message);
  void send(std::uint32_t to, envelope const& head, std::span<std::byte const> content);
  /// Records that a rank is lost. `why` is a sentence that names it.
  void lose(std::uint32_t rank, std::string const& why);
  /// The number of messages that wait for the transport.
  std::size_t waiting() const { return waiting_; }

  // Like the members of job_peers, but called only on the cluster's thread.

  bool can_post() const {
    return !is_unclean_ && lost_.empty() && used_tags_.size() < transport::placed_tags;
  }
  std::uint32_t next_tag();
  void free_tag(std::uint32_t tag) { used_tags_.erase(tag); }
  void post(std::uint16_t channel, placed_receive what);
  std::uint32_t placed_room_for(std::uint32_t rank) const { return transport_->placed_room_for(rank); }
  void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes);

 private:
  /// Kinds of messages that concern no channel. `ending`: the rank has finished. `leaving`: it sends nothing
  /// further. `lost`: the rank whose number is the envelope's count is lost.
  enum class kind : std::uint8_t { alive, ending, leaving, lost };
  static constexpr std::uint8_t end_of_channel = 255, no_channel = 254;

  struct slot {
    cluster_channel* channel = nullptr;
    bool is_over = false;
    std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> early;
    std::set<std::uint32_t> told;  ///< ranks notified that it is over
  };

  struct lost_rank {
    std::uint32_t rank;
    std::string why;
  };

  static bool is_heartbeat(std::span<std::byte const> message);

  void run();
  bool look(std::int64_t& look_again_ns);
  bool receive(std::int64_t now_ns);
  bool receive_placed();
  void deliver(std::uint32_t from, std::span<std::byte const> message);
  bool flush(std::int64_t now_ns);
  void beat(std::int64_t now_ns);
  void rest(std::uint64_t epoch, std::int64_t idle_since_ns, std::int64_t look_again_ns);
  void send_all(envelope const& head, std::string_view text = {});
  void hear(std::uint32_t from, envelope const& what, std::string_view text);
  void fail_channels(std::exception_ptr const& why);
  void tell_left(std::int64_t now_ns);
  bool is_lost(std::uint32_t rank) const { return std::ranges::count(lost_, rank, &lost_rank::rank) > 0; }
  void tell_own_fault();
  std::string own_failure(std::string_view why) const;
  void end();
  bool meet(kind word, deadline until);
  void flush_all(deadline until);

  cluster_options const options_;
  cluster_place place_;
  std::string description_;
  std::unique_ptr<transport> transport_;
  std::mutex mutex_;
  std::atomic<std::uint32_t> waiters_ = 0;  ///< threads that wait for the lock
  event_count awake_;
  std::optional<heartbeats> heartbeats_;
  std::map<std::uint16_t, slot> channels_;
  std::uint16_t last_channel_ = 0;
  std::uint32_t open_channels_ = 0;
  std::map<std::uint32_t, std::deque<std::vector<std::byte>>> outbox_;
  std::size_t waiting_ = 0;
  std::uint32_t newest_tag_ = 0;
  std::set<std::uint32_t> used_tags_;
  bool has_sent_placed_ = false;  ///< since the last query
  std::vector<lost_rank> lost_;   ///< in the order of the reports: the first may have caused the others
  std::map<kind, std::set<std::uint32_t>> have_said_;    ///< ending and leaving
  std::map<std::uint16_t, std::int64_t> left_until_ns_;  ///< channels whose reason the others have not
                                                         ///< received yet
  std::string own_fault_;
  bool has_told_own_fault_ = false;
  std::exception_ptr failure_;
  std::atomic<bool> is_ending_ = false;
  bool is_unclean_ = false;
  int const exceptions_ = std::uncaught_exceptions();
  process_of_origin const process_;
  std::thread thread_;
};

/// The next channel of a cluster. If this object ends without opening it, the other ranks are notified.
class next_channel {
 public:
  explicit next_channel(cluster_thread& of) : thread_(&of) {}
  ~next_channel();
  next_channel& operator=(next_channel&&) = delete;

  /// Call it with the lock held.
  void open(cluster_channel& channel) { number_ = thread_->open(channel); }
  std::uint16_t number() const { return number_; }

 private:
  cluster_thread* thread_;
  std::uint16_t number_ = 0;
};

}  // namespace ballast::detail
