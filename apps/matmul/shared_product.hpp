// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "reference.hpp"

namespace ballast::matmul {

enum class product_kernel : std::uint8_t { naive, tiled };

/// Throws bad_argument ("kernel") listing the names.
product_kernel product_kernel_named(std::string_view name);

/// The matrices of a product as shared arrays, and their product as a job. One thread at a time.
class shared_product {
 public:
  /// `of` has product_kernels() and outlives this.
  shared_product(job_scheduler& of, product_shape const& shape);

  /// Writes the factors on the host, after the jobs that use them.
  void fill();
  /// As if they were written anew: the next job brings them to the devices again.
  void take_back();
  /// Each unit of the job is a row of blocks of the kernel: one row of c, or 128. Waits for no device.
  completion submit(product_kernel with);
  /// The matrices on the host, after the job that computes c, of several ranks on the first one alone. Right
  /// until something is submitted or filled.
  product read() const;
  /// Without c, on each rank.
  product factors() const;

 private:
  template <class Kernel>
  completion submit_kernel();

  job_scheduler& jobs_;
  product_shape shape_;
  shared_array<std::int32_t, 2> a_, b_, c_;
};

}  // namespace ballast::matmul
