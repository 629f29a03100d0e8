// SPDX-License-Identifier: Apache-2.0
#include "ballast/array_view.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "every_device.hpp"
#include "refused_argument.hpp"
#include "view_kernels.hpp"

namespace ballast::test {
namespace {

static_assert(std::is_trivially_copyable_v<array_view<float, 3>>);
static_assert(std::is_convertible_v<array_view<float, 2>, array_view<float const, 2>>);
static_assert(!std::is_convertible_v<array_view<float const, 2>, array_view<float, 2>>);
static_assert(!std::is_constructible_v<array_view<float>, std::span<float const>>);
static_assert(!std::is_constructible_v<array_view<float>, std::vector<float>>,
              "a temporary is gone too soon");

std::vector<int> numbered(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(array_views, of_extents_alone_are_row_major) {
  auto numbers = numbered(24);
  array_view const view(numbers.data(), {2, 3, 4});
  EXPECT_EQ(view(1, 2, 3), 23);
  EXPECT_EQ(view(1, 0, 2), 14);
  EXPECT_EQ(view.size(), 24u);
  EXPECT_EQ(view.extent(0), 2u);
  EXPECT_EQ(view.extent(2), 4u);
  EXPECT_EQ(view.stride(0), 12);
  EXPECT_TRUE(view.is_contiguous());
  view(0, 1, 1) = -5;
  EXPECT_EQ(numbers[5], -5);
}

TEST(array_views, have_the_strides_that_they_were_given) {
  auto numbers = numbered(12);
  array_view const transposed(numbers.data(), {4, 3}, {1, 4});
  EXPECT_EQ(transposed(3, 2), 11);
  EXPECT_EQ(transposed(1, 2), 9);
  EXPECT_FALSE(transposed.is_contiguous());
  array_view const backwards(numbers.data() + 11, {12}, {-1});
  EXPECT_EQ(backwards[0], 11);
  EXPECT_EQ(backwards[11], 0);
}

TEST(array_views, have_rows_that_are_views) {
  auto numbers = numbered(24);
  array_view const view(numbers.data(), {2, 3, 4});
  EXPECT_EQ(view.row(1)(2, 3), 23);
  EXPECT_EQ(view.row(1).row(2)[3], 23);
  auto const rows = view.row(1).rows(1, 2);
  EXPECT_EQ(rows.extent(0), 2u);
  EXPECT_EQ(rows(0, 0), 16);
  EXPECT_TRUE(rows.is_contiguous());
  EXPECT_EQ(view.rows(2, 0).size(), 0u);
}

TEST(array_views, are_contiguous_whatever_the_strides_of_what_has_no_neighbour) {
  int one = 0;
  EXPECT_TRUE((array_view(&one, {1, 1}, {77, 9}).is_contiguous()));
  EXPECT_TRUE((array_view(&one, {0, 5}, {9, 9}).is_contiguous()));
  EXPECT_FALSE((array_view(&one, {2, 1}, {9, 1}).is_contiguous()));
}

TEST(array_views, of_a_span_or_a_vector_have_its_elements) {
  auto numbers = numbered(5);
  array_view const of_span{std::span(numbers)}, of_vector{numbers};
  EXPECT_EQ(of_span.size(), 5u);
  EXPECT_EQ(of_span[4], 4);
  EXPECT_EQ(of_vector.data(), numbers.data());
  array_view<int const> const to_read(of_vector);
  EXPECT_EQ(to_read[3], 3);
  array_view<int, 2> const of_sizes(numbers.data(), std::array<std::size_t, 2>{2, 2});
  EXPECT_EQ(of_sizes(1, 1), 3);
}

TEST(array_views, of_nothing_have_no_elements) {
  array_view<float, 2> const nothing;
  EXPECT_EQ(nothing.size(), 0u);
  EXPECT_EQ(nothing.data(), nullptr);
  EXPECT_EQ((array_view<float>(nullptr, {0})).size(), 0u);
}

/// With DLTensor's fields in its order.
struct tensor {
  void* data;
  struct {
    std::int32_t device_type, device_id;
  } device{1, 0};
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

struct tensors_of_dlpack : testing::Test {
  std::vector<int> numbers = numbered(12);
  std::int64_t shape[2] = {2, 3}, strides[2] = {1, 4};
  tensor ints{numbers.data(), {}, 2, {0, 32, 1}, shape, nullptr, 0};

  std::string refused() {
    return refused_argument([&] { array_view<int, 2>{ints}; });
  }
};

TEST_F(tensors_of_dlpack, without_strides_are_row_major) {
  ints.byte_offset = 4;
  array_view<int, 2> const view(ints);
  EXPECT_EQ(view(1, 2), 6);
  EXPECT_EQ(view.extent(1), 3u);
  EXPECT_TRUE(view.is_contiguous());
}

TEST_F(tensors_of_dlpack, have_strides_in_elements) {
  ints.strides = strides;
  EXPECT_EQ((array_view<int const, 2>(ints)(1, 2)), 9);
}

TEST_F(tensors_of_dlpack, are_refused_where_they_have_other_dimensions) {
  EXPECT_EQ(refused_argument([&] { array_view<int, 3>{ints}; }), "ndim");
  shape[1] = -1;
  EXPECT_EQ(refused(), "shape");
}

TEST_F(tensors_of_dlpack, are_refused_where_they_have_other_elements) {
  EXPECT_EQ(refused_argument([&] { array_view<float, 2>{ints}; }), "dtype");
  EXPECT_EQ(refused_argument([&] { array_view<unsigned, 2>{ints}; }), "dtype");
  EXPECT_EQ(refused_argument([&] { array_view<std::int64_t, 2>{ints}; }), "dtype");
  ints.dtype = {0, 16, 2};
  EXPECT_EQ(refused(), "dtype");
  ints.dtype = {0, 32, 1};
  ints.byte_offset = 2;
  EXPECT_EQ(refused(), "data");
}

TEST_F(tensors_of_dlpack, fit_types_without_a_code_by_their_size) {
  struct pair {
    float x, y;
  };
  ints.dtype = {5, 64, 1};  // a complex number
  EXPECT_EQ((array_view<pair, 2>(ints).extent(1)), 3u);
  ints.dtype = {2, 32, 2};
  EXPECT_EQ((array_view<pair, 2>(ints).extent(1)), 3u);
  ints.dtype = {2, 32, 1};
  EXPECT_EQ(refused_argument([&] { array_view<pair, 2>{ints}; }), "dtype");
}

/// With the fields that a dictionary of Python has.
struct interface {
  std::vector<std::int64_t> shape;
  std::string typestr;
  std::pair<std::uintptr_t, bool> data;
  std::vector<std::int64_t> strides;
  int version = 3;
};

struct cuda_array_interfaces : testing::Test {
  std::vector<int> numbers = numbered(12);
  interface ints {
    {2, 3}, "<i4", {reinterpret_cast<std::uintptr_t>(numbers.data()), false}, {}
  };

  std::string refused() {
    return refused_argument([&] { array_view<int, 2>{ints}; });
  }
};

TEST_F(cuda_array_interfaces, without_strides_are_row_major) {
  array_view<int, 2> const view(ints);
  EXPECT_EQ(view(1, 2), 5);
  EXPECT_TRUE(view.is_contiguous());
}

TEST_F(cuda_array_interfaces, have_strides_in_bytes) {
  ints.strides = {4, 16};
  EXPECT_EQ((array_view<int, 2>(ints)(1, 2)), 9);
  ints.strides = {4, 6};
  EXPECT_EQ(refused(), "strides");
  ints.strides = {4};
  EXPECT_EQ(refused(), "strides");
}

TEST_F(cuda_array_interfaces, to_be_read_only_become_views_of_const_alone) {
  ints.data.second = true;
  EXPECT_EQ(refused(), "data");
  EXPECT_EQ((array_view<int const, 2>(ints)(1, 2)), 5);
}

TEST_F(cuda_array_interfaces, are_refused_by_the_name_of_the_field_that_does_not_fit) {
  for (auto const* const other : {"<u4", ">i4", "<i8", "<f4", "i4", "<i4x", ""}) {
    ints.typestr = other;
    EXPECT_EQ(refused(), "typestr") << other;
  }
  ints.typestr = "<i4";
  ints.version = 4;
  EXPECT_EQ(refused(), "version");
  ints.version = 2;
  ints.data.first += 1;
  EXPECT_EQ(refused(), "data");
  ints.shape = {12};
  EXPECT_EQ(refused(), "shape");
}

TEST(checked_array_views, name_the_index_that_is_beyond_its_extent) {
  EXPECT_EQ(complaint_of_access(1, 2), "");
  EXPECT_EQ(complaint_of_access(1, 3), "index: 3 of dimension 1, less than the extent 3");
  EXPECT_EQ(complaint_of_access(2, 0), "index: 2 of dimension 0, less than the extent 2");
  EXPECT_EQ(complaint_of_rows(1, 1), "");
  EXPECT_EQ(complaint_of_rows(2, 0), "");
  EXPECT_EQ(complaint_of_rows(1, 2), "index: 2 of dimension 0, less than the extent 2");
}

TEST(checked_blocks, refuse_more_items_than_a_thread_can_count) {
  for (int call = 0; call < 6; ++call) {
    EXPECT_EQ(complaint_of_items(call, 0xffff'fc00), "begun") << call;
    EXPECT_EQ(complaint_of_items(call, 0xffff'ffff), "n: 4294967295, at most 4294966272 items") << call;
  }
}

// Empty if an access within is carried out and one beyond loses the device.
std::string complaint_of_checked_accesses(std::shared_ptr<compute_device> const& device) {
  pinned_buffer<std::uint32_t> words(device, 4);
  std::ranges::fill(words.span(), 0u);
  auto const work = device->make_stream();
  launch_checked_access(*work, words.data(), 3);
  work->synchronize();
  if (words[3] != 1) return "an access within the extent did nothing";
  try {
    launch_checked_access(*work, words.data(), 4);
    work->synchronize();
    return "an access beyond the extent was not seen";
  } catch (device_lost const& lost) {
    bool const tells_index = std::string_view(lost.what()).find("4 of dimension 0") != std::string_view::npos;
    return device->is_cuda() || tells_index ? "" : lost.what();
  }
}

// A faulted GPU is lost to its process, so a GPU's turn is in a process of its own.
TEST(checked_array_views, fail_a_kernel_that_leaves_them) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (auto const& spec : parse_devices(tested_list())) {
    auto const complaint = [&] { return complaint_of_checked_accesses(open_devices({spec}).front()); };
    if (spec.kind == backend::host)
      EXPECT_EQ(complaint(), "");
    else
      EXPECT_EXIT(std::_Exit(complaint().empty() ? 0 : 1), testing::ExitedWithCode(0), "");
  }
}

using views_in_kernels = every_device;

TEST_F(views_in_kernels, see_the_elements_by_their_strides) {
  for (auto const& device : devices_) {
    SCOPED_TRACE(device->name());
    pinned_buffer<std::uint32_t> from(device, view_rows * view_pitch), to(device, view_rows * view_columns);
    std::iota(from.span().begin(), from.span().end(), 0u);
    auto const work = device->make_stream();
    launch_transpose(*work, from.data(), to.data());
    work->synchronize();
    for (std::uint32_t row = 0; row < view_rows; ++row)
      for (std::uint32_t column = 0; column < view_columns; ++column)
        EXPECT_EQ(to[column * view_rows + row], row * view_pitch + column + 1);
  }
}

}  // namespace
}  // namespace ballast::test
