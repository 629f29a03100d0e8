// SPDX-License-Identifier: Apache-2.0
// docs/trace.md and docs/resident.md show this.
#include <gtest/gtest.h>

#include "ballast/task_pool.hpp"
#include "ballast/trace.hpp"
#include "methods.hpp"
#include "scratch_folder.hpp"

namespace ballast::test {
namespace {

TEST(guide_to_trace, has_the_spans_of_a_queue_in_a_file) {
  scratch_folder const folder;
  auto const file = folder.file("run.json");
  auto const device = first_device();
  counted_words visits(device, 50);
  auto const tasks = visits_of(visits.ref(), 50);
  ballast::recorder recorder({"cuda:0"});  // first, since it outlives what records
  ballast::task_queue queue(device, kernels(), {.trace_to = &recorder});
  queue.submit(tasks);
  queue.close();                                          // hands the spans of the tasks over
  ballast::save_chrome_trace(file, recorder.snapshot());  // opens in https://ui.perfetto.dev
  EXPECT_EQ(recorder.size(), 50u);
  EXPECT_NE(content_of(file).find("traceEvents"), std::string::npos);
}

TEST(guide_to_resident, has_a_queue_and_a_pool_side_by_side) {
  auto const device = first_device();
  if (device->properties().multiprocessors < 2) GTEST_SKIP() << "needs two cores";
  int const blocks = device->is_cuda() ? 2 : 1;
  shared_visits visits(50), marks(31);
  auto const tasks = visits_of(visits.ref(), 50);
  auto const root = task(grow_tree{marks.ref(), 31}, {0, 1});
  ballast::queue_options options;
  options.start_at_once = false;
  options.resident.blocks = blocks;  // the pool gets what is left
  ballast::task_queue queue(device, kernels(), options);
  ballast::task_pool pool(device, spawning_kernels());
  queue.start();   // takes room until close()
  pool.run(root);  // takes room until it returns
  queue.submit(tasks);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

}  // namespace
}  // namespace ballast::test
