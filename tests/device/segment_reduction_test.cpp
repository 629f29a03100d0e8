// SPDX-License-Identifier: Apache-2.0
// Segments reduced in shares: on each device with all numbers of threads and blocks, and by teams of real
// threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/team_block.hpp"
#include "every_device.hpp"
#include "ragged_cases.hpp"
#include "segment_kernels.hpp"

namespace ballast::test {
namespace {

/// Segments on a device, with room for what becomes of them. Index is that of the ends.
template <class T, class Index>
class reduction_on {
 public:
  using kernel = reduce_rows<32, T, Index>;

  reduction_on(std::shared_ptr<compute_device> device, ends_list const& ends)
      : device_(std::move(device)),
        ends_(device_, ends.size() + 1),
        fractions_(device_, ends_.size()),
        maps_(device_, ends_.size()),
        stored_(device_, ends_.size()),
        added_(device_, ends_.size()),
        mapped_(device_, (ends.empty() ? 0 : ends.back()) + 1),
        carries_(device_, mapped_.size() + ends_.size()),
        of_{array_ref<Index const>(ends_.data()), std::uint32_t(ends.size()), Index(mapped_.size() - 1),
            array_ref(carries_.data())} {
    std::ranges::copy(ends, ends_.data());
    for (auto* const counts : {&stored_, &added_, &mapped_}) std::ranges::fill(counts->span(), 0u);
  }

  kernel step(bool second) const {
    return {of_,
            {array_ref(fractions_.data()), array_ref(maps_.data()), array_ref(stored_.data()),
             array_ref(added_.data()), array_ref(mapped_.data())},
            second};
  }
  /// Launches both steps by the code that fits T.
  void run(kernel_code const& code, std::uint32_t blocks) const {
    auto const work = device_->make_stream();
    for (auto const& each : {step(false), step(true)}) work->launch(code, blocks, &each, sizeof each);
    work->synchronize();
  }
  /// Both steps by one thread.
  void run_alone() const {
    typename kernel::scratch scratch;
    for (bool const second : {false, true})
      detail::run_blocks<detail::host_block>(step(second), {0, 1}, static_cast<void*>(&scratch));
  }

  void expect_each_once() const {
    for (std::uint32_t i = 0; i < of_.items; ++i) ASSERT_EQ(mapped_[i], 1u) << "item " << i;
    std::uint64_t before = 0;
    for (std::uint32_t i = 0; i < of_.count; ++i) {
      auto const place = std::uint64_t(ends_[i]) + i;
      ASSERT_EQ(stored_[i], 1u) << "segment " << i;
      ASSERT_EQ(added_[i], before / detail::share_size != place / detail::share_size) << "segment " << i;
      before = place;
    }
  }
  void expect_maps() const {
    expect_each_once();
    std::uint32_t item = 0;
    for (std::uint32_t i = 0; i < of_.count; ++i) {
      affine maps;
      for (; item < ends_[i]; ++item) maps = first_then()(maps, reduced_items::map(item));
      ASSERT_EQ(maps_[i], maps) << "segment " << i;
    }
  }
  void expect_fractions() const {
    expect_each_once();
    std::uint32_t item = 0;
    for (std::uint32_t i = 0; i < of_.count; ++i) {
      double sum = 0;
      for (; item < ends_[i]; ++item) sum += double(reduced_items::fraction(item));
      ASSERT_NEAR(fractions_[i], sum, 1e-5 * sum) << "segment " << i;
    }
  }
  void expect_same_bits(reduction_on const& other) const {
    auto const bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    for (std::uint32_t i = 0; i < of_.count; ++i)
      ASSERT_EQ(bits(fractions_[i]), bits(other.fractions_[i])) << "segment " << i;
  }

