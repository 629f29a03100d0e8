// SPDX-License-Identifier: Apache-2.0
// Heat in a plate whose rows MPI ranks share: mpirun -n 4 example_12_balance
// Odd ranks compute three times as slowly, and the boundaries between ranks follow their times. Of ballast it
// uses one header, and links nothing.
#include <mpi.h>
#include <ballast/balance.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

using rows = std::vector<double>;  // one after another
using boundaries = std::vector<std::size_t>;
constexpr std::size_t columns = 400, height = 300;
constexpr int steps = 200;

static int rank, ranks;

static std::size_t rows_of(boundaries const& at, int one) {
  return at[std::size_t(one) + 1] - at[std::size_t(one)];
}

// The rows that are one rank's by `from` and another's by `to`, as elements behind the row `base`.
struct common_rows {
  common_rows(boundaries const& from, int sender, boundaries const& to, int receiver, std::size_t base) {
    auto const begin = std::max(from[std::size_t(sender)], to[std::size_t(receiver)]);
    auto const end = std::min(from[std::size_t(sender) + 1], to[std::size_t(receiver) + 1]);
    if (begin < end) at = int((begin - base) * columns), count = int((end - begin) * columns);
  }
  int at = 0, count = 0;
};

// Each row goes to the rank that has it from now on.
static rows moved(rows const& own, boundaries const& from, boundaries const& to) {
  std::vector<int> sent, sent_at, got, got_at;
  for (int other = 0; other < ranks; ++other) {
    common_rows const gives(from, rank, to, other, from[std::size_t(rank)]);
    common_rows const gets(from, other, to, rank, to[std::size_t(rank)]);
    sent.push_back(gives.count), sent_at.push_back(gives.at);
    got.push_back(gets.count), got_at.push_back(gets.at);
  }
  rows next(rows_of(to, rank) * columns);
  MPI_Alltoallv(own.data(), sent.data(), sent_at.data(), MPI_DOUBLE, next.data(), got.data(), got_at.data(),
                MPI_DOUBLE, MPI_COMM_WORLD);
  return next;
}

// The nearest rank with rows, above (-1) or below (1).
static int neighbour(boundaries const& at, int way) {
  for (int other = rank + way; rows_of(at, rank) > 0 && other >= 0 && other < ranks; other += way)
    if (rows_of(at, other) > 0) return other;
  return MPI_PROC_NULL;
}

// The rows with the neighbours' above and below them; the plate is hot above and cold below.
static rows with_edges(rows const& own, boundaries const& at) {
  rows all(columns, 100.0);
  all.insert(all.end(), own.begin(), own.end());
  all.resize(all.size() + columns);
  auto *const first = all.data() + columns, *const beyond = all.data() + all.size() - columns;
  auto const above = neighbour(at, -1), below = neighbour(at, 1);
  MPI_Sendrecv(first, columns, MPI_DOUBLE, above, 0, beyond, columns, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(beyond - columns, columns, MPI_DOUBLE, below, 0, all.data(), columns, MPI_DOUBLE, above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return all;
}

static void compute(rows& own, rows const& before) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    auto const here = i + columns;
    auto const left = i % columns == 0 ? here : here - 1, right = (i + 1) % columns == 0 ? here : here + 1;
    auto const around = before[left] + before[right] + before[here - columns] + before[here + columns];
    own[i] = before[here] + 0.2 * (around - 4 * before[here]);
  }
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ballast::balancer balance(std::size_t(ranks), height);
  auto at = balance.boundaries();
  rows own(rows_of(at, rank) * columns);
  std::vector<double> seconds(std::size_t(ranks), 0.0);
  for (int step = 0; step < steps; ++step) {
    auto const before = with_edges(own, at);
    auto const begin = MPI_Wtime();
    for (int times = rank % 2 == 0 ? 1 : 3; times > 0; --times) compute(own, before);
    auto const mine = std::max(MPI_Wtime() - begin, 1e-9);
    MPI_Gather(&mine, 1, MPI_DOUBLE, seconds.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    auto next = at;
    if (rank == 0) {
      for (std::size_t one = 0; one < seconds.size(); ++one)
        balance.observe(one, double(at[one + 1] - at[one]), seconds[one]);
      next = balance.propose().value_or(at);
    }
    MPI_Bcast(next.data(), int(next.size()), MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (next != at) own = moved(own, at, next);
    at = next;
  }
  double sum = 0, all = 0;
  for (auto const value : own) sum += value;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("the mean is %.6f\n", all / double(height * columns));
  MPI_Finalize();
}
