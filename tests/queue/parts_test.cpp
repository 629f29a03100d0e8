// SPDX-License-Identifier: Apache-2.0
// Several parts of one GPU: all is made before the first resident kernel starts. Shown on cores that share
// what parts share, so that no GPU is needed.
#include <gmock/gmock.h>

#include <mutex>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "fixture.hpp"
#include "noting_device.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// What parts of one GPU share.
class pretended_gpu {
 public:
  void add_resident(int more) {
    std::lock_guard const hold(mutex_);
    residents_ += more;
  }
  bool has_resident() const {
    std::lock_guard const hold(mutex_);
    return residents_ > 0;
  }
  /// Notes what would have to wait for a resident kernel.
  void note(std::string const& what) {
    std::lock_guard const hold(mutex_);
    if (residents_ > 0) late_.push_back(what);
  }
  std::vector<std::string> late() const {
    std::lock_guard const hold(mutex_);
    return late_;
  }

 private:
  mutable std::mutex mutex_;
  int residents_ = 0;
  std::vector<std::string> late_;
};

class pretended_part final : public noting_device {
 public:
  pretended_part(std::shared_ptr<pretended_gpu> gpu, std::shared_ptr<compute_device> cores)
      : noting_device(std::move(cores)), gpu_(std::move(gpu)) {}

  kernel_resources resources(kernel_code const& code) override {
    gpu_->note("loads " + std::string(code.name));
    return noting_device::resources(code);
  }
  std::unique_ptr<stream> make_stream() override {
    gpu_->note("makes a stream");
    return noting_device::make_stream();
  }
  resident_room claim_resident(resident_request const& request) override {
    auto const room = noting_device::claim_resident(request);
    gpu_->add_resident(1);
    return room;
  }
  void release_resident(resident_room const& room) noexcept override {
    noting_device::release_resident(room);
    gpu_->add_resident(-1);
  }
  bool has_resident() const noexcept override { return gpu_->has_resident(); }
  std::string resident_holders(std::span<resident_room const> except) const override {
    auto const own = noting_device::resident_holders(except);
    return own.empty() && has_resident() ? "that of another part" : own;
  }

 protected:
  void* allocate_bytes(memory where, std::size_t bytes) override {
    gpu_->note("allocates " + std::to_string(bytes));
    return noting_device::allocate_bytes(where, bytes);
  }

 private:
  std::shared_ptr<pretended_gpu> gpu_;
};

class parts_of_one_gpu : public testing::Test {
 protected:
  parts_of_one_gpu() {
    for (auto const& cores : open_devices("host:1,host:1"))
      parts_.push_back(std::make_shared<pretended_part>(gpu_, cores));
  }
  static queue_options options() {
    auto options = test_options();
    options.resident.blocks = 0;
    return options;
  }

  std::shared_ptr<pretended_gpu> gpu_ = std::make_shared<pretended_gpu>();
  device_list parts_;
};

TEST_F(parts_of_one_gpu, have_all_made_before_a_balanced_queue_starts_the_first_kernel) {
  std::uint32_t const n = 1000;
  shared_visits visits(parts_.front(), n);
  balanced_options given;
  given.queue = options();
  balanced_queue queue(parts_, kernels(), given);
  EXPECT_THAT(gpu_->late(), testing::IsEmpty());
  for (int run = 0; run < 2; ++run) {
    if (run > 0) queue.start();
    queue.submit(visits_of(visits.ref(), n)).wait();
    queue.close();
  }
  EXPECT_THAT(gpu_->late(), testing::IsEmpty());
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, 2));
}

TEST_F(parts_of_one_gpu, have_all_made_before_a_chen_queue_starts_the_first_kernel) {
  std::uint32_t const n = 1000;
  shared_visits visits(parts_.front(), n);
  chen_queue queue(parts_, kernels(), {});
  for (int step = 0; step < 2; ++step) {
    queue.submit(visits_of(visits.ref(), n));
    queue.wait_all();
  }
  queue.close();
  EXPECT_THAT(gpu_->late(), testing::IsEmpty());
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, 2));
}

TEST_F(parts_of_one_gpu, refuse_a_queue_that_is_made_while_another_part_has_a_resident_kernel) {
  task_queue first(parts_[0], kernels(), options());
  auto const allocated = parts_[1]->allocations();
  try {
    task_queue second(parts_[1], kernels(), options());
    ADD_FAILURE() << "it was made";
  } catch (error const& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("beside that of another part"));
    EXPECT_THAT(refused.what(), testing::HasSubstr("start_at_once = false"));
  }
  EXPECT_EQ(parts_[1]->allocations(), allocated);
}

TEST_F(parts_of_one_gpu, each_run_a_queue_if_these_were_made_before_one_was_started) {
  std::uint32_t const n = 1000;
  shared_visits visits(parts_.front(), n);
  auto closed = options();
  closed.start_at_once = false;
  task_queue first(parts_[0], kernels(), closed), second(parts_[1], kernels(), closed);
  first.start();
  second.start();
  first.submit(visits_of(visits.ref(), n));
  second.submit(visits_of(visits.ref(), n));
  first.close();
  second.close();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, 2));
  EXPECT_THAT(gpu_->late(), testing::IsEmpty());
}

}  // namespace
}  // namespace ballast::test
