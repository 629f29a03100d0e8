// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "ranks/benchmarks.hpp"
#include "ranks/kernels.cuh"
#include "ranks/place.hpp"

namespace ballast::bench {
namespace {

constexpr std::size_t mib = 1 << 20;

/// Words in rows; each rank writes its own rows.
class words_of_ranks {
 public:
  words_of_ranks(place const& at, std::size_t bytes_of_rank)
      : jobs_(*at.devices, row_kernels(),
              {.policy = "static", .array_bytes = bytes_of_rank, .ranks = job_peers_of(*at.ranks)}),
        all_(jobs_, {at.ranks->ranks() * bytes_of_rank / (number_row::words * sizeof(std::uint64_t)),
                     number_row::words}) {}

  /// Writes each rank's words on its devices, and waits for them.
  void write_on_devices(std::uint64_t first) {
    auto const rows_of_all = std::uint32_t(all_.size(0));
    auto const number = [first](auto to) { return number_row{to, first}; };
    jobs_.submit({.grid = rows_of_all}, writes(all_, rows), number).wait();
    first_ = first;
  }
  void write_on_host(std::uint64_t first) {
    auto const words = all_.write(own_elements);
    std::iota(words.begin(), words.end(), first + all_.own().begin);
    first_ = first;
  }
  /// The words of all ranks, on rank 0; empty elsewhere.
  std::span<std::uint64_t const> bring_to_first() const { return all_.read_on(0); }
  bool are_right(std::span<std::uint64_t const> words) const {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] != first_ + i) return false;
    return words.size() == all_.size();
  }

 private:
  job_scheduler jobs_;
  shared_array<std::uint64_t, 2> all_;
  std::uint64_t first_ = 0;
};

struct measured_read {
  std::string name;
  void (words_of_ranks::*write)(std::uint64_t first);
  std::vector<double> mb_per_s = {};
};

/// Collective. Measures all `reads` in turn, `samples` times after a warm-up; returns whether all was right.
bool read_in_turn(mpi_process const& mpi, words_of_ranks& words, double bytes, int samples,
                  std::vector<measured_read>& reads) {
  bool is_right = true;
  for (int i = 0; i <= samples; ++i)
    for (auto& one : reads) {
      (words.*one.write)(std::uint64_t(i) << 32);
      mpi.sum(0);  // until all have written
      std::span<std::uint64_t const> all;
      auto const seconds = seconds_of([&] { all = words.bring_to_first(); });
      if (i > 0) one.mb_per_s.push_back(bytes / seconds / 1e6);
      if (mpi.rank() == 0) is_right = is_right && words.are_right(all);
    }
  return is_right;
}

}  // namespace

void measure_reads(place const& at, mpi_process const& mpi) {
  if (at.ranks->ranks() < 2) return;
  auto const bytes_of_rank = (at.quick ? 8 : 128) * mib;
  int const samples = at.quick ? 3 : 15;
  std::vector<measured_read> reads{
      {"other ranks' devices wrote, read on rank 0", &words_of_ranks::write_on_devices},
      {"other ranks wrote, read on rank 0", &words_of_ranks::write_on_host}};
  words_of_ranks words(at, bytes_of_rank);
  bool const is_right =
      read_in_turn(mpi, words, double(at.ranks->ranks() - 1) * double(bytes_of_rank), samples, reads);
  std::vector<std::string> streams;
  for (std::size_t const kib : {64, 1024}) {
    streams.push_back("stream of a rank's bytes in messages of " + std::to_string(kib) + " KiB, one way");
    auto rates = mpi.stream_mb_per_s(samples, kib * 1024, bytes_of_rank);
    if (at.now != nullptr) at.now->add(streams.back(), "MB/s", std::move(rates));
  }
  if (at.now == nullptr) return;
  for (auto& one : reads) {
    auto const name = "what " + one.name;
    at.now->add(name, "MB/s", std::move(one.mb_per_s));
    for (auto const& stream : streams)
      at.now->derived(name + ": part of the " + stream, at.now->median_of(name) / at.now->median_of(stream));
  }
  at.now->verify(is_right, "every word that the ranks wrote");
}

}  // namespace ballast::bench
