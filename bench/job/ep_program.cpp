// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"
#include "ep/class.hpp"
#include "ep/gaussian_pairs.cuh"
#include "ep/kernels.hpp"
#include "ep/shared_pairs.hpp"
#include "job/job_program.hpp"
#include "job/launched_whole.hpp"
#include "job/plain_cuda.hpp"

namespace ballast::bench {
namespace {

using namespace ep;

class pairs_as_jobs final : public job_program {
 public:
  pairs_as_jobs(device_list const& devices, job_options const& options, problem_class const& of)
      : of_(of), jobs_(devices, pair_kernels(), options), pairs_(jobs_, of.log2_pairs) {}

  void prepare() override {}  // there are no inputs
  void run() override {
    pairs_.submit();
    found_ = pairs_.read();
  }
  bool is_right() override { return ep::is_right(found_, of_); }
  std::span<std::byte const> result() override { return std::as_bytes(std::span(found_.counts)); }
  moved_bytes moved() const override { return jobs_.statistics().moved; }

 private:
  problem_class const& of_;
  job_scheduler jobs_;
  shared_pairs pairs_;
  tally found_;
};

class pairs_by_hand final : public job_program {
 public:
  pairs_by_hand(std::shared_ptr<compute_device> const& device, problem_class const& of)
      : of_(of),
        cut_(of.log2_pairs),
        stream_(device->make_stream()),
        sx_(device, blocks()),
        sy_(device, blocks()),
        counts_(device, std::size_t(blocks()) * annuli) {}

  void prepare() override {}
  void run() override {
    gaussian_pairs const kernel{array_ref<double>(sx_.device()), array_ref<double>(sy_.device()),
                                array_ref<std::uint32_t>(counts_.device()), cut_.count(),
                                cut_.pairs_of_each()};
    launch_whole(*stream_, pair_kernels(), kernel, blocks());
    sx_.copy_out(*stream_);
    sy_.copy_out(*stream_);
    counts_.copy_out(*stream_);
    stream_->synchronize();
    found_ = sum_of(sx_.host(), sy_.host(), counts_.host());
  }
  bool is_right() override { return ep::is_right(found_, of_); }
  std::span<std::byte const> result() override { return std::as_bytes(std::span(found_.counts)); }

 private:
  std::uint32_t blocks() const { return gaussian_pairs::blocks_for(cut_.count()); }

  problem_class const& of_;
  batches cut_;
  std::unique_ptr<stream> stream_;
  copied_array<double> sx_, sy_;
  copied_array<std::uint32_t> counts_;
  tally found_;
};

}  // namespace

program_kind ep_program(std::string const& class_name) {
  auto const& of = class_named(class_name);
  auto const bytes_of_block = 2 * sizeof(double) + annuli * sizeof(std::uint32_t);
  auto const blocks = gaussian_pairs::blocks_for(batches(of.log2_pairs).count());
  return {.name = "ep",
          .size = "class " + class_name,
          .bytes = blocks * bytes_of_block,
          .units = blocks,
          .check = "sums of ep within 1e-8 of the published ones, pairs as published",
          .compared = "counts",
          .as_jobs =
              [&of](device_list const& devices, job_options const& options) {
                return std::make_unique<pairs_as_jobs>(devices, options, of);
              },
          .by_hand =
              [&of](std::shared_ptr<compute_device> const& device) {
                return std::make_unique<pairs_by_hand>(device, of);
              },
          .plain = [&of](int gpu) { return plain_ep(gpu, of); }};
}

}  // namespace ballast::bench
