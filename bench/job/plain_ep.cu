// SPDX-License-Identifier: Apache-2.0
#include "ep/class.hpp"
#include "job/plain_array.cuh"
#include "job/plain_cuda.hpp"

namespace ballast::bench {

#if defined(__CUDACC__)
namespace {

constexpr unsigned threads = 128;
constexpr std::uint64_t seed = 271828183, multiplier = 1220703125, below_2_46 = (std::uint64_t{1} << 46) - 1;

/// The state of the benchmark's generator after this many numbers.
__device__ std::uint64_t state_after(std::uint64_t numbers) {
  std::uint64_t state = seed;
  for (std::uint64_t power = multiplier; numbers != 0; numbers /= 2, power = power * power & below_2_46)
    if (numbers % 2 != 0) state = state * power & below_2_46;
  return state;
}

__device__ double next_number(std::uint64_t& state) {
  state = state * multiplier & below_2_46;
  return static_cast<double>(state) * 0x1p-46;
}

template <class T>
__device__ T sum_of(T const (&values)[threads], unsigned count) {
  T sum = 0;
  for (unsigned i = 0; i < count; ++i) sum += values[i];
  return sum;
}

/// A thread draws a batch by Marsaglia's polar method; a block adds up the results of its batches.
__global__ void __launch_bounds__(threads)
    draw_pairs(unsigned batches, unsigned pairs_of_each, double* sx, double* sy, unsigned* counts) {
  __shared__ unsigned hits[ep::annuli][threads];
  __shared__ double of_x[threads], of_y[threads];
  unsigned const batch = blockIdx.x * threads + threadIdx.x;
  for (auto& annulus : hits) annulus[threadIdx.x] = 0;
  double sum_x = 0, sum_y = 0;
  auto state = state_after(std::uint64_t{2} * pairs_of_each * batch);
  for (unsigned pair = 0; pair < (batch < batches ? pairs_of_each : 0); ++pair) {
    double const x = 2 * next_number(state) - 1, y = 2 * next_number(state) - 1;
    double const t = x * x + y * y;
    if (t > 1) continue;
    double const factor = sqrt(-2 * log(t) / t);
    ++hits[static_cast<unsigned>(fmax(fabs(x * factor), fabs(y * factor)))][threadIdx.x];
    sum_x += x * factor;
    sum_y += y * factor;
  }
  of_x[threadIdx.x] = sum_x;
  of_y[threadIdx.x] = sum_y;
  __syncthreads();
  auto const row = threadIdx.x;
  if (row < ep::annuli) counts[std::size_t(blockIdx.x) * ep::annuli + row] = sum_of(hits[row], threads);
  if (row == ep::annuli) sx[blockIdx.x] = sum_of(of_x, threads);
  if (row == ep::annuli + 1) sy[blockIdx.x] = sum_of(of_y, threads);
}

class plain_pairs final : public job_program {
 public:
  plain_pairs(int gpu, ep::problem_class const& of)
      : of_(of),
        cut_(of.log2_pairs),
        stream_(gpu),
        blocks_(parts_of(cut_.count(), threads)),
        sx_(blocks_),
        sy_(blocks_),
        counts_(std::size_t(blocks_) * ep::annuli) {}

  void prepare() override { stream_.enter(); }
  void run() override {
    draw_pairs<<<blocks_, threads, 0, stream_.get()>>>(cut_.count(), cut_.pairs_of_each(), sx_.gpu(),
                                                       sy_.gpu(), counts_.gpu());
    check(cudaGetLastError(), "the launch of draw_pairs");
    sx_.copy_out(stream_);
    sy_.copy_out(stream_);
    counts_.copy_out(stream_);
    stream_.synchronize();
    found_ = ep::sum_of(sx_.host(), sy_.host(), counts_.host());
  }
  bool is_right() override { return ep::is_right(found_, of_); }
  std::span<std::byte const> result() override { return std::as_bytes(std::span(found_.counts)); }

 private:
  ep::problem_class const& of_;
  ep::batches cut_;
  plain_stream stream_;  // before the arrays, which are allocated on its GPU
  unsigned blocks_;
  plain_array<double> sx_, sy_;
  plain_array<std::uint32_t> counts_;
  ep::tally found_;
};

}  // namespace

std::unique_ptr<job_program> plain_ep(int gpu, ep::problem_class const& of) {
  return std::make_unique<plain_pairs>(gpu, of);
}
#else
std::unique_ptr<job_program> plain_ep(int, ep::problem_class const&) { return nullptr; }
#endif

}  // namespace ballast::bench