 private:
  std::shared_ptr<compute_device> device_;
  pinned_buffer<Index> ends_;
  pinned_buffer<float> fractions_;
  pinned_buffer<affine> maps_;
  pinned_buffer<std::uint32_t> stored_, added_, mapped_;
  pinned_buffer<segment_carry<T>> carries_;
  segments<T, Index> of_;
};

using sums = reduction_on<float, std::uint32_t>;
using compositions = reduction_on<affine, std::uint64_t>;
constexpr std::uint32_t any_blocks[] = {1, 3, 264};

std::shared_ptr<compute_device> a_core() { return open_devices("host:1").front(); }

TEST(segment_sums, are_close_to_those_in_double_precision) {
  for (auto const& ends : ragged_cases()) {
    sums const alone(a_core(), ends);
    alone.run_alone();
    alone.expect_fractions();
  }
}

using segments_on = every_device;

TEST_F(segments_on, every_device_have_the_same_bits_for_any_number_of_threads_and_blocks) {
  for (auto const& ends : ragged_cases()) {
    sums const alone(a_core(), ends);
    alone.run_alone();
    for (auto const& device : devices_)
      for (auto const threads : segment_threads)
        for (auto const blocks : any_blocks) {
          SCOPED_TRACE(testing::Message()
                       << device->name() << ", " << threads << " threads, " << blocks << " blocks");
          sums const found(device, ends);
          found.run(reduce_fractions_kernel(threads), blocks);
          found.expect_each_once();
          found.expect_same_bits(alone);
        }
  }
}

TEST_F(segments_on, every_device_are_combined_in_the_order_of_their_items) {
  for (auto const& ends : ragged_cases())
    for (auto const& device : devices_)
      for (auto const threads : segment_threads)
        for (auto const blocks : any_blocks) {
          SCOPED_TRACE(testing::Message()
                       << device->name() << ", " << threads << " threads, " << blocks << " blocks");
          compositions const found(device, ends);
          found.run(reduce_maps_kernel(threads), blocks);
          found.expect_maps();
        }
}

template <std::uint32_t Threads>
void expect_reduced_by_a_team(ends_list const& ends) {
  SCOPED_TRACE(testing::Message() << Threads << " threads");
  sums const alone(a_core(), ends), found(a_core(), ends);
  alone.run_alone();
  for (bool const second : {false, true}) run_with_team<Threads>(found.step(second), {0, 2});
  found.expect_each_once();
  found.expect_same_bits(alone);
}

TEST(segment_sums, by_teams_of_threads_have_the_same_bits) {
  for (auto const& ends : {ends_of({}), ends_of({0, 5, 40'000, 0, 700}), ends_of(mostly_short(2000, 3))}) {
    expect_reduced_by_a_team<2>(ends);
    expect_reduced_by_a_team<7>(ends);
  }
}

TEST(segment_sums, have_items_beyond_32_bits) {
  constexpr auto far = std::uint64_t(1) << 33;
  std::uint64_t const ends[] = {5, far + 7, far + 9};
  constexpr auto share = (far + 11) / detail::share_size;
  std::vector<segment_carry<std::uint64_t>> carries(share + 1);
  segments<std::uint64_t, std::uint64_t> const of{array_ref(&ends[0]), 3, far + 9, array_ref(carries.data())};
  ASSERT_EQ(of.shares(), carries.size());
  share_memory<std::uint64_t> memory;
  std::vector<std::uint64_t> stored(3);
  detail::one_thread_block<int> const block({}, nullptr);
  reduce_segments(
      block, memory, of, share, 0, [](std::uint64_t item) { return item; }, plus(),
      [&](std::uint32_t segment, std::uint64_t sum) { stored[segment] = sum; });
  auto const first = share * detail::share_size - 1, last = far + 6;  // one end came before
  EXPECT_EQ(stored, (std::vector<std::uint64_t>{0, (last - first + 1) * (first + last) / 2, 2 * far + 15}));
}

using segments_of_own_kernels = every_gpu;

TEST_F(segments_of_own_kernels, have_the_bits_of_cores) {
  for (auto const& ends : ragged_cases())
    for (auto const& device : devices_) {
      sums const alone(a_core(), ends), found(device, ends);
      alone.run_alone();
      auto const work = device->make_stream();
      for (auto each : {found.step(false), found.step(true)}) {
        void* const arguments[] = {&each};
        work->launch_plain({own_reduction(), {50, 128}, arguments, "own"});
      }
      work->synchronize();
      found.expect_each_once();
      found.expect_same_bits(alone);
    }
}

}  // namespace
}  // namespace ballast::test
