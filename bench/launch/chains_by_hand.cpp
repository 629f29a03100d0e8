// SPDX-License-Identifier: Apache-2.0
#include "launch/chains_by_hand.hpp"

#include "device/timed.hpp"
#include "harness/session.hpp"
#include "launch/parked_threads.hpp"
#include "launch/spin_kernels.cuh"

namespace ballast::bench {

chains_by_hand::chains_by_hand(std::shared_ptr<compute_device> const& device, chain_words const& words,
                               chain_shape const& shape)
    : words_(&words), shape_(shape), launches_(device, shape.chains) {
  for (std::size_t chain = 0; chain < shape.chains; ++chain) runs_.push_back(words.of(chain));
  for (auto& runs : runs_) arguments_.push_back({&runs, &shape_.busy_ns});
  if (device->is_cuda()) build_graph(*device);
}

/// Builds the graph, with a branch for each chain.
void chains_by_hand::build_graph(compute_device& device) {
  std::vector<graph_branch> branches;
  for (auto& arguments : arguments_) {
    plain_launch const one{
        .function = plain_spin_kernel(), .shape = {1, spin_block::threads}, .arguments = arguments.data()};
    branches.push_back({std::vector(shape_.length, one)});
  }
  graph_ = device.make_graph(branches);
}

double chains_by_hand::serial() {
  return seconds_of([&] {
    for (std::size_t chain = 0; chain < shape_.chains; ++chain)
      for (std::size_t i = 0; i < shape_.length; ++i)
        launches_.launch(0, 1, words_->of(chain), shape_.busy_ns);
    launches_.at(0).synchronize(soon());
  });
}

void chains_by_hand::launch_chain(std::size_t chain) {
  for (std::size_t i = 0; i < shape_.length; ++i)
    launches_.launch(chain, 1, words_->of(chain), shape_.busy_ns);
}

double chains_by_hand::chain_after_chain() {
  return seconds_of([&] {
    for (std::size_t chain = 0; chain < shape_.chains; ++chain) launch_chain(chain);
    launches_.synchronize();
  });
}

double chains_by_hand::interleaved() {
  return seconds_of([&] {
    for (std::size_t i = 0; i < shape_.length; ++i)
      for (std::size_t chain = 0; chain < shape_.chains; ++chain)
        launches_.launch(chain, 1, words_->of(chain), shape_.busy_ns);
    launches_.synchronize();
  });
}

double chains_by_hand::by_threads(std::size_t threads) {
  auto const own_chains = [&](std::size_t thread) {
    launches_.enter_thread();
    for (auto chain = thread; chain < shape_.chains; chain += threads) launch_chain(chain);
  };
  return seconds_of_threads(threads, own_chains, [&] { launches_.synchronize(); });
}

/// Launches the first kernels of all chains as one launch, then the second ones, and so on.
double chains_by_hand::merged() {
  return seconds_of([&] {
    for (std::size_t i = 0; i < shape_.length; ++i)
      launches_.launch(0, std::uint32_t(shape_.chains), words_->of(0), shape_.busy_ns);
    launches_.at(0).synchronize(soon());
  });
}

double chains_by_hand::graph(bool with_new_arguments) {
  return seconds_of([&] {
    for (std::size_t i = 0; with_new_arguments && i < shape_.kernels(); ++i)
      graph_->set_arguments(i / shape_.length, i % shape_.length, arguments_[i / shape_.length].data());
    graph_->launch(launches_.at(0));
    launches_.at(0).synchronize(soon());
  });
}

std::vector<way_of_launching> chains_by_hand::ways() {
  std::vector<way_of_launching> all = {
      {"program order, by hand", [this] { return chain_after_chain(); }},
      {"interleaved, by hand", [this] { return interleaved(); }},
      {"16 threads, by hand", [this] { return by_threads(16); }},
      {"a thread for each chain, by hand", [this] { return by_threads(shape_.chains); }},
      {"merged, by hand", [this] { return merged(); }},
  };
  if (graph_ == nullptr) return all;
  all.push_back({"graph, by hand", [this] { return graph(false); }});
  all.push_back({"graph with all arguments set anew, by hand", [this] { return graph(true); }});
  return all;
}

}  // namespace ballast::bench
