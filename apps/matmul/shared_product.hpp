// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "reference.hpp"

namespace ballast::matmul {

enum class product_kernel : std::uint8_t { naive, tiled };

/// The kernel of that name. Throws bad_argument ("kernel"), which lists the names.
product_kernel product_kernel_named(std::string_view name);

/// The matrices of a product as shared arrays, and their product as a job. One thread at a time.
class shared_product {
 public:
  /// `of` must have product_kernels() and outlive this.
  shared_product(job_scheduler& of, product_shape const& shape);

  /// Writes the factors on the host, after the jobs that use them.
  void fill();
  /// Makes the next job copy the factors to the devices again, as if they were newly written.
  void take_back();
  /// Submits the product as a job. Each unit of the job is a row of blocks of the kernel: one row of c, or
  /// 128. Does not wait for a device.
  completion submit(product_kernel with);
  /// The matrices on the host (of several ranks on the first one alone), after the job that computes c. Valid
  /// until the next submission or fill().
  product read() const;
  /// The matrices a and b without c, on each rank.
  product factors() const;

 private:
  template <class Kernel>
  completion submit_kernel();

  job_scheduler& jobs_;
  product_shape shape_;
  shared_array<std::int32_t, 2> a_, b_, c_;
};

}  // namespace ballast::matmul
