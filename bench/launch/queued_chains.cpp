// SPDX-License-Identifier: Apache-2.0
#include "launch/queued_chains.hpp"

#include "device/timed.hpp"
#include "harness/session.hpp"
#include "launch/parked_threads.hpp"
#include "launch/spin_kernels.cuh"

namespace ballast::bench {

queued_chains::queued_chains(device_list const& devices, launch_options const& options, kernel_kind kind,
                             chain_words const& words, chain_shape const& shape)
    : kind_(kind), words_(&words), shape_(shape), queue_(devices, spin_kernels(), options) {
  for (std::size_t i = 0; i < shape.chains; ++i) launch_streams_.push_back(queue_.make_launch_stream());
}

void queued_chains::launch_chain(std::size_t chain) {
  auto* const runs = words_->of(chain);
  for (std::size_t i = 0; i < shape_.length; ++i) {
    if (kind_ == kernel_kind::plain)
      launch_streams_[chain].launch(plain_spin_kernel(), 1, spin_block::threads, runs, shape_.busy_ns);
    else
      launch_streams_[chain].launch(spin_block{array_ref<std::uint32_t>(runs), shape_.busy_ns}, 1);
  }
}

double queued_chains::from_resume() {
  queue_.pause();
  for (std::size_t chain = 0; chain < shape_.chains; ++chain) launch_chain(chain);
  return seconds_of([&] {
    queue_.resume();
    queue_.wait_all(soon());
  });
}

double queued_chains::from_threads() {
  return seconds_of_threads(
      shape_.chains, [&](std::size_t chain) { launch_chain(chain); }, [&] { queue_.wait_all(soon()); });
}

}  // namespace ballast::bench
