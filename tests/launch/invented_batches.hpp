// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "graph_batch.hpp"

namespace ballast::test {
using namespace detail;

/// A graph that only notes whose arguments were set: (branch, place, value of the first argument).
class recording_graph final : public launch_graph {
 public:
  using note = std::tuple<std::size_t, std::size_t, std::uint64_t>;

  explicit recording_graph(std::vector<note>& notes) : notes_(&notes) {}
  std::size_t branches() const noexcept override { return 0; }
  std::size_t launches(std::size_t) const override { return 0; }
  void upload(stream&) override {}
  void launch(stream&) override {}
  void set_arguments(std::size_t branch, std::size_t place, void* const* arguments) override {
    notes_->emplace_back(branch, place, *static_cast<std::uint64_t const*>(arguments[0]));
  }

 private:
  std::vector<note>* notes_;
};

/// A kernel of the batches below: some function, on a grid of so many blocks.
struct invented_launch {
  std::uintptr_t function = 1;
  std::uint32_t blocks = 1;
  std::uint64_t first = 0;  ///< argument
  std::uint8_t second = 0;  ///< argument
};

/// A batch of what each launch stream has waiting, which owns the arguments.
class invented_batch {
 public:
  invented_batch& add(std::uint32_t launch_stream, std::vector<invented_launch> const& launches) {
    batch_.begin_branch(launch_stream);
    for (auto const& one : launches) {
      auto& kept = arguments_.emplace_back(one);
      void* const addresses[] = {&kept.first, &kept.second};
      batch_.add({reinterpret_cast<native_function>(one.function), {one.blocks, 32}, sizes}, addresses);
    }
    return *this;
  }
  plain_batch const& sorted() {
    batch_.sort();
    return batch_;
  }

 private:
  static constexpr std::uint32_t sizes[] = {8, 1};

  plain_batch batch_;
  std::deque<invented_launch> arguments_;
};

inline std::shared_ptr<cached_graph> graph_of(plain_batch const& batch,
                                              std::vector<recording_graph::note>& notes) {
  return std::make_shared<cached_graph>(std::make_unique<recording_graph>(notes), batch);
}

}  // namespace ballast::test
