// SPDX-License-Identifier: Apache-2.0
// The plain CUDA code that docs/how-to/many-small-kernels.md ports, and what that page shows of it.
#include "ported_kernels.cuh"

#include "ballast/detail/launch/compile_launch.cuh"

namespace ballast::test::ported {

BALLAST_KERNELS(kernels, ballast::for_launches, scale_kernel)

#if defined(__CUDACC__)
namespace {

__global__ void scale(float* x, unsigned n, float factor) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

namespace before {

void work_of_one_thread(float* x, unsigned n, int steps) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int step = 0; step < steps; ++step) scale<<<(n + 127) / 128, 128, 0, stream>>>(x, n, 2);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

}  // namespace before

namespace after {

void work_of_one_thread(ballast::launch_queue& queue, float* x, unsigned n, int steps) {
  auto launch_stream = queue.make_launch_stream();
  for (int step = 0; step < steps; ++step) launch_stream.launch(scale, (n + 127) / 128, 128, x, n, 2);
  launch_stream.last().wait();
}

}  // namespace after
}  // namespace

void work_without_a_queue(float* x, unsigned n, int steps) { before::work_of_one_thread(x, n, steps); }
void work_of_plain_launches(ballast::launch_queue& queue, float* x, unsigned n, int steps) {
  after::work_of_one_thread(queue, x, n, steps);
}

void work_between_others(ballast::launch_queue& queue, ballast::compute_device& device, float* x,
                         unsigned n) {
  unsigned const blocks = (n + 127) / 128;
  auto launch_stream = queue.make_launch_stream();
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  {
    auto const mine = device.adopt_stream(stream);  // a cudaStream_t that stays yours; once
    launch_stream.after(*mine);                     // begins after what is in it now
    launch_stream.launch(scale_kernel{ballast::array_ref(x), n, 2}, blocks);
    launch_stream.precede(*mine);  // what you enqueue next begins after that
    scale<<<blocks, 128, 0, stream>>>(x, n, 2);
  }
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
#else
void work_without_a_queue(float*, unsigned, int) {}
void work_of_plain_launches(ballast::launch_queue&, float*, unsigned, int) {}
void work_between_others(ballast::launch_queue&, ballast::compute_device&, float*, unsigned) {}
#endif

}  // namespace ballast::test::ported
