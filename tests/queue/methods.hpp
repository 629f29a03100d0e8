// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ballast/task_queue.hpp"
#include "contract_method.hpp"
#include "fixture.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;

/// Words and tasks for methods that feed one device: the words are the device's, and a second visit is always
/// counted.
struct on_one_device : counted_visits<counted_words> {
  using place = on_one_device;
  using words = counted_words;
  using gate = test::gate;

  static std::vector<std::string> names_in_state() { return {first_device()->name()}; }
  static kernel_set const& list() { return kernels(); }
};

/// The same for several devices: pinned memory, where they have no atomic add.
struct on_every_device {
  using place = on_every_device;
  using words = shared_visits;
  using gate = test::gate;

  static std::vector<std::string> names_in_state() {
    std::vector<std::string> names;
    for (auto const& device : devices()) names.push_back(device->name());
    return names;
  }
  static kernel_set const& list() { return kernels(); }
  static task visit(words const& visits, std::uint32_t i) {
    return task(add_one_plainly{visits.ref()}, {i, 1});
  }
  static task long_visit(words const& visits, std::uint32_t i, std::uint32_t steps) {
    return task(spin_then_mark{visits.ref(), steps}, {i, 1});
  }
};

inline queue_options queue_options_for(fit size) {
  auto options = test_options();
  if (size == fit::smallest) options.capacity = 2;
  if (size == fit::large) options.capacity = queue_options{}.capacity;
  return options;
}

/// With few blocks on a GPU: all that wait look into host memory, over the bus that the server needs.
inline queue_options host_ring_options_for(fit size) {
  auto options = queue_options_for(size);
  options.ring = ring_home::host();
  if (first_device()->is_cuda() && options.resident.blocks == 0) options.resident.blocks = 17;
  return options;
}

inline balanced_options balanced_options_for(fit size, std::string policy) {
  balanced_options options;
  options.policy = std::move(policy);
  options.queue = queue_options_for(size);
  return options;
}

inline chen_options chen_options_for(fit size) {
  chen_options options;
  options.resident = test_options().resident;
  options.timeout = test_options().timeout;
  if (size == fit::smallest) options.queues = options.tasks_per_queue = 1;
  if (size == fit::large) options.tasks_per_queue = 256;
  return options;
}

// The methods of feeding tasks to kernels that stay, each made in one way: what they promise in common is
// tested by the same code.

struct rings_to_one : task_queue, on_one_device {
  static constexpr char const* name = "task_queue";

  explicit rings_to_one(fit size = fit::usual) : rings_to_one(queue_options_for(size)) {}
  explicit rings_to_one(queue_options const& options)
      : task_queue(first_device(), test::kernels(), options) {}
  using task_queue::submit;
  void submit(std::shared_ptr<prepared_tasks const> const& batch) {
    submit(*batch, 0, batch->records().size(), deadline::in(std::chrono::minutes(2)));
  }
};

struct rings_to_a_ring_on_the_host : rings_to_one {
  static constexpr char const* name = "task_queue_with_its_ring_on_the_host";

  explicit rings_to_a_ring_on_the_host(fit size = fit::usual) : rings_to_one(host_ring_options_for(size)) {}
};

/// On a GPU; on cores as one, which the option leaves as it is.
inline queue_options several_servers_options_for(fit size) {
  auto options = queue_options_for(size);
  options.servers = {3};
  return options;
}

struct rings_by_several_servers : rings_to_one {
  static constexpr char const* name = "task_queue_with_three_servers";

  explicit rings_by_several_servers(fit size = fit::usual)
      : rings_to_one(several_servers_options_for(size)) {}
};

struct rings_to_a_pool : task_queue, on_one_device {
  static constexpr char const* name = "task_queue_of_a_list_that_may_create_tasks";

  static kernel_set const& list() { return spawning_kernels(); }
  explicit rings_to_a_pool(fit size = fit::usual)
      : task_queue(first_device(), list(), queue_options_for(size)) {}
  using task_queue::submit;
  void submit(std::shared_ptr<prepared_tasks const> const& batch) {
    submit(*batch, 0, batch->records().size(), deadline::in(std::chrono::minutes(2)));
  }
};

struct drain_to_every : balanced_queue, on_every_device {
  static constexpr char const* name = "balanced_queue_drain";

  explicit drain_to_every(fit size = fit::usual)
      : balanced_queue(devices(), kernels(), balanced_options_for(size, "rate")) {}
};

struct parts_to_every : balanced_queue, on_every_device {
  static constexpr char const* name = "balanced_queue_parts";

  explicit parts_to_every(fit size = fit::usual)
      : balanced_queue(devices(), kernels(), balanced_options_for(size, "parts")) {}
};

struct fixed_to_every : balanced_queue, on_every_device {
  static constexpr char const* name = "balanced_queue_fixed";

  explicit fixed_to_every(fit size = fit::usual)
      : balanced_queue(devices(), kernels(), balanced_options_for(size, "fixed")) {}
};

struct chen_to_one : chen_queue, on_one_device {
  static constexpr char const* name = "chen_queue_of_one_device";

  explicit chen_to_one(fit size = fit::usual)
      : chen_queue({first_device()}, kernels(), chen_options_for(size)) {}
};

struct chen_to_every : chen_queue, on_every_device {
  static constexpr char const* name = "chen_queue_of_every_device";

  explicit chen_to_every(fit size = fit::usual) : chen_queue(devices(), kernels(), chen_options_for(size)) {}
};

using every_method =
    testing::Types<rings_to_one, rings_to_a_ring_on_the_host, rings_by_several_servers, rings_to_a_pool,
                   drain_to_every, parts_to_every, fixed_to_every, chen_to_one, chen_to_every>;

}  // namespace ballast::test
