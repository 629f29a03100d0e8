// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ballast/deadline.hpp"
#include "refused_argument.hpp"
#include "transport.hpp"

// What every transport keeps, as the part of one rank: each rank of a cluster calls the same functions in the
// same order.
namespace ballast::test {

using message_bytes = std::vector<std::byte>;

/// The `index`th message from a rank to another. Of all sizes, the least and the largest among them; what it
/// holds tells it from all others.
inline message_bytes message_of(std::uint32_t from, std::uint32_t to, std::uint32_t index) {
  constexpr std::size_t sizes[] = {1, detail::transport::max_message_bytes, 24, 4096, 5000, 65535, 2, 48};
  message_bytes bytes(sizes[(from + index) % std::size(sizes)]);
  std::uint32_t state = (from * 64 + to) * 1024 + index;
  for (auto& byte : bytes) {
    byte = std::byte(state);
    state = state * 1664525 + 1013904223;
    state ^= state >> 15;
  }
  return bytes;
}

/// A rank of a transport, which waits for no longer than tests do.
class tested_rank {
 public:
  explicit tested_rank(detail::transport& over)
      : over_(over), place_(over.place()), received_(place_.ranks, 0) {}

  /// Receives the next message of any rank, if one has come, and compares it with what that rank sent.
  void look() {
    auto const message = over_.receive();
    if (!message) return std::this_thread::yield();
    ASSERT_LT(message->from, place_.ranks);
    ASSERT_NE(message->from, place_.rank);
    if (message->bytes.size() == last_.size()) return void(has_last_ = true);
    auto const expected = message_of(message->from, place_.rank, received_[message->from]++);
    ASSERT_TRUE(std::ranges::equal(message->bytes, expected))
        << "rank " << place_.rank << " received another message than number " << received_[message->from] - 1
        << " of rank " << message->from;
  }
  bool wait_until(std::function<bool()> const& has_happened) {
    auto const end = deadline::in(std::chrono::seconds(60));
    while (!has_happened()) {
      if (testing::Test::HasFailure()) return false;
      if (end.passed()) {
        ADD_FAILURE() << "rank " << place_.rank << " waited in vain";
        return false;
      }
      look();
    }
    return true;
  }
  void send(std::uint32_t to, std::uint32_t index) {
    if (!wait_until([&] { return over_.room_for(to) > 0; })) return;
    over_.send(to, message_of(place_.rank, to, index));
  }
  /// The receiver does not know how many were sent before.
  void send_last(std::uint32_t to) {
    if (wait_until([&] { return over_.room_for(to) > 0; })) over_.send(to, last_);
  }
  bool has_last() const { return has_last_; }
  std::uint32_t received_of(std::uint32_t rank) const { return received_[rank]; }

 private:
  detail::transport& over_;
  detail::cluster_place place_;
  std::vector<std::uint32_t> received_;
  message_bytes const last_ = message_bytes(3);
  bool has_last_ = false;
};

/// Every rank sends every other `count` messages, which arrive whole, once and in order.
inline void all_send_to_all(detail::transport& over, std::uint32_t count) {
  auto const place = over.place();
  tested_rank self(over);
  for (std::uint32_t index = 0; index < count; ++index) {
    for (std::uint32_t to = 0; to < place.ranks; ++to) {
      if (to != place.rank) self.send(to, index);
    }
  }
  self.wait_until([&] {
    for (std::uint32_t from = 0; from < place.ranks; ++from) {
      if (from != place.rank && self.received_of(from) < count) return false;
    }
    return true;
  });
}

/// The `index`th that is placed for a rank by another: some as large as they may be.
inline message_bytes placed_message_of(std::uint32_t from, std::uint32_t to, std::uint32_t index) {
  auto bytes = message_of(from, to, index);
  if (index % 3 == 0) bytes.resize(detail::transport::max_placed_bytes, std::byte(index));
  return bytes;
}

/// What a rank posts for messages of all others, by two tags in turn.
struct posted_messages {
  static constexpr std::uint32_t count = 20;

  posted_messages(detail::transport& over, std::shared_ptr<void const> const& owner)
      : at(over.place()), memory(at.ranks * count) {
    for (std::uint32_t from = 0; from < at.ranks; ++from)
      for (std::uint32_t index = 0; from != at.rank && index < count; ++index) {
        auto& into = memory[from * count + index];
        into.resize(placed_message_of(from, at.rank, index).size());
        over.post({from * count + index, from, 5 + index % 2, into, owner});
      }
  }
  bool has_all() const {
    for (std::uint32_t from = 0; from < at.ranks; ++from)
      for (std::uint32_t index = 0; from != at.rank && index < count; ++index)
        if (memory[from * count + index] != placed_message_of(from, at.rank, index)) return false;
    return true;
  }

