// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "arrays/operations.hpp"
#include "ballast/detail/job/job_peers.hpp"
#include "plan/planned_work.hpp"

namespace ballast::detail {

/// The number of units of a job that a rank computed, and its time.
struct rank_time {
  std::uint64_t units = 0, ns = 0;
};

/// Compares this rank's steps with the previous rank's, one by one: if each rank does the same as its
/// neighbour, all do the same. Steps are texts. Pure; one thread at a time.
class program_check {
 public:
  /// Adds the next step of this rank.
  void add(std::string text);
  /// The number of steps not yet reported to the next rank.
  std::size_t untold() const { return untold_.size(); }
  /// Removes and returns steps not yet reported, a line each: up to `most_bytes` bytes, but at least one step
  /// if there is one.
  std::string take_untold(std::size_t most_bytes);
  /// Receives the previous rank's next steps, as its take_untold() returned them.
  void hear(std::string_view told);
  /// The first step that differs: "step 17 is ... here, and ... there"; none if no step does.
  std::optional<std::string> const& difference() const { return difference_; }

 private:
  void compare();

  std::deque<std::string> untold_, own_, heard_;
  std::uint64_t compared_ = 0;
  std::optional<std::string> difference_;
};

/// Carries bytes between the host memory of ranks. A receiver asks when its memory is free, and the sender
/// answers when it has the bytes. So nothing has to be buffered, however far one rank is ahead. Long ranges
/// are received in place, if the memory has an owner that this object can hold: a failure may leave a
/// transfer unfinished. Any thread may call; no call waits.
class exchange_port final : public peer_listener {
 public:
  /// Called on the thread of the messages when an exchange has ended.
  using end_listener = std::function<void(std::shared_ptr<operation_progress> of)>;
  /// Called once, when nothing can be exchanged any more.
  using failure_listener = std::function<void(std::exception_ptr why)>;

  /// `heard` is called when take_times() may have a result.
  exchange_port(
      std::shared_ptr<job_peers> peers, end_listener ended, failure_listener failed,
      std::function<void()> heard = [] {});

  /// Begins an exchange. Until it ends, the bytes to be sent are ready, and those to be received may be
  /// overwritten. `owner` keeps the memory alive; null if nothing does.
  void begin(exchanged_bytes const& what, std::byte* memory, std::shared_ptr<void const> owner,
             std::shared_ptr<operation_progress> of);
  /// Adds a step of the program, which the next rank compares with its own.
  void note_step(std::string text);
  /// Reports to all ranks this rank's time for the newest job before a step.
  void tell_time(std::uint64_t step, rank_time const& time);
  /// Removes and returns the times of all ranks, in their order; none until all ranks have reported.
  std::optional<std::vector<rank_time>> take_times(std::uint64_t step);
  /// The ranks that have not reported, a line each, for messages.
  std::string missing_times(std::uint64_t step);
  /// Ends all exchanges: afterwards this object calls nothing and touches no memory. `is_over`: everything
  /// that other ranks need was sent. Otherwise they receive `why` through job_peers.
  void close(bool is_over, std::string_view why = {});

  void receive(std::uint32_t from, std::span<std::byte const> message) override;
  void hear_of_placed(std::uint64_t number) override;
  void hear_of_end(std::uint32_t rank) override;
  void fail(std::exception_ptr why) override;
  void step() override;

 private:
  enum class kind : std::uint32_t { want, data, placed, steps, time, ended };
  static constexpr std::uint32_t no_tag = ~std::uint32_t(0);
  struct header {
    kind what;
    std::uint32_t tag = no_tag;  ///< the tag of the messages that place the wanted bytes
    exchange_id id{};
  };

  /// One direction of an exchange: its progress counts from the first byte.
  struct transfer {
    std::uint32_t peer = 0;
    std::vector<byte_range> bytes{};
    std::byte* memory = nullptr;
    std::shared_ptr<void const> owner = nullptr;
    std::shared_ptr<operation_progress> progress = nullptr;  ///< null until the exchange was begun here
    bool is_wanted = false;
    std::uint32_t tag = no_tag;
    std::size_t posted = 0;  ///< messages that will be placed and have not come
    bool is_sent = false;    ///< the other rank has sent all of them
    std::size_t range = 0, offset = 0;

    bool is_done() const { return range == bytes.size() && posted == 0; }
    bool has_more() const { return range < bytes.size(); }
    /// True if messages of one range each are no shorter than usual ones, and the memory has an owner.
    bool is_to_be_placed() const;
    /// The next bytes of memory, at most `most`; they count as done.
    std::span<std::byte> take(std::size_t most);
  };

  static std::vector<std::byte> message(header const& head, std::size_t room);
  void send(std::uint32_t to, header const& head, std::span<std::byte const> content = {});
  void send_to_all(header const& head, std::span<std::byte const> content);
  void ask(std::uint32_t peer, exchange_id id);
  void queue_wanted(exchange_id id, transfer const& one);
  void send_steps();
  void send_times();
  void tell_end();
  void send_data(exchange_id id);
  bool send_placed(exchange_id id);
  void end(std::map<exchange_id, transfer>& of, std::map<exchange_id, transfer>::iterator at);
  void receive_data(header const& head, std::span<std::byte const> data);
  void report(std::exception_ptr why);
  void report_difference();
  void note_end_of(std::uint32_t rank);
  void report_end_of(std::uint32_t rank);

  std::shared_ptr<job_peers> const peers_;
  end_listener const ended_;
  failure_listener const failed_;
  std::function<void()> const heard_;
  std::mutex mutex_;  ///< taken last
  std::map<exchange_id, transfer> outgoing_, incoming_;
  std::deque<exchange_id> to_send_;              ///< wanted and ready; each sends one message in turn
  std::deque<exchange_id> to_place_;             ///< wanted and ready too, with tags
  std::map<std::uint64_t, exchange_id> posted_;  ///< of posted messages, by number
  std::uint64_t newest_posted_ = 0;
  std::deque<std::pair<std::uint32_t, exchange_id>> to_ask_;
  std::set<std::uint32_t> ended_ranks_;
  std::map<std::uint64_t, std::map<std::uint32_t, rank_time>> times_;  ///< of steps, by rank
  std::map<std::uint64_t, rank_time> untold_times_;                    ///< of this rank
  program_check check_;
  bool has_failed_ = false, is_over_ = false;
};

}  // namespace ballast::detail
