// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace ballast::nanodroplet {

/// Calls job(0) .. job(threads - 1), each on a thread of its own, and returns when all have returned; then
/// throws what the first failing job threw. `failed` tells the others to give up.
void on_threads(std::uint32_t threads,
                std::function<void(std::uint32_t thread, std::function<bool()> const& failed)> const& job);

/// As many threads as cores that the program sees.
std::uint32_t usual_threads();

/// Between looks at devices that have nothing new. Beside GPUs it yields; beside devices made of the same
/// cores it sleeps, so that they get them.
class idle_rounds {
 public:
  explicit idle_rounds(bool sleeps) : sleeps_(sleeps) {}

  void had_work() { polls_ = 0; }
  void had_none();

 private:
  bool sleeps_;
  std::uint32_t polls_ = 0;
};

}  // namespace ballast::nanodroplet
