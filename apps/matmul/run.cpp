// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>

#include "kernels.hpp"

namespace ballast::matmul {
namespace {

job_run::verdict checked(product const& result) {
  auto const [rows, inner, columns] = result.shape;
  if (std::max({rows, inner, columns}) <= most_checked_singly)
    return {std::ranges::equal(result.c, multiplied(result)), "every element against the sequential program"};
  return {passes_freivalds_test(result), "Freivalds' test modulo 2^32 with 3 vectors"};
}

std::uint64_t bytes_of(product_shape const& shape) {
  return sizeof(std::int32_t) * (shape.elements_of_a() + shape.elements_of_b() + shape.elements_of_c());
}

}  // namespace

job_run::run_summary run(device_list const& devices, plan const& asked,
                         std::function<bool()> const& stop_requested) {
  auto options = asked.options;
  options.array_bytes = bytes_of(asked.shape);
  job_scheduler jobs(devices, product_kernels(), options);
  shared_product matrices(jobs, asked.shape);
  auto const multiply = [&] {
    matrices.submit(asked.kernel);
    matrices.read();
  };
  auto runs = job_run::repeated(jobs, asked.repeat, {[&] { matrices.fill(); }, multiply}, stop_requested);
  return job_run::summary_of(devices, asked.options, std::move(runs), checked(matrices.read()));
}

}  // namespace ballast::matmul
