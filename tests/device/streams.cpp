// SPDX-License-Identifier: Apache-2.0
#include "ballast/stream.hpp"

#include <gtest/gtest.h>

#if BALLAST_HAVE_CUDA
#  include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <numeric>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "every_device.hpp"
#include "held_stream.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
namespace {

using streams = every_device;

TEST_F(streams, carry_copies_and_fills_out_in_order) {
  for (auto const& device : devices_) {
    constexpr std::size_t size = 5003;
    pinned_buffer<std::uint32_t> in(device, size), out(device, size);
    device_buffer<std::uint32_t> there(device, size), further(device, size);
    std::iota(in.span().begin(), in.span().end(), 7u);
    auto const work = device->make_stream();
    work->fill(there.data(), 0xff, there.bytes());
    work->copy(there.data(), in.data(), in.bytes());
    work->fill(there.data(), 0, 4 * sizeof(std::uint32_t));
    work->copy(further.data(), there.data(), there.bytes());
    work->copy(out.data(), further.data(), further.bytes());
    work->synchronize();
    EXPECT_TRUE(work->idle());
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(out[i], i < 4 ? 0 : i + 7) << device->name() << " " << i;
  }
}

/// A table of 5 rows of 12 words of which 7 go to rows of 9 words, from the third word to the second.
struct copied_rows {
  static constexpr std::size_t rows = 5, from_words = 12, to_words = 9, words = 7;

  static std::vector<std::uint32_t> source() {
    std::vector<std::uint32_t> table(rows * from_words);
    std::iota(table.begin(), table.end(), 100u);
    return table;
  }
  static std::vector<std::uint32_t> expected() {
    std::vector<std::uint32_t> table(rows * to_words, 0);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < words; ++i)
        table[row * to_words + 1 + i] = std::uint32_t(100 + row * from_words + 2 + i);
    return table;
  }
  static void enqueue(stream& on, std::uint32_t* to, std::uint32_t const* from) {
    on.copy_rows(to + 1, to_words * sizeof *to, from + 2, from_words * sizeof *to, words * sizeof *to, rows);
  }
};

TEST_F(streams, copy_rows_and_leave_what_is_between_them) {
  for (auto const& device : devices_) {
    auto const in = copied_rows::source();
    std::vector<std::uint32_t> out(copied_rows::expected().size(), 0);
    device_buffer<std::uint32_t> there(device, in.size()), further(device, out.size());
    auto const work = device->make_stream();
    work->copy(there.data(), in.data(), there.bytes());
    work->fill(further.data(), 0, further.bytes());
    copied_rows::enqueue(*work, further.data(), there.data());
    work->copy(out.data(), further.data(), further.bytes());
    work->synchronize();
    EXPECT_EQ(out, copied_rows::expected()) << device->name();
  }
}

TEST_F(streams, copy_rows_from_pinned_memory_and_to_it) {
  for (auto const& device : devices_) {
    auto const source = copied_rows::source();
    pinned_buffer<std::uint32_t> in(device, source.size()), out(device, copied_rows::expected().size());
    device_buffer<std::uint32_t> there(device, out.size());
    std::ranges::copy(source, in.span().begin());
    auto const work = device->make_stream();
    work->fill(there.data(), 0, there.bytes());
    work->fill(out.data(), 0, out.bytes());
    copied_rows::enqueue(*work, there.data(), in.data());
    auto const pitch = copied_rows::to_words * sizeof out[0];
    work->copy_rows(out.data(), pitch, there.data(), pitch, pitch - 1, copied_rows::rows);
    work->synchronize();
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], copied_rows::expected()[i]) << device->name() << " " << i;
  }
}

TEST_F(streams, copy_rows_between_any_two_devices) {
  for (auto const& from : devices_)
    for (auto const& to : devices_) {
      auto const in = copied_rows::source();
      std::vector<std::uint32_t> out(copied_rows::expected().size(), 0);
      device_buffer<std::uint32_t> source(from, in.size()), target(to, out.size());
      auto const work = (from->is_cuda() ? from : to)->make_stream();
      work->copy(source.data(), in.data(), source.bytes());
      work->copy(target.data(), out.data(), target.bytes());
      copied_rows::enqueue(*work, target.data(), source.data());
      work->copy(out.data(), target.data(), target.bytes());
      work->synchronize();
      EXPECT_EQ(out, copied_rows::expected()) << from->name() << " to " << to->name();
    }
}

/// Where rows of bytes begin, how long they are and how far apart, in pieces of a width.
struct aligned_rows {
  static constexpr std::size_t rows = 3, first = 2, length = 300, from_pitch = 320, to_pitch = 310;

