// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"

namespace ballast::detail {

template <class... T>
struct types {};

/// The limit for a kernel's members in a launch: CUDA passes at most 4096 bytes.
inline constexpr std::size_t max_launch_bytes = 4000;
/// The limit for a kernel's members that travel in the task.
inline constexpr std::size_t max_bytes_in_task = 40;

/// True if K's members are too large to travel in a task: tasks of K in queues and pools carry the members'
/// address.
template <class K>
constexpr bool is_by_reference = sizeof(K) > max_bytes_in_task;

/// The number of tasks that a block of K may create: K::spawns if K declares it, else 0.
template <class K>
constexpr std::uint32_t spawns_of = 0;
template <declares_spawns K>
constexpr std::uint32_t spawns_of<K> = K::spawns;
template <class K>
constexpr std::uint32_t spawns_of<indirect<K>> = spawns_of<K>;

/// The number of joins that a block of K may make: K::joins if K declares it, else 0.
template <class K>
constexpr std::uint32_t joins_of = 0;
template <class K>
requires requires { K::joins; }
constexpr std::uint32_t joins_of<K> = K::joins;
template <class K>
constexpr std::uint32_t joins_of<indirect<K>> = joins_of<K>;

/// True if blocks of K add to a run's sum or raise its maximum: K::reduces if K declares it.
template <class K>
constexpr bool reduces_of = false;
template <class K>
requires requires { requires std::is_same_v<decltype(K::reduces), bool const>; }
constexpr bool reduces_of<K> = K::reduces;
template <class K>
constexpr bool reduces_of<indirect<K>> = reduces_of<K>;

/// True if K runs slower when fewer of its blocks are on a multiprocessor than in a launch of its own, so no
/// merged launch may reduce them: K::needs_occupancy if K declares it, else false.
template <class K>
constexpr bool needs_occupancy = false;
template <class K>
requires requires { K::needs_occupancy; }
constexpr bool needs_occupancy<K> = K::needs_occupancy;
template <class K>
constexpr bool needs_occupancy<indirect<K>> = needs_occupancy<K>;

/// True if K runs only on workers that store created tasks: its tasks create tasks or joins, each of its
/// threads is a worker, or it adds to its run's sum.
template <class K>
constexpr bool is_for_pools = K::threads == 1 || spawns_of<K> != 0 || joins_of<K> != 0 || reduces_of<K>;

}  // namespace ballast::detail
