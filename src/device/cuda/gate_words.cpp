// SPDX-License-Identifier: Apache-2.0
#include "cuda/gate_words.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <string>

#include "cuda/engine.hpp"

namespace ballast::detail {

gate_words* gate_words::of(cuda_engine& engine) {
  static std::mutex mutex;
  static auto* const by_gpu = new std::map<int, gate_words*>;
  std::lock_guard const hold(mutex);
  auto& known = (*by_gpu)[engine.index];
  if (known == nullptr) known = new gate_words(engine);
  return known;
}

gate_words::gate_words(cuda_engine& engine)
    : wait_at_(driver_function<PFN_cuStreamWaitValue32_v11070>(engine.fault.device(), "cuStreamWaitValue32",
                                                               11070, "waits for completions need it")),
      words_(static_cast<std::uint32_t*>(
          allocate_cuda_memory(engine, memory::pinned, count * sizeof(std::uint32_t)))),
      opens_at_(count),
      unused_(count) {
  std::fill_n(words_, count, 0u);
  std::iota(unused_.begin(), unused_.end(), 0u);
}

/// The mutex is free meanwhile: a stream whose queue is full accepts the wait once another gate was opened.
std::uint32_t gate_words::enqueue(cuda_engine& engine, cudaStream_t in) {
  auto const [word, opens_at] = take(engine.fault.device());
  auto const address = reinterpret_cast<CUdeviceptr>(words_ + word);
  auto const status = as_runtime_error(wait_at_(in, address, opens_at, CU_STREAM_WAIT_VALUE_GEQ));
  if (status == cudaSuccess) return word;
  open(word);
  engine.require(status, "cuStreamWaitValue32");
  return word;
}

gate_words::gate gate_words::take(std::string const& device) {
  std::lock_guard const hold(mutex_);
  if (unused_.empty())
    throw error(device + ": its streams wait for " + std::to_string(count) +
                " completions, which is the most at a time");
  auto const word = unused_.back();
  unused_.pop_back();
  return {word, ++opens_at_[word]};
}

void gate_words::open(std::uint32_t word) noexcept {
  std::lock_guard const hold(mutex_);
  std::atomic_ref(words_[word]).store(opens_at_[word], std::memory_order_release);
  unused_.push_back(word);  // has capacity: the word came from there
}

}  // namespace ballast::detail
