// SPDX-License-Identifier: Apache-2.0
// Products of matrices by cuBLAS over unequal devices: example_13_balanced_products cuda:0@96,cuda:0@32
// Each device computes a range of the products, and the boundaries follow its times.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <ballast/balance.hpp>
#include <ballast/device.hpp>
#include <ballast/stream.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

constexpr int side = 256, steps = 50;
constexpr std::size_t products = 256, elements = std::size_t(side) * side;

static void check(bool is_right, char const* what) {
  if (!is_right) throw std::runtime_error(what);
}

// What one device has: all matrices, so that nothing moves with a boundary.
class worker {
 public:
  worker(std::shared_ptr<ballast::compute_device> const& device, ballast::pinned_buffer<float> const& left)
      : stream_(device->make_stream()),
        left_(device, products * elements),
        product_(device, products * elements) {
    stream_->copy(left_.data(), left.data(), left_.bytes());
    int number = 0;
    check(cudaStreamGetDevice(stream_->native(), &number) == cudaSuccess, "the stream has no device");
    check(cudaSetDevice(number) == cudaSuccess, "the device cannot be used");
    check(cublasCreate(&handle_) == CUBLAS_STATUS_SUCCESS, "cuBLAS does not start");
    check(cublasSetStream(handle_, stream_->native()) == CUBLAS_STATUS_SUCCESS, "cuBLAS refuses the stream");
  }
  worker(worker const&) = delete;
  ~worker() { cublasDestroy(handle_); }

  // The square of each matrix from `first` up to `end`.
  void begin(std::size_t first, std::size_t end) {
    float const one = 1, zero = 0;
    auto const* const from = left_.data() + first * elements;
    begin_ = stream_->record();
    check(cublasSgemmStridedBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, from, side,
                                    elements, from, side, elements, &zero, product_.data() + first * elements,
                                    side, elements, int(end - first)) == CUBLAS_STATUS_SUCCESS,
          "cuBLAS does not multiply");
    end_ = stream_->record();
  }
  double seconds() {
    stream_->synchronize();
    return std::chrono::duration<double>(end_->since(*begin_)).count();
  }
  void copy(ballast::pinned_buffer<float>& to, std::size_t first, std::size_t end) {
    stream_->copy(to.data() + first * elements, product_.data() + first * elements,
                  (end - first) * elements * sizeof(float));
    stream_->synchronize();
  }

 private:
  std::unique_ptr<ballast::stream> stream_;
  ballast::device_buffer<float> left_, product_;
  std::unique_ptr<ballast::event> begin_, end_;
  cublasHandle_t handle_ = nullptr;
};

static void multiply(ballast::device_list const& devices) {
  ballast::pinned_buffer<float> matrices(devices.front(), products * elements);
  for (std::size_t i = 0; i < products * elements; ++i) matrices[i] = float(i / elements % 7);
  std::vector<std::unique_ptr<worker>> workers;
  for (auto const& device : devices) workers.push_back(std::make_unique<worker>(device, matrices));

  ballast::balancer balance(workers.size(), products);
  auto at = balance.boundaries();
  for (int step = 0; step < steps; ++step) {
    if (step > 0) at = balance.propose().value_or(at);
    for (std::size_t i = 0; i < workers.size(); ++i)
      if (at[i] < at[i + 1]) workers[i]->begin(at[i], at[i + 1]);
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (at[i] == at[i + 1]) continue;
      auto const seconds = workers[i]->seconds();
      if (step > 0) balance.observe(i, double(at[i + 1] - at[i]), seconds);  // the first one loads kernels
    }
  }

  for (std::size_t i = 0; i < workers.size(); ++i) workers[i]->copy(matrices, at[i], at[i + 1]);
  for (std::size_t i = 0; i < products * elements; ++i)
    check(matrices[i] == float(side * (i / elements % 7) * (i / elements % 7)), "a product is wrong");
  for (std::size_t i = 0; i < workers.size(); ++i)
    std::printf("%s: %zu products\n", devices[i]->name().c_str(), at[i + 1] - at[i]);
}

int main(int count, char** arguments) {
  try {
    if (ballast::cuda_device_count() > 0)
      multiply(ballast::open_devices(count > 1 ? arguments[1] : "cuda:0"));
    std::printf(ballast::cuda_device_count() > 0 ? "all products are right\n" : "there is no GPU\n");
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