  static bool are_copied(stream& on, std::size_t width, std::shared_ptr<compute_device> const& from,
                         std::shared_ptr<compute_device> const& to) {
    std::vector<unsigned char> in(rows * from_pitch * width), out(rows * to_pitch * width, 1);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 7 + i / 251);
    auto expected = out;
    for (std::size_t row = 0; row < rows; ++row)
      std::copy_n(&in[(row * from_pitch + first) * width], length * width,
                  &expected[(row * to_pitch + first) * width]);
    device_buffer<unsigned char> source(from, in.size()), target(to, out.size());
    on.copy(source.data(), in.data(), source.bytes());
    on.copy(target.data(), out.data(), target.bytes());
    on.copy_rows_by_kernel(target.data() + first * width, to_pitch * width, source.data() + first * width,
                           from_pitch * width, length * width, rows);
    on.copy(out.data(), target.data(), target.bytes());
    on.synchronize();
    return out == expected;
  }
};

TEST_F(streams, copy_rows_of_any_alignment_by_a_kernel) {
  for (auto const& from : devices_)
    for (auto const& to : devices_) {
      if (from != to && (from->is_cuda() != to->is_cuda() || !from->enable_peer_access(*to))) continue;
      auto const work = to->make_priority_stream();
      for (std::size_t const width : {1, 2, 4, 12, 16})
        EXPECT_TRUE(aligned_rows::are_copied(*work, width, from, to))
            << from->name() << " to " << to->name() << " " << width;
    }
}

#if BALLAST_HAVE_CUDA
TEST_F(streams, of_gpus_have_the_priority_that_was_asked_for) {
  for (auto const& device : devices_) {
    if (!device->is_cuda()) continue;
    auto const usual = device->make_stream(), first = device->make_priority_stream();
    int of_usual = 1, of_first = 1;
    ASSERT_EQ(cudaStreamGetPriority(usual->native(), &of_usual), cudaSuccess);
    ASSERT_EQ(cudaStreamGetPriority(first->native(), &of_first), cudaSuccess);
    EXPECT_EQ(of_usual, 0);
    EXPECT_LT(of_first, of_usual);
  }
}
#endif

TEST_F(streams, copy_one_block_of_memory_by_a_kernel_and_neither_nothing_nor_rows_that_overlap) {
  for (auto const& device : devices_) {
    constexpr std::size_t size = 200'003;  // more than the blocks of a copy take at once
    pinned_buffer<std::uint32_t> in(device, size), out(device, size);
    std::iota(in.span().begin(), in.span().end(), 1u);
    std::ranges::fill(out.span(), 0u);
    auto const work = device->make_stream();
    work->copy_rows_by_kernel(&out[3], 0, &in[3], 0, (size - 3) * sizeof in[0], 1);
    work->copy_rows_by_kernel(&out[0], 8, &in[0], 8, 8, 0);
    work->copy_rows_by_kernel(&out[0], 8, &in[0], 8, 0, 2);
    work->synchronize();
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(out[i], i < 3 ? 0 : in[i]) << device->name() << " " << i;
    EXPECT_EQ(refused_argument([&] { work->copy_rows_by_kernel(&out[8], 7, &in[0], 8, 8, 2); }), "to_pitch");
  }
}

TEST_F(streams, copy_no_rows_and_rows_without_a_gap) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> in(device, 6), out(device, 6);
    std::iota(in.span().begin(), in.span().end(), 1u);
    std::ranges::fill(out.span(), 0u);
    auto const work = device->make_stream();
    work->copy_rows(&out[3], 8, in.data(), 8, 8, 0);
    work->copy_rows(&out[3], 8, in.data(), 8, 0, 2);
    work->copy_rows(&out[5], 0, &in[5], 0, 4, 1);
    work->copy_rows(out.data(), 8, &in[1], 8, 8, 2);
    work->synchronize();
    EXPECT_EQ(std::vector(out.span().begin(), out.span().end()), (std::vector{2u, 3u, 4u, 5u, 0u, 6u}));
  }
}

TEST_F(streams, refuse_rows_that_overlap) {
  for (auto const& device : devices_) {
    pinned_buffer<char> bytes(device, 64);
    auto const work = device->make_stream();
    EXPECT_EQ(refused_argument([&] { work->copy_rows(&bytes[32], 7, &bytes[0], 8, 8, 2); }), "to_pitch");
    EXPECT_EQ(refused_argument([&] { work->copy_rows(&bytes[32], 8, &bytes[0], 7, 8, 2); }), "from_pitch");
  }
}

TEST_F(streams, of_host_devices_notify_when_what_was_enqueued_has_finished) {
  for (auto const& device : devices_) {
    bool const needs_polling = device->capabilities().needs_polling;
    event_count wake_event;
    held_stream held(device);
    EXPECT_EQ(held.get().notify_on_completion(wake_event), !needs_polling);
    held.await_start();
    EXPECT_EQ(wake_event.epoch(), 0u);
    held.release();
    held.get().synchronize();
    EXPECT_EQ(wake_event.epoch(), needs_polling ? 0u : 1u);
  }
}

TEST_F(streams, copy_from_ordinary_host_memory_and_back) {
  for (auto const& device : devices_) {
    std::vector<int> const in{3, 1, 4, 1, 5};
    std::vector<int> out(in.size());
    device_buffer<int> there(device, in.size());
    auto const work = device->make_stream();
    work->copy(there.data(), in.data(), there.bytes());
    work->copy(out.data(), there.data(), there.bytes());
    work->synchronize();
    EXPECT_EQ(out, in);
  }
}

