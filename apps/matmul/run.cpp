// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <string>

#include "command_line/program.hpp"
#include "kernels.hpp"
#include "report/table.hpp"

namespace ballast::matmul {
namespace {

job_run::verdict checked(product const& result) {
  auto const [rows, inner, columns] = result.shape;
  if (std::max({rows, inner, columns}) <= max_fully_checked)
    return {std::ranges::equal(result.c, multiplied(result)), "every element against the sequential program"};
  return {passes_freivalds_test(result), "Freivalds' test modulo 2^32 with 3 vectors"};
}

std::uint64_t bytes_of(product_shape const& shape) {
  return sizeof(std::int32_t) * (shape.elements_of_a() + shape.elements_of_b() + shape.elements_of_c());
}

std::string matrices_of(product_shape const& shape) {
  auto const size = [](std::uint32_t rows, std::uint32_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
  };
  return "a product of " + size(shape.rows, shape.inner) + " and " + size(shape.inner, shape.columns) +
         " matrices of int32 (" + byte_size(bytes_of(shape)) + ") and its check";
}

job_run::run_summary run_in_memory(device_list const& devices, plan const& asked,
                                   std::function<bool()> const& stop_requested) {
  auto options = asked.options;
  options.array_bytes = bytes_of(asked.shape);
  job_scheduler jobs(devices, product_kernels(), options);
  shared_product matrices(jobs, asked.shape);
  auto const multiply = [&] {
    matrices.submit(asked.kernel);
    matrices.read();
    return true;
  };
  auto runs = job_run::repeated(jobs, asked.repeat, {[&] { matrices.fill(); }, multiply}, stop_requested);
  return job_run::summary_of(devices, asked.options, std::move(runs), checked(matrices.read()));
}

}  // namespace

job_run::run_summary run(device_list const& devices, plan const& asked,
                         std::function<bool()> const& stop_requested) {
  return command_line::with_memory_for([&] { return matrices_of(asked.shape); },
                                       [&] { return run_in_memory(devices, asked, stop_requested); });
}

}  // namespace ballast::matmul
