// SPDX-License-Identifier: Apache-2.0
#include "shared_product.hpp"

#include "ballast/arguments.hpp"
#include "job_run/timed_runs.hpp"
#include "product_kernels.cuh"
#include "reference.hpp"

namespace ballast::matmul {

product_kernel product_kernel_named(std::string_view name) {
  constexpr std::string_view names[] = {"naive", "tiled"};
  return static_cast<product_kernel>(index_among(names, "kernel", name));
}

shared_product::shared_product(job_scheduler& of, product_shape const& shape)
    : jobs_(of),
      shape_(shape),
      a_(of, {shape.rows, shape.inner}, "a"),
      b_(of, {shape.inner, shape.columns}, "b"),
      c_(of, {shape.rows, shape.columns}, "c") {}

void shared_product::fill() {
  fill_a(shape_, a_.write());
  fill_b(shape_, b_.write());
}

void shared_product::take_back() {
  a_.update();
  b_.update();
}

completion shared_product::submit(product_kernel with) {
  return with == product_kernel::naive ? submit_kernel<naive_product>() : submit_kernel<tiled_product>();
}

template <class Kernel>
completion shared_product::submit_kernel() {
  job_grid const grid({Kernel::blocks_in_a_row(shape_), Kernel::units(shape_)}, cut::y);
  auto const band = rows(Kernel::rows_of_unit);
  return jobs_.submit({.grid = grid, .name = "matmul"}, reads(a_, band), reads(b_, all), writes(c_, band),
                      [shape = shape_](auto a, auto b, auto c) {
                        return Kernel{a, b, c, shape};
                      });
}

product shared_product::read() const {
  auto all = factors();
  all.c = c_.read_on(0, every_element, job_run::a_day_from_now());
  return all;
}

product shared_product::factors() const { return {shape_, a_.read(), b_.read(), {}}; }

}  // namespace ballast::matmul