  detail::cluster_place at;
  std::vector<message_bytes> memory;
};

/// Every rank posts memory for what the others send it, and all comes where it is to be.
inline void placed_messages_come_where_they_are_to_be(detail::transport& over) {
  auto const owner = std::make_shared<int>();
  posted_messages const posted(over, owner);
  auto const at = posted.at;
  all_send_to_all(over, 1);  // which tells that memory is posted
  std::vector<std::uint32_t> next(at.ranks, 0);
  std::uint32_t come = 0;
  auto const end = deadline::in(std::chrono::seconds(60));
  auto const all = posted_messages::count * (at.ranks - 1);
  for (std::uint32_t sent = 0; sent < all || come < all;) {
    ASSERT_FALSE(end.passed()) << come << " of " << all << " messages have come";
    for (std::uint32_t to = 0; to < at.ranks; ++to) {
      if (to == at.rank || next[to] == posted_messages::count || over.placed_room_for(to) == 0) continue;
      over.send_placed(to, 5 + next[to] % 2, placed_message_of(at.rank, to, next[to]));
      ++next[to], ++sent;
    }
    ASSERT_FALSE(over.receive()) << "it is no message like others";
    while (over.next_placed()) ++come;
  }
  EXPECT_TRUE(posted.has_all());
  EXPECT_EQ(owner.use_count(), 1) << "somebody still keeps memory for what has come";
}

/// Rank 1 receives nothing until `all_are_here`, which waits for all ranks, has returned. By then rank 0 has
/// found that there is no more room for it, and has exchanged messages with rank 2.
inline void one_takes_nothing(detail::transport& over, std::function<void()> const& all_are_here) {
  constexpr std::uint32_t exchanged = 100;
  auto const rank = over.place().rank;
  tested_rank self(over);
  for (std::uint32_t index = 0; rank == 0 && over.room_for(1) > 0; ++index) {
    ASSERT_LT(index, 10'000u) << "there is always room for a rank that takes nothing";
    over.send(1, message_of(0, 1, index));
    self.look();
  }
  for (std::uint32_t index = 0; rank == 0 && index < exchanged; ++index) {
    self.send(2, index);
    self.wait_until([&] { return self.received_of(2) > index; });
  }
  for (std::uint32_t index = 0; rank == 2 && index < exchanged; ++index) {
    self.wait_until([&] { return self.received_of(0) > index; });
    self.send(0, index);
  }
  all_are_here();
  if (rank == 0) {
    self.send_last(1);
    self.wait_until([&] { return self.received_of(1) > 0; });
  } else if (rank == 1) {
    self.wait_until([&] { return self.has_last(); });
    self.send(0, 0);
  }
}

/// What cannot be sent is refused by name, and has changed nothing.
inline void wrong_messages_are_refused(detail::transport& over) {
  auto const place = over.place();
  auto const send = [&](std::uint32_t to, std::size_t bytes) {
    return refused_argument([&] { over.send(to, message_bytes(bytes)); });
  };
  EXPECT_EQ(send(place.rank, 1), "to");
  EXPECT_EQ(send(place.ranks, 1), "to");
  if (place.ranks == 1) return;
  auto const other = (place.rank + 1) % place.ranks;
  EXPECT_EQ(send(other, 0), "message");
  EXPECT_EQ(send(other, detail::transport::max_message_bytes + 1), "message");
  message_bytes const large(detail::transport::max_placed_bytes + 1);
  EXPECT_EQ(refused_argument([&] { over.send_placed(other, 0, large); }), "message");
  EXPECT_EQ(refused_argument([&] { over.send_placed(place.rank, 0, large); }), "to");
}

/// Ranks of a host are consecutive, this one among them.
inline void place_is_legal(detail::transport& over) {
  auto const place = over.place();
  EXPECT_LT(place.rank, place.ranks);
  EXPECT_GE(place.rank, place.host_first);
  EXPECT_LT(place.rank - place.host_first, place.host_ranks);
  EXPECT_LE(place.host_first + place.host_ranks, place.ranks);
}

}  // namespace ballast::test
