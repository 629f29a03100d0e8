// SPDX-License-Identifier: Apache-2.0
// docs/device.md shows this.
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "ballast/array_view.cuh"
#include "ballast/device.hpp"
#include "every_device.hpp"

namespace ballast::test {
namespace {

TEST(guide_to_device, fills_and_copies_buffers_and_waits_once) {
  auto const list = tested_list();
  auto const devices = ballast::open_devices(list);  // such as "cuda:0,host:2"
  auto const& device = devices[0];
  ballast::device_buffer<float> x(device, 1000);
  ballast::pinned_buffer<float> y(device, 1000);
  auto const work = device->make_stream();
  work->fill(x.data(), 0, x.bytes());
  work->copy(y.data(), x.data(), x.bytes());
  work->synchronize();  // the only line here that waits
  for (auto const value : y.span()) ASSERT_EQ(value, 0.f);
}

TEST(guide_to_device, views_an_array_in_several_ways) {
  std::size_t const rows = 4, columns = 3;
  std::vector<float> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i);
  auto* const pointer = values.data();
  ballast::array_view const plate(pointer, {rows, columns});  // array_view<float, 2>, row-major without gaps
  ballast::array_view const turned(pointer, {columns, rows}, {1, std::ptrdiff_t(columns)});
  ballast::array_view<float const, 2> const to_read = plate;  // const may be added, not taken away
  float const corner = plate(0, 0), next = plate.row(1)[0];   // row(i): one dimension less
  auto const upper = plate.rows(0, rows / 2);                 // some indices of the slowest dimension
  ballast::array_view const line{std::span(values)};          // one dimension: a span, a vector, a buffer
  EXPECT_EQ(corner, 0.f);
  EXPECT_EQ(next, 3.f);
  EXPECT_EQ(turned(2, 1), plate(1, 2));
  EXPECT_EQ(to_read(3, 2), 11.f);
  EXPECT_EQ(upper.extent(0), 2u);
  EXPECT_EQ(line(11), 11.f);
}

}  // namespace
}  // namespace ballast::test
