// SPDX-License-Identifier: Apache-2.0
#include "ranks/mpi_process.hpp"

#include <mpi.h>

#include <algorithm>
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "harness/session.hpp"

namespace ballast::bench {
namespace {

constexpr auto gather_timeout = std::chrono::seconds(10);
constexpr int gather_tag = 1;

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

}  // namespace ballast::bench
