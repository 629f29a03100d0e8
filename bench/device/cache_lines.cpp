// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <thread>

#include "ballast/atomic_ref.cuh"
#include "ballast/error.hpp"
#include "device/transfers.hpp"

namespace ballast::bench {
namespace {

using word = atomic_ref<std::uint64_t, scope::system>;

/// Words, and the number of the round in which they were sent, on separate cache lines.
struct alignas(128) mailbox {
  std::uint64_t words[transfer_memory::words] = {};
  alignas(128) std::uint64_t round = 0;
};

void await(mailbox& box, std::uint64_t round, deadline until) {
  for (std::uint32_t polls = 1; word(box.round).load_acquire() != round; ++polls) {
    if (polls % 1024 != 0) continue;
    if (until.passed()) throw timed_out("another core", "round " + std::to_string(round));
    std::this_thread::yield();
  }
}

void send(mailbox& box, std::uint64_t round, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) word(box.words[i]).store_relaxed(round + i);
  word(box.round).store_release(round);
}

bool right(mailbox& box, std::uint64_t round, std::size_t words) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < words; ++i) wrong |= word(box.words[i]).load_relaxed() ^ (round + i);
  return wrong == 0;
}

/// Sends back the received words, if they were right.
void answer(mailbox& asked, mailbox& answered, std::size_t rounds, std::size_t words) {
  auto const until = soon();
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    await(asked, round, until);
    send(answered, right(asked, round, words) ? round : 0, words);
  }
}

void measure_size(session& now, std::size_t bytes) {
  auto const rounds = transfers_of_a_point(now), words = bytes / sizeof(std::uint64_t);
  mailbox there, back;
  auto other = std::async(std::launch::async, [&] { answer(there, back, rounds, words); });
  auto const until = soon();
  std::vector<double> seconds;
  bool all_right = true;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    seconds.push_back(0.5 * seconds_of([&] {
                        send(there, round, words);
                        await(back, round, until);
                        all_right = right(back, round, words) && all_right;
                      }));
  }
  other.get();
  now.verify(all_right, "the words came back from the other core");
  record_transfers(now, "from core to core", bytes, std::move(seconds));
}

}  // namespace

/// Half of the round-trip time between two threads that the system places.
void measure_cache_lines(session& now) {
  for (auto const bytes : transfer_sizes(now)) measure_size(now, bytes);
}

}  // namespace ballast::bench
