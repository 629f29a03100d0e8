// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "job_run/request.hpp"
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
  return fmt::format("a product of {0} x {1} and {1} x {2} matrices of int32 ({3}) and its check", shape.rows,
                     shape.inner, shape.columns, byte_size(bytes_of(shape)));
}

/// A product per repetition, and the last complete one, even if the next was stopped.
class repeated_product {
 public:
  repeated_product(job_scheduler& jobs, product_shape const& shape) : matrices_(jobs, shape) {}

  /// Fills a and b for the next product. Copies the last whole c before, since the next product replaces it
  /// and may be stopped.
  void prepare() {
    if (is_whole_) kept_.assign(result_.c.begin(), result_.c.end());
    is_whole_ = false;
    matrices_.fill();
  }
  completion submit(product_kernel with) { return matrices_.submit(with); }
  void bring_home() {
    result_ = matrices_.read();
    is_whole_ = true;
  }
  /// The last whole product. Call it once there was one.
  product last_whole() const {
    if (is_whole_) return result_;
    auto before = matrices_.factors();
    before.c = kept_;
    return before;
  }

 private:
  shared_product matrices_;
  product result_;
  std::vector<std::int32_t> kept_;  ///< c of the previous repetition
  bool is_whole_ = false;           ///< true: result_ is whole
};

job_run::run_summary run_in_memory(device_list const& devices, plan const& asked,
                                   std::function<bool()> const& stop_requested) {
  auto options = asked.options;
  options.array_bytes = bytes_of(asked.shape);
  options.stop_requested = stop_requested;
  job_scheduler jobs(devices, product_kernels(), options);
  repeated_product products(jobs, asked.shape);
  auto runs = job_run::repeated(jobs, asked.repeat,
                                {[&] { products.prepare(); }, [&] { return products.submit(asked.kernel); },
                                 [&] { products.bring_home(); }, job_run::tasks_of("matmul")},
                                stop_requested);
  auto found = jobs.rank() == 0 ? checked(products.last_whole()) : job_run::checked_by_the_first_rank;
  return job_run::summary_of(jobs, devices, asked.options, std::move(runs), std::move(found));
}

}  // namespace

job_run::run_summary run(device_list const& devices, plan const& asked,
                         std::function<bool()> const& stop_requested) {
  return command_line::with_memory_for([&] { return matrices_of(asked.shape); },
                                       [&] { return run_in_memory(devices, asked, stop_requested); });
}

namespace {

constexpr std::uint32_t max_rows = 32768;

struct command_request {
  std::uint32_t size = plan{}.shape.rows;
  std::string kernel = "naive";
  job_run::request how;
};

std::string as_json(command_request const& typed, job_run::run_summary const& done) {
  return job_run::json_text({{"size", typed.size}, {"kernel", typed.kernel}}, done);
}

std::string as_text(command_request const& typed, job_run::run_summary const& done) {
  return fmt::format("product of int32 matrices, {0} x {0}, kernel {1}\n{2}", typed.size, typed.kernel,
                     job_run::text_of(done));
}

void run_command(command_request const& typed, std::function<bool()> const& stop_requested) {
  product_shape const shape{typed.size, typed.size, typed.size};
  auto const kernel = product_kernel_named(typed.kernel);
  auto const multiply = [&](device_list const& devices, job_options const& options) {
    return run(devices, {shape, kernel, options, typed.how.repeat}, stop_requested);
  };
  auto const done = job_run::run_with_devices(typed.how, multiply);
  job_run::print(done, typed.how.json ? as_json(typed, done) : as_text(typed, done));
  job_run::expect_right(done);
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const matmul = app.add_subcommand(
      "matmul", "A product of matrices as one job, cut into tasks for several devices (Ohno et al. 2016)");
  matmul->option_defaults()->always_capture_default();
  command_line::begin_group(*matmul, command_line::work_group);
  command_line::add_integer_option(*matmul, "--size", asked->size, 1u, max_rows, "Rows and columns");
  command_line::takes_one_of(matmul->add_option("--kernel", asked->kernel, "naive is the paper's"),
                             {"naive", "tiled"});
  job_run::add_options(*matmul, asked->how);
  command_line::add_examples(*matmul, {"ballast matmul --size 512 --kernel tiled",
                                       "ballast matmul --size 256 --devices host:1,host:1 --policy static"});
  matmul->callback([=, stop_requested = std::move(stop_requested)] {
    job_run::name_options_in_errors([&] { run_command(*asked, stop_requested); });
  });
}

}  // namespace ballast::matmul
