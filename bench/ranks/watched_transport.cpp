// SPDX-License-Identifier: Apache-2.0
#include "ranks/watched_transport.hpp"

#include <pthread.h>

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster_message.hpp"
#include "cluster_thread.hpp"
#include "ranks/kernels.cuh"
#include "transport.hpp"

namespace ballast::bench {
namespace {

using message_kind = detail::cluster_message::kind;

class watched_transport final : public detail::transport {
 public:
  watched_transport(std::unique_ptr<detail::transport> over, cluster_traffic& traffic)
      : over_(std::move(over)), traffic_(&traffic), asked_ns_(over_->place().ranks) {
    clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
    pthread_getcpuclockid(pthread_self(), &clock);
    traffic_->cpu_clock = clock;
  }

  detail::cluster_place place() const override { return over_->place(); }
  std::string describe() const override { return over_->describe(); }
  std::uint32_t room_for(std::uint32_t rank) const override { return over_->room_for(rank); }
  void send(std::uint32_t to, std::span<std::byte const> message) override {
    if (is(message_kind::ask, message)) asked_ns_[to] = now_ns();
    traffic_->sent_bytes += message.size();
    over_->send(to, message);
  }
  std::optional<detail::incoming_message> receive() override {
    ++traffic_->looks;
    auto const message = over_->receive();
    if (message && is(message_kind::give, message->bytes)) {
      last_gift().asked_ns = asked_ns_[message->from];
      last_gift().came_ns = now_ns();
    }
    return message;
  }
  void post(detail::placed_receive what) override { over_->post(std::move(what)); }
  std::optional<std::uint64_t> next_placed() override { return over_->next_placed(); }
  std::uint32_t placed_room_for(std::uint32_t rank) const override { return over_->placed_room_for(rank); }
  void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) override {
    traffic_->sent_bytes += bytes.size();
    over_->send_placed(to, tag, bytes);
  }
  bool ends_together() const override { return over_->ends_together(); }
  void close() override { over_->close(); }

 private:
  /// True if a message is of this kind. Channel 0 is the cluster's own, whose messages have other kinds.
  static bool is(message_kind what, std::span<std::byte const> message) {
    detail::envelope head;
    std::memcpy(&head, message.data(), sizeof head);
    return head.channel != 0 && head.kind == std::uint8_t(what);
  }

  std::unique_ptr<detail::transport> over_;
  cluster_traffic* traffic_;
  std::vector<std::uint64_t> asked_ns_;  ///< by rank
};

}  // namespace

std::uint64_t cluster_traffic::cpu_ns() const {
  timespec time{};
  clock_gettime(cpu_clock, &time);
  return std::uint64_t(time.tv_sec) * 1'000'000'000 + std::uint64_t(time.tv_nsec);
}

std::function<std::unique_ptr<detail::transport>()> watched(
    std::function<std::unique_ptr<detail::transport>()> make, cluster_traffic& into) {
  return [make = std::move(make), &into] { return std::make_unique<watched_transport>(make(), into); };
}

}  // namespace ballast::bench
