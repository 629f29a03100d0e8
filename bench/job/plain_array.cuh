// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__)
#  include <cstddef>
#  include <memory>
#  include <span>

#  include "harness/cuda_check.hpp"

namespace ballast::bench {

/// A stream of a GPU, which becomes the calling thread's current one.
class plain_stream {
 public:
  explicit plain_stream(int gpu) : gpu_(gpu) {
    enter();
    check(cudaStreamCreate(&stream_), "cudaStreamCreate");
  }
  plain_stream(plain_stream const&) = delete;
  plain_stream& operator=(plain_stream const&) = delete;
  ~plain_stream() { cudaStreamDestroy(stream_); }

  /// Makes the GPU the calling thread's current one. Called again if the thread may have used another GPU
  /// since.
  void enter() const { check(cudaSetDevice(gpu_), "cudaSetDevice"); }
  cudaStream_t get() const { return stream_; }
  /// Waits for all of its work, as CUDA programs do: without a deadline.
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  int gpu_;
  cudaStream_t stream_ = nullptr;
};

/// An array in pinned memory and on the current GPU.
template <class T>
class plain_array {
 public:
  explicit plain_array(std::size_t size) : size_(size) {
    void *pinned = nullptr, *memory = nullptr;
    check(cudaMallocHost(&pinned, bytes()), "cudaMallocHost");
    on_host_.reset(static_cast<T*>(pinned));
    check(cudaMalloc(&memory, bytes()), "cudaMalloc");
    on_gpu_.reset(static_cast<T*>(memory));
  }

  std::span<T> host() const { return {on_host_.get(), size_}; }
  T* gpu() const { return on_gpu_.get(); }
  void copy_in(plain_stream const& on) const {
    check(cudaMemcpyAsync(gpu(), on_host_.get(), bytes(), cudaMemcpyHostToDevice, on.get()),
          "cudaMemcpyAsync to the GPU");
  }
  void copy_out(plain_stream const& on) const {
    check(cudaMemcpyAsync(on_host_.get(), gpu(), bytes(), cudaMemcpyDeviceToHost, on.get()),
          "cudaMemcpyAsync to the host");
  }

 private:
  struct free_pinned {
    void operator()(void* memory) const { cudaFreeHost(memory); }
  };
  struct free_on_gpu {
    void operator()(void* memory) const { cudaFree(memory); }
  };

  std::size_t bytes() const { return size_ * sizeof(T); }

  std::size_t size_;
  std::unique_ptr<T, free_pinned> on_host_;
  std::unique_ptr<T, free_on_gpu> on_gpu_;
};

/// The number of parts of `each` elements that cover all; the last may be partial.
inline unsigned parts_of(unsigned elements, unsigned each) {
  return elements / each + (elements % each != 0);
}

}  // namespace ballast::bench
#endif
