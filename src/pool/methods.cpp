// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ballast/arguments.hpp"
#include "ballast/detail/pool/level_arrays.cuh"
#include "method_memories.hpp"

namespace ballast {

using namespace detail;
namespace {

template <class Memory>
std::unique_ptr<method_memory> make(pool_plan const& plan, std::uint32_t workers) {
  return std::make_unique<Memory>(plan, workers);
}

constexpr std::array methods{
    pool_method_code{
        {"chunks", "private stacks with published chunks"}, source_key_of<chunks_ref>, &make<chunk_memory>},
    pool_method_code{{"abp", "work stealing with the deque of Arora, Blumofe and Plaxton"},
                     source_key_of<abp_ref>,
                     &make<abp_memory>},
    pool_method_code{{"chase-lev", "work stealing with the deque of Chase and Lev"},
                     source_key_of<chase_lev_ref>,
                     &make<chase_lev_memory>},
    pool_method_code{
        {"ring", "one bounded lock-free queue"}, source_key_of<shared_ring_ref>, &make<ring_memory>},
    pool_method_code{
        {"blocking", "one queue behind a lock"}, source_key_of<locked_queue_ref>, &make<locked_memory>},
    pool_method_code{{"static", "two arrays, a launch for each level"}, source_key_of<level_work>},
    pool_method_code{{"static-per-task", "the same with a block of the grid for each task"},
                     source_key_of<level_work>,
                     nullptr,
                     true}};

template <std::size_t... I>
constexpr std::array<pool_method, sizeof...(I)> facts_of(std::index_sequence<I...>) {
  return {methods[I].about...};
}
constexpr auto facts = facts_of(std::make_index_sequence<methods.size()>());

}  // namespace

std::span<pool_method const> pool_methods() { return facts; }

pool_method_code const& detail::pool_method_named(std::string_view name) {
  std::array<std::string_view, methods.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = methods[i].about.name;
  return methods[index_among(names, "method", name)];
}

}  // namespace ballast
