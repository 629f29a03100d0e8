// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>
#include <vector>

#include "launch/benchmarks.hpp"
#include "launch/lambda_kernels.cuh"

namespace ballast::bench {

/// A sample is one launch, from the call to its end; the three kinds take turns.
void measure_lambdas(session& now) {
  auto const n = std::uint32_t(now.size(1 << 24, 1 << 16));
  now.axes("One sum over arrays by the form of its kernel", "", "seconds");
  now.parameter("numbers", n);
  device_buffer<std::uint32_t> x(now.first(), n), y(now.first(), n);
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  auto const copies = now.first()->make_stream();
  copies->copy(x.data(), numbers.data(), x.bytes());
  copies->fill(y.data(), 0, y.bytes());
  copies->synchronize();

  launch_queue queue({now.first()});
  auto stream = queue.make_launch_stream();
  scaled_sum const of{array_ref<std::uint32_t const>(x.data()), array_ref<std::uint32_t>(y.data()), n};
  std::pair<char const*, completion (*)(launch_stream&, scaled_sum const&)> const forms[] = {
      {"functor", &launch_functor},
      {"lambda of blocks", &launch_lambda_of_blocks},
      {"lambda of items", &launch_lambda_of_items}};
  std::vector<double> seconds[std::size(forms)];
  auto const rounds = now.size(60, 5), warm_up = now.size(5, 1);
  now.repeat(warm_up, rounds);
  for (std::size_t round = 0; round < warm_up + rounds; ++round)
    for (std::size_t i = 0; i < std::size(forms); ++i) {
      auto const taken = seconds_of([&] { forms[i].second(stream, of).wait(); });
      if (round >= warm_up) seconds[i].push_back(taken);
    }
  for (std::size_t i = 0; i < std::size(forms); ++i) now.add(forms[i].first, "s", std::move(seconds[i]));
  now.derived("lambda of blocks over functor", now.median_of("lambda of blocks") / now.median_of("functor"));
  now.derived("lambda of items over functor", now.median_of("lambda of items") / now.median_of("functor"));

  copies->copy(numbers.data(), y.data(), y.bytes());
  copies->synchronize();
  auto const launches = std::uint32_t((warm_up + rounds) * std::size(forms));
  bool is_right = true;
  for (std::uint32_t i = 0; i < n; ++i) is_right &= numbers[i] == launches * 3 * i;
  now.verify(is_right, "each number is the sum of all launches");
}

}  // namespace ballast::bench
