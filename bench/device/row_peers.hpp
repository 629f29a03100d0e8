// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "ballast/stream.hpp"
#include "device/row_kernels.cuh"

namespace ballast::bench {

/// Each returns a function that puts another library's way on the stream: it writes of.y, as ours does. Empty
/// on CPU cores, where CUDA was not built, and where the library was not found. The stream and the matrix
/// must outlive it. Throws ballast::error with CUDA's message.
using enqueue_rows = std::function<void()>;

/// cub::DeviceSegmentedReduce of row_term<Product>.
enqueue_rows sums_by_cub(stream& on, sparse_matrix const& of, bool product);
/// cuSPARSE's product, prepared by cusparseSpMV_preprocess(), by the first or second algorithm for CSR; if it
/// `adds`, to what of.y has. The library is looked for when it is called, so that programs start without it.
enqueue_rows product_by_cusparse(stream& on, sparse_matrix const& of, bool second, bool adds = false);

}  // namespace ballast::bench
