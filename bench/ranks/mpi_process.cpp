// SPDX-License-Identifier: Apache-2.0
#include "ranks/mpi_process.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "ballast/stream.hpp"
#include "harness/session.hpp"

namespace ballast::bench {
namespace {

constexpr auto gather_timeout = std::chrono::seconds(10);
constexpr int gather_tag = 1, stream_tag = 2, question_tag = 3, number_tag = 4;

void await_sent(MPI_Request& request, deadline until) {
  for (int is_sent = 0;;) {
    MPI_Test(&request, &is_sent, MPI_STATUS_IGNORE);
    if (is_sent != 0) return;
    if (until.passed()) throw timed_out("rank 0 to hear of this one", "it takes no messages");
    std::this_thread::yield();
  }
}

std::string receive(MPI_Status const& coming) {
  int bytes = 0;
  MPI_Get_count(&coming, MPI_BYTE, &bytes);
  std::string said(std::size_t(bytes), '\0');
  MPI_Recv(said.data(), bytes, MPI_BYTE, coming.MPI_SOURCE, gather_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return said;
}

/// Waits as a cluster's thread does, which yields the core to others that share it.
void await(MPI_Request& request) {
  auto const since = clock::now();
  auto const until = deadline::in(default_timeout);
  for (int looks = 0, is_complete = 0;; ++looks) {
    MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    if (is_complete != 0) return;
    if (looks < 60) continue;
    if (until.passed()) throw timed_out("a message of another rank", "none has come");
    if (clock::now() - since < std::chrono::milliseconds(1))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}
void send_bytes(void const* bytes, int count, int to, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(bytes, count, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  await(request);
}
void receive_bytes(void* bytes, int count, int from, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(bytes, count, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  await(request);
}

/// A thread that sleeps until it is notified, and then calls `of`.
struct woken_thread {
  explicit woken_thread(std::function<void()> of)
      : does([this, of = std::move(of)] {
          for (auto seen = std::uint64_t(0); !is_leaving; seen = bell.epoch()) {
            bell.wait_past(seen, clock::now() + std::chrono::seconds(1));
            if (bell.epoch() != seen && !is_leaving) of();
          }
        }) {}
  ~woken_thread() {
    is_leaving = true;
    bell.notify();
  }
  event_count bell;
  std::atomic<bool> is_leaving = false;
  std::jthread does;
};

}  // namespace

mpi_process::mpi_process() {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

void mpi_process::end() { MPI_Finalize(); }

std::vector<std::optional<std::string>> mpi_process::gather(std::string const& said) const {
  auto const until = deadline::in(gather_timeout);
  if (rank_ != 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(said.data(), int(said.size()), MPI_BYTE, 0, gather_tag, MPI_COMM_WORLD, &request);
    await_sent(request, until);
    return {};
  }
  std::vector<std::optional<std::string>> all(static_cast<std::size_t>(ranks_));
  all[0] = said;
  for (int missing = ranks_ - 1; missing > 0 && !until.passed();) {
    int has_come = 0;
    MPI_Status coming;
    MPI_Iprobe(MPI_ANY_SOURCE, gather_tag, MPI_COMM_WORLD, &has_come, &coming);
    if (has_come == 0) {
      std::this_thread::yield();
      continue;
    }
    all[std::size_t(coming.MPI_SOURCE)] = receive(coming);
    --missing;
  }
  return all;
}

bool mpi_process::go_on(bool said) const {
  int goes_on = said ? 1 : 0;
  MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return goes_on != 0;
}

std::uint64_t mpi_process::sum(std::uint64_t mine) const {
  std::uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

void mpi_process::tell(int rank, std::uint64_t number) const {
  send_bytes(&number, sizeof number, rank, number_tag);
}
std::uint64_t mpi_process::hear(int rank) const {
  std::uint64_t number = 0;
  receive_bytes(&number, sizeof number, rank, number_tag);
  return number;
}

std::vector<double> mpi_process::ping_pong_us(int samples) const {
  std::vector<double> trips;
  if (ranks_ < 2 || rank_ > 1) return trips;
  char bytes[64] = {};
  auto const other = 1 - rank_;
  for (int i = 0; i < samples; ++i) {
    auto const trip = seconds_of([&] {
      if (rank_ == 0) MPI_Send(bytes, sizeof bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
      MPI_Recv(bytes, sizeof bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank_ == 1) MPI_Send(bytes, sizeof bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    });
    trips.push_back(1e6 * trip);
  }
  return trips;
}

std::vector<double> mpi_process::stream_mb_per_s(int samples, std::size_t message_bytes,
                                                 std::size_t memory_bytes) const {
  std::vector<double> rates;
  if (ranks_ < 2 || rank_ > 1) return rates;
  constexpr int under_way = 8;
  auto const bytes = int(message_bytes);
  auto const rounds = std::max(memory_bytes, std::size_t(50) << 20) / (message_bytes * under_way);
  std::vector<char> memory(memory_bytes);
  char has_all = 0;
  std::vector<MPI_Request> requests(under_way);
  for (int i = 0; i < samples; ++i) {
    auto const seconds = seconds_of([&] {
      for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t k = 0; k < under_way; ++k) {
          auto* const buffer = &memory[(round * under_way + k) * message_bytes % memory_bytes];
          if (rank_ == 0)
            MPI_Isend(buffer, bytes, MPI_BYTE, 1, stream_tag, MPI_COMM_WORLD, &requests[k]);
          else
            MPI_Irecv(buffer, bytes, MPI_BYTE, 0, stream_tag, MPI_COMM_WORLD, &requests[k]);
        }
        MPI_Waitall(under_way, requests.data(), MPI_STATUSES_IGNORE);
      }
      if (rank_ == 0)
        receive_bytes(&has_all, 1, 1, stream_tag);
      else
        send_bytes(&has_all, 1, 0, stream_tag);
    });
    if (rank_ == 0) rates.push_back(double(bytes) * under_way * double(rounds) / seconds / 1e6);
  }
  return rates;
}

std::vector<double> mpi_process::question_us(int samples) const {
  std::vector<double> waits;
  if (ranks_ < 2 || rank_ > 1) return waits;
  char question[40] = {}, answer[80] = {};
  waits.resize(std::size_t(samples));
  auto const bytes_of_all = int(waits.size() * sizeof(double));
  if (rank_ == 0) {
    for (int i = 0; i < samples; ++i) {
      receive_bytes(question, sizeof question, 1, question_tag);
      send_bytes(answer, sizeof answer, 1, question_tag);
    }
    receive_bytes(waits.data(), bytes_of_all, 1, question_tag);
    return waits;
  }
  event_count begun;
  clock::time_point begun_at;
  woken_thread worker([&] {
    begun_at = clock::now();
    begun.notify();
  });
  woken_thread between([&] { worker.bell.notify(); });
  for (auto& wait : waits) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto const seen = begun.epoch();
    auto const asked_at = clock::now();
    send_bytes(question, sizeof question, 0, question_tag);
    receive_bytes(answer, sizeof answer, 0, question_tag);
    between.bell.notify();
    begun.wait_past(seen, asked_at + gather_timeout);
    wait = std::chrono::duration<double, std::micro>(begun_at - asked_at).count();
  }
  send_bytes(waits.data(), bytes_of_all, 0, question_tag);
  return {};
}

}  // namespace ballast::bench
