// SPDX-License-Identifier: Apache-2.0
// Requests of very different cost: some come one by one to several threads, some all at once.
#include <cstdio>
#include <future>
#include <span>
#include <vector>

#include <ballast/balanced_queue.hpp>

#include "kernels.cuh"

namespace {

constexpr std::uint32_t streamed = 2000, batched = 2000, clients = 4;

/// 1, 2, 4 ... or 2048 numbers, in no order that helps.
request request_of(std::uint32_t i) { return {1 + 977 * i, 1u << (i * 2654435761u >> 16) % 12}; }

ballast::task task_of(std::uint32_t i, std::uint64_t& answer) {
  auto const asked = request_of(i);
  return ballast::task(sum_steps{asked, ballast::array_ref(&answer)}, {},
                       ballast::task_cost{asked.count});  // a hint: orders the tasks of one batch
}

/// What one thread of a server does: submits every request when it comes, and answers each when it is done.
std::uint32_t serve(ballast::balanced_queue& queue, std::span<std::uint64_t> answers, std::uint32_t client) {
  std::vector<ballast::completion> completions;
  for (auto i = client; i < streamed; i += clients)
    completions.push_back(queue.submit(task_of(i, answers[i])));
  for (auto const& done : completions) {
    done.wait();         // from here on this answer may be read
    queue.forget(done);  // a server runs for long: keep no record of what is done
  }
  return std::uint32_t(completions.size());
}

void answer_as_they_come(ballast::balanced_queue& queue, std::span<std::uint64_t> answers) {
  std::vector<std::future<std::uint32_t>> threads;
  for (std::uint32_t client = 0; client < clients; ++client)
    threads.push_back(std::async(std::launch::async, [=, &queue] { return serve(queue, answers, client); }));
  std::uint32_t served = 0;
  for (auto& thread : threads) served += thread.get();
  std::printf("%u threads waited for %u requests of 1 to 2048 numbers, a completion each\n", clients, served);
}

void answer_batch(ballast::balanced_queue& queue, std::span<std::uint64_t> answers) {
  std::vector<ballast::task> batch;
  for (auto i = streamed; i < streamed + batched; ++i) batch.push_back(task_of(i, answers[i]));
  auto const done = queue.submit(batch);  // costly ones begin first, so that none is left for the end
  done.wait();
  auto const shares = queue.shares(done);
  for (std::size_t i = 0; i < queue.size(); ++i)
    std::printf("%s ran %llu of a batch of %u\n", queue.on(i).device().name().c_str(), 0ull + shares[i].tasks,
                batched);
}

std::uint64_t answer_of_host(request asked) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < asked.count; ++i) sum += collatz_steps(asked.first + i);
  return sum;
}

}  // namespace

int main() {
  auto const devices = ballast::open_devices();
  // Beside a resident kernel no device or pinned memory may be allocated: all of it comes before.
  ballast::pinned_buffer<std::uint64_t> answers(devices.front(), streamed + batched);
  ballast::balanced_queue queue(devices, kernels());
  answer_as_they_come(queue, answers.span());
  answer_batch(queue, answers.span());
  queue.close();

  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < answers.size(); ++i) right += answers[i] == answer_of_host(request_of(i));
  std::printf("%u of %zu sums are right\n", right, answers.size());
  return right == answers.size() ? 0 : 1;
}
