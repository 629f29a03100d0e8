// SPDX-License-Identifier: Apache-2.0
#include "device/row_peers.hpp"

#if defined(__CUDACC__)
#  include <thrust/iterator/counting_iterator.h>
#  include <thrust/iterator/transform_iterator.h>

#  include <cub/device/device_segmented_reduce.cuh>
#  include <memory>

#  include "ballast/device.hpp"
#  include "harness/cuda_check.hpp"
#endif

namespace ballast::bench {

#if defined(__CUDACC__)
namespace {

template <bool Product>
enqueue_rows by_cub(stream& on, sparse_matrix const& of) {
  auto const terms =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0u), row_term<Product>{of});
  auto const sum = [=, &on](void* room, std::size_t& bytes) {
    check(cub::DeviceSegmentedReduce::Sum(room, bytes, terms, of.y.data(), int(of.rows), of.offsets.data(),
                                          of.offsets.data() + 1, on.native()),
          "cub::DeviceSegmentedReduce::Sum");
  };
  std::size_t bytes = 0;
  sum(nullptr, bytes);
  void* room = nullptr;
  check(cudaMalloc(&room, bytes + 1), "cudaMalloc");
  std::shared_ptr<void> const kept(room, [](void* memory) { cudaFree(memory); });
  return [=] {
    auto given = bytes;
    sum(kept.get(), given);
  };
}

}  // namespace

enqueue_rows sums_by_cub(stream& on, sparse_matrix const& of, bool product) {
  if (on.native() == nullptr) return {};
  return product ? by_cub<true>(on, of) : by_cub<false>(on, of);
}
#else
enqueue_rows sums_by_cub(stream&, sparse_matrix const&, bool) { return {}; }
#endif

}  // namespace ballast::bench
