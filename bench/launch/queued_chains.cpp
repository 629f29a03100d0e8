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
    if (is_plain(kind_))
      launch_streams_[chain].launch(plain_spin_kernel(), 1, spin_block::threads, runs, busy_ns());
    else
      launch_streams_[chain].launch(spin_block{array_ref<std::uint32_t>(runs), shape_.busy_ns}, 1);
  }
}

/// The nanoseconds of each kernel. A difference of a nanosecond makes all arguments differ from last time.
std::uint64_t queued_chains::busy_ns() const {
  return shape_.busy_ns + (kind_ == kernel_kind::plain_with_new_arguments ? sample_ % 2 : 0);
}

double queued_chains::from_resume() {
  ++sample_;
  queue_.pause();
  for (std::size_t chain = 0; chain < shape_.chains; ++chain) launch_chain(chain);
  return seconds_of([&] {
    queue_.resume();
    queue_.wait_all(soon());
  });
}

double queued_chains::from_threads() {
  ++sample_;
  return seconds_of_threads(
      shape_.chains, [&](std::size_t chain) { launch_chain(chain); }, [&] { queue_.wait_all(soon()); });
}

}  // namespace ballast::bench
