// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cluster launch control, of compute capability 10.0 and later, for grids of one dimension without clusters.

namespace ballast::detail {

/// A request to the hardware not to begin one of the grid's blocks, so that the caller runs it instead. The
/// object is shared memory; one thread makes requests, one after another.
class block_request {
 public:
  __device__ void prepare() {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&arrived_)) : "memory");
  }
  /// Not again once none was left.
  __device__ void send() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::
            "r"(shared(&answer_)),
        "r"(shared(&arrived_))
        : "memory");
    asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], 16;" ::"r"(shared(&arrived_))
                 : "memory");
  }
  /// Any thread waits for the answer to the request of this parity: those sent before it, modulo 2.
  __device__ void await(unsigned parity) const {
    unsigned is_there = 0;
    while (is_there == 0)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(is_there)
          : "r"(shared(&arrived_)), "r"(parity)
          : "memory");
  }
  /// True if a block was left; then `index` is its index.
  __device__ bool has(unsigned& index) const {
    unsigned found = 0;
    asm volatile(
        "{ .reg .b128 answer; .reg .pred p; mov.b128 answer, {%2, %3};"
        " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer; selp.u32 %0, 1, 0, p;"
        " @p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, answer; }"
        : "=r"(found), "+r"(index)
        : "l"(answer_[0]), "l"(answer_[1]));
    return found != 0;
  }

 private:
  static __device__ unsigned shared(void const* address) {
    return static_cast<unsigned>(__cvta_generic_to_shared(address));
  }

  alignas(16) unsigned long long answer_[2];
  unsigned long long arrived_;
};

/// Calls body(index) for the block itself and for each block that it gets instead of a new one. All threads
/// call it, once in a kernel. The next request is under way while the body runs. Two requests take turns, so
/// that one barrier comes between two blocks.
template <class Body>
__device__ void for_each_cancelled_block(Body const& body) {
  __shared__ block_request requests[2];
  bool const is_first = (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
  if (is_first)
    for (auto& request : requests) request.prepare();
  __syncthreads();
  unsigned index = blockIdx.x;
  bool is_left = true;
  for (unsigned sent = 0; is_left; ++sent) {
    auto& request = requests[sent % 2];
    if (is_first) request.send();
    body(index);
    request.await(sent / 2 % 2);
    __syncthreads();
    is_left = request.has(index);
  }
}

}  // namespace ballast::detail