TEST_F(streams, copy_between_any_two_devices) {
  for (auto const& from : devices_)
    for (auto const& to : devices_) {
      device_buffer<std::uint32_t> source(from, 100), target(to, 100);
      auto const work = (from->is_cuda() ? from : to)->make_stream();
      std::vector<std::uint32_t> in(100, 42), out(100);
      work->copy(source.data(), in.data(), source.bytes());
      work->copy(target.data(), source.data(), source.bytes());
      work->copy(out.data(), target.data(), target.bytes());
      work->synchronize();
      EXPECT_EQ(out, in) << from->name() << " to " << to->name();
    }
}

TEST_F(streams, start_late_work_after_an_event_of_another_stream) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> word(device, 2);
    device_buffer<std::uint32_t> between(device, 1);
    word[0] = 0;
    word[1] = 5;
    held_stream first(device);
    auto const second = device->make_stream();
    first.get().copy(between.data(), &word[1], sizeof word[0]);
    auto const copied = first.get().record();
    second->wait_for(*copied);
    second->copy(&word[0], between.data(), sizeof word[0]);
    auto const end = second->record();
    first.await_start();
    EXPECT_FALSE(copied->reached());
    EXPECT_FALSE(end->reached());
    EXPECT_FALSE(second->idle());
    first.release();
    second->synchronize();
    EXPECT_TRUE(copied->reached());
    EXPECT_TRUE(end->reached());
    EXPECT_EQ(word[0], 5u);
    EXPECT_EQ(word[1], 5u);
  }
}

TEST_F(streams, events_of_one_stream_have_times_in_order) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    auto const begin = work->record();
    pinned_buffer<char> bytes(device, 1 << 20);
    work->fill(bytes.data(), 1, bytes.bytes());
    auto const end = work->record();
    work->synchronize();
    EXPECT_GE(end->since(*begin).count(), 0);
    EXPECT_LE(begin->since(*end).count(), 0);
  }
}

TEST_F(streams, wait_for_events_without_a_time_as_for_others) {
  for (auto const& device : devices_) {
    held_stream first(device);
    auto const second = device->make_stream();
    auto const released = first.get().record_untimed();
    second->wait_for(*released);
    auto const end = second->record_untimed();
    first.await_start();
    EXPECT_FALSE(released->reached());
    EXPECT_FALSE(end->reached());
    first.release();
    second->synchronize();
    EXPECT_TRUE(released->reached());
    EXPECT_TRUE(end->reached());
  }
}

void expect_no_time(std::string const& which, event const& end, event const& begin) {
  try {
    end.since(begin);
    ADD_FAILURE() << "nothing was thrown";
  } catch (bad_argument const& refusal) { EXPECT_EQ(refusal.argument(), which); }
}

TEST_F(streams, events_without_a_time_are_refused_where_times_are_asked) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    for (int times = 0; times < 3; ++times) {  // the events of the first time are lent again
      auto const unmeasured = work->record_untimed();
      auto const begin = work->record(), end = work->record();
      work->synchronize();
      expect_no_time("event", *unmeasured, *begin);
      expect_no_time("earlier", *end, *unmeasured);
      EXPECT_GE(end->since(*begin).count(), 0);
    }
  }
}

TEST_F(streams, copy_and_record_while_a_kernel_stays_on_another_stream) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> words(device, 2);
    device_buffer<std::uint32_t> between(device, 1);
    words[0] = 9;
    words[1] = 0;
    auto const work = device->make_stream();
    held_stream held(device);
    held.await_start();
    work->copy(between.data(), &words[0], sizeof words[0]);
    work->copy(&words[1], between.data(), sizeof words[0]);
    auto const copied = work->record();
    work->synchronize();
    EXPECT_TRUE(copied->reached());
    EXPECT_EQ(words[1], 9u);
    EXPECT_FALSE(held.get().idle());
  }
}

TEST_F(streams, synchronize_gives_up_at_its_deadline) {
  for (auto const& device : devices_) {
    held_stream held(device);
    EXPECT_THROW(held.get().synchronize(deadline::in(std::chrono::milliseconds(1))), timed_out);
    EXPECT_FALSE(held.get().is_at_rest());
    held.release();
    held.get().synchronize();
    EXPECT_TRUE(held.get().idle());
    EXPECT_TRUE(held.get().is_at_rest());
  }
}

TEST_F(streams, carry_out_what_is_left_before_they_go) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> words(device, 64);
    words[63] = 0;
    {
      auto const work = device->make_stream();
      for (std::uint32_t i = 0; i < 63; ++i) words[i] = i + 1;
      for (std::uint32_t i = 0; i < 63; ++i) work->copy(&words[63], &words[i], sizeof words[i]);
    }
    EXPECT_EQ(words[63], 63u);
  }
}

}  // namespace
}  // namespace ballast::test
