// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ballast/device.hpp"

namespace ballast::detail {

/// What a rank reports to the first rank about its GPUs. `host`: the first rank of its host.
std::string describe_gpus(std::uint32_t host, device_list const& devices);

/// Takes the results of describe_gpus() by rank. Names a GPU that two ranks of a host have, unless both have
/// parts of it; else empty. Resident kernels of two processes that each fill a GPU take turns on it. Pure.
std::string twice_used_gpu(std::map<std::uint32_t, std::string> const& gpus);

/// Advice for the user who started a process on fewer cores than its host devices have workers and its queue
/// has threads, though there are more; else empty. Launchers bind processes by default. Pure.
std::string advice_on_cores(process_cores const& cores, std::uint32_t workers_on_cores);

}  // namespace ballast::detail
