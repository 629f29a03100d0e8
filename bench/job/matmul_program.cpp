// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"
#include "job/job_program.hpp"
#include "job/launched_whole.hpp"
#include "job/plain_cuda.hpp"
#include "matmul/kernels.hpp"
#include "matmul/product_kernels.cuh"
#include "matmul/reference.hpp"
#include "matmul/shared_product.hpp"

namespace ballast::bench {
namespace {

using namespace matmul;

class product_as_jobs final : public job_program {
 public:
  product_as_jobs(device_list const& devices, job_options const& options, product_shape const& shape,
                  product_kernel with)
      : jobs_(devices, product_kernels(), options), matrices_(jobs_, shape), with_(with) {
    matrices_.fill();
  }

  void prepare() override { matrices_.take_back(); }
  void run() override {
    matrices_.submit(with_);
    matrices_.read();
  }
  bool is_right() override { return passes_freivalds_test(matrices_.read()); }
  std::span<std::byte const> result() override { return std::as_bytes(matrices_.read().c); }
  moved_bytes moved() const override { return jobs_.statistics().moved; }

 private:
  job_scheduler jobs_;
  shared_product matrices_;
  product_kernel with_;
};

template <class Kernel>
class product_by_hand final : public job_program {
 public:
  product_by_hand(std::shared_ptr<compute_device> const& device, product_shape const& shape)
      : shape_(shape),
        stream_(device->make_stream()),
        a_(device, shape.elements_of_a()),
        b_(device, shape.elements_of_b()),
        c_(device, shape.elements_of_c()) {
    fill_a(shape_, a_.host());
    fill_b(shape_, b_.host());
  }

  void prepare() override {}
  void run() override {
    a_.copy_in(*stream_);
    b_.copy_in(*stream_);
    Kernel const kernel{array_ref<std::int32_t const>(a_.device()),
                        array_ref<std::int32_t const>(b_.device()), array_ref<std::int32_t>(c_.device()),
                        shape_};
    launch_whole(*stream_, product_kernels(), kernel,
                 Kernel::blocks_in_a_row(shape_) * Kernel::units(shape_));
    c_.copy_out(*stream_);
    stream_->synchronize();
  }
  bool is_right() override { return passes_freivalds_test({shape_, a_.host(), b_.host(), c_.host()}); }
  std::span<std::byte const> result() override { return std::as_bytes(c_.host()); }

 private:
  product_shape shape_;
  std::unique_ptr<stream> stream_;
  copied_array<std::int32_t> a_, b_, c_;
};

template <class Kernel>
program_kind program_with(product_kernel with, std::string name, std::string const& size,
                          product_shape const& shape) {
  return {
      .name = std::move(name),
      .size = size,
      .bytes = sizeof(std::int32_t) * (shape.elements_of_a() + shape.elements_of_b() + shape.elements_of_c()),
      .units = Kernel::units(shape),
      .check = "products pass Freivalds' test with 3 vectors",
      .compared = "elements",
      .as_jobs =
          [=](device_list const& devices, job_options const& options) {
            return std::make_unique<product_as_jobs>(devices, options, shape, with);
          },
      .by_hand =
          [=](std::shared_ptr<compute_device> const& device) {
            return std::make_unique<product_by_hand<Kernel>>(device, shape);
          },
      .plain = [=](int gpu) { return plain_matmul(gpu, shape, with); }};
}

}  // namespace

program_kind matmul_program(std::uint32_t size, product_kernel with) {
  product_shape const shape{size, size, size};
  auto const squared = std::to_string(size) + " squared";
  return with == product_kernel::naive
             ? program_with<naive_product>(with, "matmul", squared + ", naive", shape)
             : program_with<tiled_product>(with, "tiled matmul", squared, shape);
}

}  // namespace ballast::bench
