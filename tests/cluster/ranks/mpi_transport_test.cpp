// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/mpi.hpp"
#include "complaint.hpp"
#include "mpi/mpi_ranks.hpp"
#include "transport_contract.hpp"

// Each rank runs the same tests.
namespace ballast::test {
using namespace detail;
namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks_of_world() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return name;
}

std::vector<std::string> hosts_of_ranks() {
  constexpr int size = MPI_MAX_PROCESSOR_NAME;
  char name[size] = {};
  host_name().copy(name, size - 1);
  std::vector<char> all(std::size_t(ranks_of_world()) * size);
  MPI_Allgather(name, size, MPI_CHAR, all.data(), size, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size(); at += size) names.emplace_back(&all[at]);
  return names;
}

void all_are_here() { MPI_Barrier(MPI_COMM_WORLD); }

// The program initialises MPI, so that several transports can be made one after another.
class mpi_transport : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  }
  static void TearDownTestSuite() { MPI_Finalize(); }
};

// Started by mpirun alone, as each ends MPI for its process.
class mpi_transport_alone : public testing::Test {};
class mpi_transport_beside : public testing::Test {};
class mpi_transport_misuse : public testing::Test {};
class mpi_transport_left : public mpi_transport {};

// A rank whose test has failed does not close.
std::unique_ptr<transport> made(MPI_Comm const& of = MPI_COMM_WORLD,
                                clock::duration timeout = std::chrono::seconds(30)) {
  mpi_options options;
  options.communicator = &of;
  options.timeout = timeout;
  return detail::mpi_transport(options)();
}

TEST_F(mpi_transport, delivers_all_messages_of_all_ranks_whole_and_in_order) {
  auto const own = made();
  all_send_to_all(*own, 80);
  own->close();
}

TEST_F(mpi_transport, places_messages_where_they_are_to_be) {
  auto const own = made();
  placed_messages_come_where_they_are_to_be(*own);
  own->close();
}

TEST_F(mpi_transport, keeps_the_order_of_more_messages_than_there_are_tags) {
  auto const own = made();
  auto const place = own->place();
  auto const next = (place.rank + 1) % place.ranks;
  constexpr std::uint32_t count = 33'000;
  auto const end = deadline::in(std::chrono::seconds(60));
  for (std::uint32_t sent = 0, received = 0; place.ranks > 1 && (sent < count || received < count);) {
    ASSERT_FALSE(end.passed());
    if (sent < count && own->room_for(next) > 0) {
      own->send(next, std::as_bytes(std::span(&sent, 1)));
      ++sent;
    }
    auto const message = own->receive();
    if (!message) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(std::memcmp(message->bytes.data(), &received, sizeof received), 0);
    ++received;
  }
  own->close();
}

TEST_F(mpi_transport, sends_to_others_while_one_hangs) {
  if (ranks_of_world() < 3) GTEST_SKIP() << "needs three ranks";
  auto const own = made();
  auto const rank = own->place().rank;
  int const process = rank == 1 ? getpid() : 0;
  int hung = 0;
  MPI_Allreduce(&process, &hung, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) kill(hung, SIGSTOP);
  one_takes_nothing(*own, [&] {
    if (rank == 0) kill(hung, SIGCONT);
    all_are_here();
  });
  own->close();
}

TEST_F(mpi_transport, refuses_messages_that_cannot_be_sent) {
  auto const own = made();
  wrong_messages_are_refused(*own);
  own->close();
}

TEST_F(mpi_transport, has_a_place_among_the_ranks_of_its_host) {
  auto const own = made();
  place_is_legal(*own);
  auto const on_host = std::uint32_t(std::ranges::count(hosts_of_ranks(), host_name()));
  EXPECT_EQ(own->place().host_ranks, on_host);
  if (on_host == own->place().ranks) { EXPECT_EQ(own->place().rank, std::uint32_t(rank_of_world())); }
  own->close();
}

TEST_F(mpi_transport, says_what_it_is) {
  auto const own = made();
  auto const ranks = std::to_string(ranks_of_world()) + (ranks_of_world() == 1 ? " rank" : " ranks");
  EXPECT_THAT(own->describe(),
              testing::MatchesRegex("[A-Za-z]+( MPI)? [0-9.]+, MPI [0-9.]+, thread level [A-Z]+, " + ranks +
                                    " on [0-9]+ hosts?"));
  own->close();
}

TEST_F(mpi_transport, takes_a_communicator_of_the_program) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of_world() % 2, -rank_of_world(), &part);
  auto const own = made(part);
  EXPECT_EQ(own->place().ranks, std::uint32_t((ranks_of_world() + 1 - rank_of_world() % 2) / 2));
  all_send_to_all(*own, 20);
  own->close();
  MPI_Comm_free(&part);
}

// As a launcher deals ranks to two hosts in turn.
TEST_F(mpi_transport, numbers_ranks_so_that_those_of_a_host_are_consecutive) {
  auto const rank = rank_of_world(), ranks = ranks_of_world();
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &host);
  auto ordered = order_by_host(MPI_COMM_WORLD, host);
  auto const of_even = std::uint32_t(ranks + 1) / 2;
  EXPECT_EQ(ordered.hosts, ranks == 1 ? 1 : 2);
  EXPECT_EQ(ordered.place.host_first, rank % 2 == 0 ? 0 : of_even);
  EXPECT_EQ(ordered.place.host_ranks, rank % 2 == 0 ? of_even : std::uint32_t(ranks) - of_even);
  EXPECT_EQ(ordered.place.rank, ordered.place.host_first + std::uint32_t(rank) / 2);
  MPI_Comm_free(&ordered.communicator);
  MPI_Comm_free(&host);
}

TEST_F(mpi_transport_alone, initialises_mpi_and_ends_it_on_the_thread_that_makes_it) {
  std::jthread([] {
    auto const own = detail::mpi_transport()();
    EXPECT_THAT(own->describe(), testing::HasSubstr("thread level FUNNELED"));
    all_send_to_all(*own, 40);
    own->close();
  }).join();
  int is_finalised = 0;
  MPI_Finalized(&is_finalised);
  EXPECT_NE(is_finalised, 0);
}

TEST_F(mpi_transport_beside, another_of_its_process_is_refused) {
  std::jthread([] {
    auto const own = detail::mpi_transport()();
    std::jthread([] {
      EXPECT_THAT(complaint([] { detail::mpi_transport()(); }),
                  testing::AllOf(testing::HasSubstr("another cluster of this process"),
                                 testing::HasSubstr("MPI_THREAD_MULTIPLE")));
    }).join();
    own->close();
  }).join();
}

TEST_F(mpi_transport_misuse, is_refused_by_name) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &level);
  ASSERT_EQ(level, MPI_THREAD_SINGLE);
  std::jthread([] {
    EXPECT_THAT(complaint([] { made(); }), testing::AllOf(testing::HasSubstr("MPI_THREAD_SINGLE"),
                                                          testing::HasSubstr("MPI_THREAD_SERIALIZED")));
  }).join();
  made()->close();  // the thread that has initialised MPI may
  MPI_Finalize();
  EXPECT_EQ(complaint([] { made(); }), "MPI was finalised in this process, which cannot use it again");
}

TEST_F(mpi_transport_left, says_that_it_waited_in_vain_for_others_to_close) {
  auto const own = made(MPI_COMM_WORLD, std::chrono::seconds(2));
  if (rank_of_world() == 0) {
    EXPECT_THAT(complaint([&] { own->close(); }), testing::HasSubstr("all ranks to close"));
  }
  all_are_here();
}

}  // namespace
}  // namespace ballast::test
