// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "ballast/device.hpp"
#include "ballast/task_queue.hpp"
#include "kernels.cuh"

namespace {

bool triples_on(std::shared_ptr<ballast::compute_device> const& device) {
  ballast::pinned_buffer<std::uint32_t> out(device, 100);
  ballast::task_queue queue(device, kernels());
  for (std::uint32_t first = 0; first < 100; first += 20) {
    queue.submit(ballast::task(triple{ballast::array_ref<std::uint32_t>(out.data())}, {first, 20}));
  }
  queue.close();
  for (std::uint32_t i = 0; i < 100; ++i) {
    if (out[i] != 3 * i) return false;
  }
  return true;
}

/// Where the library is shared its exceptions cross into a program that hides all that is its own.
bool catches_by_type() {
  try {
    ballast::open_devices("host:none");
  } catch (ballast::bad_argument const& refused) { return refused.argument() == "devices"; }
  return false;
}

}  // namespace

int main() try {
  bool const right = triples_on(ballast::open_devices("host:1").front()) && catches_by_type();
  std::puts(right ? "every block ran, and what the library threw was caught"
                  : "a block did not run, or no bad_argument came");
  return right ? 0 : 1;
} catch (std::exception const& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
