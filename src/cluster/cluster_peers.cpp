// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "ballast/cluster.hpp"
#include "ballast/detail/job/job_peers.hpp"
#include "ballast/error.hpp"
#include "cluster_thread.hpp"

namespace ballast {

using namespace detail;
namespace {

/// A channel of a cluster that carries the messages of one scheduler's jobs.
class cluster_peers final : public job_peers, public cluster_channel {
 public:
  explicit cluster_peers(cluster_thread& thread) : thread_(thread), channel_(thread) {}

  std::uint32_t rank() const override { return thread_.place().rank; }
  std::uint32_t ranks() const override { return thread_.place().ranks; }

  void open(peer_listener& listener) override {
    auto const hold = thread_.lock();
    if (channel_.number() != 0) throw error("the peers of one job scheduler were given to a second one");
    listener_ = &listener;
    channel_.open(*this);
  }
  void close(bool is_over, std::string_view why) override {
    auto const hold = thread_.lock();
    is_closing_ = true;
    listener_->step();  // sends what is still due
    if (!is_over && !has_losses_) thread_.leave(channel_.number(), why);
    thread_.close(channel_.number(), is_over, has_losses_);
  }
  void wake() override { thread_.wake(); }

  void send(std::uint32_t to, std::vector<std::byte> message) override {
    static_assert(reserved_bytes == sizeof(envelope));
    envelope const head{channel_.number(), 0, 0, 0};
    std::memcpy(message.data(), &head, sizeof head);
    thread_.send(to, std::move(message));
  }
  std::size_t waiting() const override { return thread_.waiting(); }

  // A thread other than the cluster's may close this channel.
  bool can_post() const override { return !is_closing_ && thread_.can_post(); }
  std::uint32_t next_tag() override { return thread_.next_tag(); }
  void free_tag(std::uint32_t tag) override { thread_.free_tag(tag); }
  void post(placed_receive what) override { thread_.post(channel_.number(), std::move(what)); }
  std::uint32_t placed_room_for(std::uint32_t to) const override {
    return is_closing_ ? 0 : thread_.placed_room_for(to);
  }
  void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) override {
    thread_.send_placed(to, tag, bytes);
  }

  void receive(std::uint32_t from, envelope const&, std::span<std::byte const> message) override {
    listener_->receive(from, message);
  }
  void hear_of_placed(std::uint64_t number) override { listener_->hear_of_placed(number); }
  void hear_of_end(std::uint32_t from) override { listener_->hear_of_end(from); }
  void lose(std::uint32_t rank, std::string const& why) override {
    has_losses_ = true;
    listener_->fail(std::make_exception_ptr(rank_lost(why, {rank})));
  }
  void fail(std::exception_ptr why) override { listener_->fail(std::move(why)); }
  std::int64_t step(std::int64_t) override {
    listener_->step();
    return std::numeric_limits<std::int64_t>::max();
  }

 private:
  cluster_thread& thread_;
  next_channel channel_;
  peer_listener* listener_ = nullptr;
  bool has_losses_ = false, is_closing_ = false;
};

}  // namespace

std::shared_ptr<job_peers> job_peers_of(cluster& ranks) {
  if (ranks.ranks() == 1) return nullptr;
  return std::make_shared<cluster_peers>(ranks.thread());
}

}  // namespace ballast
