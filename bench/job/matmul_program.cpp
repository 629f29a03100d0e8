// SPDX-License-Identifier: Apache-2.0
#include "ballast/job/job_scheduler.hpp"
#include "job/job_program.hpp"
#include "job/launched_whole.hpp"
#include "matmul/factors.hpp"
#include "matmul/kernels.hpp"
#include "matmul/naive_product.cuh"
#include "matmul/reference.hpp"
#include "matmul/shared_product.hpp"

namespace ballast::bench {
namespace {

using namespace matmul;

class product_as_jobs final : public job_program {
 public:
  product_as_jobs(device_list const& devices, job_options const& options, product_shape const& shape)
      : jobs_(devices, product_kernels(), options), matrices_(jobs_, shape) {}

  void prepare() override { matrices_.fill(); }
  void run() override {
    matrices_.submit(product_kernel::naive);
    matrices_.read();
  }
  bool is_right() override { return passes_freivalds_test(matrices_.read()); }
  moved_bytes moved() const override { return jobs_.statistics().moved; }

 private:
  job_scheduler jobs_;
  shared_product matrices_;
};

class product_by_hand final : public job_program {
 public:
  product_by_hand(std::shared_ptr<compute_device> const& device, product_shape const& shape)
      : shape_(shape),
        stream_(device->make_stream()),
        a_(device, shape.elements_of_a()),
        b_(device, shape.elements_of_b()),
        c_(device, shape.elements_of_c()) {}

  void prepare() override {
    fill_a(shape_, a_.host());
    fill_b(shape_, b_.host());
  }
  void run() override {
    a_.copy_in(*stream_);
    b_.copy_in(*stream_);
    naive_product const kernel{array_ref<std::int32_t const>(a_.device()),
                               array_ref<std::int32_t const>(b_.device()),
                               array_ref<std::int32_t>(c_.device()), shape_};
    launch_whole(*stream_, product_kernels(), kernel,
                 naive_product::blocks_in_a_row(shape_) * naive_product::units(shape_));
    c_.copy_out(*stream_);
    stream_->synchronize();
  }
  bool is_right() override { return passes_freivalds_test({shape_, a_.host(), b_.host(), c_.host()}); }

 private:
  product_shape shape_;
  std::unique_ptr<stream> stream_;
  copied_array<std::int32_t> a_, b_, c_;
};

}  // namespace

program_kind matmul_program(std::uint32_t size) {
  product_shape const shape{size, size, size};
  return {"matmul",
          std::to_string(size) + " squared, naive",
          sizeof(std::int32_t) * (shape.elements_of_a() + shape.elements_of_b() + shape.elements_of_c()),
          "products pass Freivalds' test with 3 vectors",
          [=](device_list const& devices, job_options const& options) {
            return std::make_unique<product_as_jobs>(devices, options, shape);
          },
          [=](std::shared_ptr<compute_device> const& device) {
            return std::make_unique<product_by_hand>(device, shape);
          }};
}

}  // namespace ballast::bench
