// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ballast::test {

/// What messages cost in a cluster that does not exist.
struct invented_links {
  std::int64_t latency_ns = 5'000;  ///< from host to host, one way
  double bytes_per_ns = 10;         ///< that leave a host at most, and that come to one
  std::int64_t host_message_ns =
      100;  ///< that a host's network card needs for each message besides, each way
  std::int64_t local_latency_ns = 500;  ///< from rank to rank of a host
  double local_bytes_per_ns = 5;        ///< that a rank's thread copies for another of its host
  std::int64_t message_ns = 1'000;      ///< that a rank's one thread for messages needs to send or receive
};

/// When messages arrive. The ranks of a host are consecutive, share its network card, and reach each other
/// through memory. Calls come in the order of their times. What lies between the hosts is never full.
class invented_network {
 public:
  /// `ranks_of_host` divides `ranks`.
  invented_network(invented_links const& links, std::uint32_t ranks, std::uint32_t ranks_of_host)
      : links_(links), ranks_of_host_(ranks_of_host), ranks_(ranks), hosts_(ranks / ranks_of_host) {}

  /// Of a small message to another host and back.
  std::int64_t round_trip_ns() const { return 2 * (latency_ns() + 2 * links_.message_ns); }
  /// A rank's thread sends a message, on which it works for `work_ns` besides. When that comes to the other
  /// rank's host, which has to be told to receive() then.
  std::int64_t send(std::int64_t now, std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                    std::int64_t work_ns = 0) {
    auto& rank = ranks_[from];
    rank.thread_free = std::max(rank.thread_free, now) + links_.message_ns + work_ns;
    if (is_local(from, to)) {
      rank.has_left = rank.thread_free += std::int64_t(double(bytes) / links_.local_bytes_per_ns);
      return rank.has_left + links_.local_latency_ns;
    }
    auto& free = hosts_[from / ranks_of_host_].out_free;
    rank.has_left = free = std::max(free, rank.thread_free) + card_ns(bytes);
    return free + links_.latency_ns;
  }
  /// When the other rank's thread has it. Bytes come in while they are sent, unless others' are in the way.
  std::int64_t receive(std::int64_t now, std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                       std::int64_t work_ns = 0) {
    auto& thread_free = ranks_[to].thread_free;
    if (!is_local(from, to)) {
      auto& free = hosts_[to / ranks_of_host_].in_free;
      now = free = std::max(now, free + card_ns(bytes));
    }
    return thread_free = std::max(thread_free, now) + links_.message_ns + work_ns;
  }
  /// When the last message of a rank leaves its host, or has.
  std::int64_t has_left(std::uint32_t rank) const { return ranks_[rank].has_left; }
  /// How long a message of so many bytes occupies a host.
  std::int64_t card_ns(std::uint64_t bytes) const {
    return links_.host_message_ns + std::int64_t(double(bytes) / links_.bytes_per_ns);
  }

 private:
  struct rank_state {
    std::int64_t thread_free = 0, has_left = 0;
  };
  struct host_state {
    std::int64_t out_free = 0, in_free = 0;
  };

  bool is_local(std::uint32_t a, std::uint32_t b) const { return a / ranks_of_host_ == b / ranks_of_host_; }
  std::int64_t latency_ns() const { return hosts_.size() == 1 ? links_.local_latency_ns : links_.latency_ns; }

  invented_links links_;
  std::uint32_t ranks_of_host_;
  std::vector<rank_state> ranks_;
  std::vector<host_state> hosts_;
};

}  // namespace ballast::test
