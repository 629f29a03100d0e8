// SPDX-License-Identifier: Apache-2.0
#include "pool_search.hpp"

#include <algorithm>
#include <future>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "pool_kernels.cuh"

namespace ballast::connect4 {
namespace {

constexpr auto between_questions = std::chrono::milliseconds(20);

/// The joins that a pool needs, or 0 for its default. With the methods that take the oldest task first, all
/// joins of two levels are open at once; with the other methods, a few for each worker.
std::uint32_t joins_for(std::string_view method, int lookahead) {
  constexpr std::uint32_t most = 1u << 24;
  if (method != "ring" && method != "blocking") return 0;
  std::uint32_t nodes = 1;
  for (int level = 1; level < lookahead && nodes < most; ++level) nodes = nodes * columns + 1;
  return std::clamp(nodes, 1u << 12, most);
}

/// The node for this column (0 to 6) of the root.
template <int Threads>
task first_node(search_request const& request, int column, array_ref<score> values) {
  auto const lookahead = static_cast<std::uint8_t>(request.lookahead);
  auto const at = dropped(request.root, column, true);
  return task(node_task<Threads>{at, move_path().then(column), values, {}, lookahead, request.rule});
}

task first_node(search_request const& request, int column, array_ref<score> values) {
  if (request.workers == worker_size::warp) return first_node<32>(request, column, values);
  if (request.workers == worker_size::block) return first_node<64>(request, column, values);
  return first_node<1>(request, column, values);
}

/// One pool's part of a search.
class pool_part {
 public:
  pool_part(device_list const& devices, search_request const& request, std::string_view method)
      : request_(request),
        pool_(devices, devices.size() > 1 ? pool_kernels_over_devices() : pool_kernels(request.workers),
              pool_options_for(method, request.lookahead)),
        values_(devices.front(), columns) {}

  void add(int column) { columns_.push_back(column); }

  /// Begins a run, which ends when everything is done or request_stop() was called.
  void begin() {
    blocked_signals const of_that_thread;
    running_ = std::async(std::launch::async, [this] {
      name_thread("connect4-pool");
      return pool_.run(first_level(request_, columns_, array_ref<score>(values_.data())));
    });
  }
  bool is_over(std::chrono::milliseconds timeout) const {
    return running_.wait_for(timeout) == std::future_status::ready;
  }
  void request_stop() noexcept { pool_.request_stop(); }

  void report(search_answer& answer) {
    auto const statistics = running_.get();
    for (int const column : columns_) {
      auto const place = static_cast<std::size_t>(column);
      answer.values[place] = values_[place];
    }
    answer.nodes += statistics.created - statistics.joins;
    answer.stored_tasks += statistics.max_stored;
  }

 private:
  search_request const& request_;
  task_pool pool_;
  pinned_buffer<score> values_;
  std::vector<int> columns_;
  std::future<pool_statistics> running_;
};

/// One pool over all devices, whose workers take each other's tasks; null if the library does not support
/// these devices.
std::unique_ptr<pool_part> shared_by_all(search_request const& request, std::string_view method) {
  if (method != pool_methods().front().name || request.workers != worker_size::thread) return nullptr;
  try {
    return std::make_unique<pool_part>(request.devices, request, method);
  } catch (bad_argument const& refusal) {
    if (refusal.argument() != "devices") throw;
    return nullptr;  // there are too many devices, or they cannot reach each other's memory
  }
}

/// One pool for all devices, or one for each.
std::vector<std::unique_ptr<pool_part>> make_parts(search_request const& request, std::string_view method) {
  std::vector<std::unique_ptr<pool_part>> parts;
  if (auto shared = shared_by_all(request, method)) {
    parts.push_back(std::move(shared));
    return parts;
  }
  for (auto const& device : request.devices)
    parts.push_back(std::make_unique<pool_part>(device_list{device}, request, method));
  return parts;
}

/// Waits for all parts. The calling thread checks for a stop while the devices work.
void await(std::vector<std::unique_ptr<pool_part>>& parts, search_request const& request) {
  bool is_stopped = false;
  for (auto const& one : parts) {
    while (!one->is_over(between_questions)) {
      is_stopped = is_stopped || (request.stop_requested && request.stop_requested());
      if (!is_stopped) continue;
      for (auto const& each : parts) each->request_stop();
    }
  }
}

}  // namespace

pool_options pool_options_for(std::string_view method, int lookahead) {
  pool_options options;
  options.method = method;
  options.joins = joins_for(method, lookahead);
  options.timeout = std::chrono::hours(24 * 365);
  return options;
}

kernel_set const& pool_kernels(worker_size workers) {
  if (workers == worker_size::warp) return pool_kernels_of_warps();
  if (workers == worker_size::block) return pool_kernels_of_blocks();
  return pool_kernels_of_threads();
}

std::vector<task> first_level(search_request const& request, std::span<int const> in_columns,
                              array_ref<score> values) {
  std::vector<task> tasks;
  for (int const column : in_columns) tasks.push_back(first_node(request, column, values));
  return tasks;
}

search_answer search_in_pool(search_request const& request, std::string_view method) {
  auto parts = make_parts(request, method);
  std::size_t turn = 0;
  for (cells landing = landing_cells(request.root); landing != 0; landing &= landing - 1)
    parts[turn++ % parts.size()]->add(column_of(landing));
  for (auto const& one : parts) one->begin();
  await(parts, request);
  search_answer answer;
  answer.nodes = 1;
  try {
    for (auto const& one : parts) one->report(answer);
  } catch (pool_stopped const&) {
    if (request.stop_requested && request.stop_requested()) throw search_stopped();
    throw;
  }
  return answer;
}

}  // namespace ballast::connect4
