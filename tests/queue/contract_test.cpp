// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>
#include <vector>

#include "methods.hpp"

namespace ballast::test {
using contract_methods = every_method;
}
#include "queue_contract.hpp"

// Besides the contract, what only the queues of one process do.
namespace ballast::test {
namespace {

TYPED_TEST(every_queue, restarts_without_allocating_anything) {
  std::uint32_t const n = 300, runs = 3;
  auto const visits = this->make_words(runs * n);
  auto const tasks = this->visits_of(visits, 0, runs * n);
  auto const allocations = [] {
    std::uint64_t sum = 0;
    for (auto const& device : devices()) sum += device->allocations();
    return sum;
  };
  TypeParam queue;
  auto const before = allocations();
  for (std::uint32_t run = 0; run < runs; ++run) {
    if (run > 0) queue.start();
    queue.submit(std::span(tasks).subspan(run * n, n));
    queue.close();
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, submits_prepared_tasks_again_and_again) {
  std::uint32_t const n = 500, rounds = 4;
  auto const visits = this->make_words(n);
  TypeParam queue;
  auto const prepared =
      std::make_shared<prepared_tasks const>(TypeParam::list(), this->visits_of(visits, 0, n));
  for (std::uint32_t round = 0; round < rounds; ++round) {
    queue.submit(prepared);
    queue.wait_all();
  }
  queue.close();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, rounds));
}

}  // namespace
}  // namespace ballast::test
