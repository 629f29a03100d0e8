// SPDX-License-Identifier: Apache-2.0
#include "message_codec.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "ballast/error.hpp"
#include "transport.hpp"
#include "travel.hpp"

namespace ballast::detail {
namespace {

using kind = cluster_message::kind;

/// The fields of a task_range in a message; `bytes` follow.
struct range_head {
  std::uint32_t origin = 0, first = 0, count = 0, bytes = 0;
  std::uint64_t batch = 0;
};
static_assert(sizeof(range_head) == 24);

/// The fields of a share_state in a message.
struct state_words {
  std::uint64_t backlog = 0, running = 0;
  double tasks_per_ns = 0;
  std::uint64_t workers = 0;
};

template <class T>
void append(std::vector<std::byte>& into, T const& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto const* const first = reinterpret_cast<std::byte const*>(&value);
  into.insert(into.end(), first, first + sizeof value);
}

/// Reads from a message, which may end too early.
class reader {
 public:
  explicit reader(std::span<std::byte const> bytes) : rest_(bytes) {}

  std::span<std::byte const> take(std::size_t bytes) {
    if (bytes > rest_.size()) throw error("a message of another rank ends too early");
    auto const taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::span<std::byte const> rest_;
};

std::uint32_t checked_rank(std::uint32_t rank, std::uint32_t ranks) {
  if (rank >= ranks)
    throw error("a message names rank " + std::to_string(rank) + " of " + std::to_string(ranks));
  return rank;
}

std::uint32_t max_results(kernel_set const& kernels) {
  std::uint32_t most = 0;
  for (auto const& kernel : kernels.kernels())
    if (kernel.travel) most = std::max(most, kernel.travel->result_bytes);
  return most;
}

bool names_ranks(kind what) { return what == kind::lost || what == kind::census; }

}  // namespace

message_codec::message_codec(kernel_set const& kernels, published_arrays const& published)
    : kernels_(&kernels), published_(&published), results_of_task_(max_results(kernels)) {
  auto const of_task =
      sizeof(range_head) + std::max<std::size_t>(max_packed_bytes(kernels), results_of_task_);
  piece_tasks_ = std::uint32_t((transport::max_message_bytes - sizeof(envelope)) / of_task);
}

std::size_t message_codec::max_result_bytes() const {
  auto const of_task = (results_of_task_ + results_alignment - 1) / results_alignment * results_alignment;
  return of_task * piece_tasks_;
}

void message_codec::append_range(kind what, task_range const& range, std::vector<std::byte>& into) const {
  auto const at = into.size();
  append(into, range_head{range.origin, range.first, range.count, 0, range.batch});
  if (what == kind::give)
    for (auto const& record : range.load->records(range.first, range.count))
      pack(*kernels_, record, *published_, into);
  if (what == kind::done)
    for (std::uint32_t i = 0; i < range.count; ++i) {
      auto const results = range.load->arrived.results_of(range.first + i - range.load->first);
      into.insert(into.end(), results.begin(), results.end());
    }
  auto const bytes = std::uint32_t(into.size() - at - sizeof(range_head));
  std::memcpy(into.data() + at + offsetof(range_head, bytes), &bytes, sizeof bytes);
}

void message_codec::encode(std::uint16_t channel, cluster_message const& message,
                           std::function<void(std::vector<std::byte>)> const& send) const {
  envelope head{channel, std::uint8_t(message.what), 0, 0};
  std::vector<std::byte> bytes;
  auto const begin = [&] {
    bytes.clear();
    if (message.what == kind::give) bytes.reserve(transport::max_message_bytes);
    append(bytes, head);
    if (message.what == kind::ask)
      append(bytes, state_words{message.state.backlog, message.state.running, message.state.tasks_per_ns,
                                message.state.workers});
    if (!names_ranks(message.what)) return;
    append(bytes, std::uint32_t(message.ranks.size()));
    for (auto const rank : message.ranks) append(bytes, rank);
    if (message.what != kind::lost) return;
    auto const why = std::as_bytes(std::span(message.why));
    append(bytes, std::uint32_t(why.size()));
    bytes.insert(bytes.end(), why.begin(), why.end());
  };
  auto const end = [&](bool has_more) {
    head.has_more = has_more ? 1 : 0;
    std::memcpy(bytes.data(), &head, sizeof head);
    head.count = 0;
    send(std::exchange(bytes, {}));
  };
  begin();
  for (auto const& range : message.ranges) {
    auto const before = bytes.size();
    append_range(message.what, range, bytes);
    if (bytes.size() > transport::max_message_bytes) {
      std::vector<std::byte> const last(bytes.begin() + std::ptrdiff_t(before), bytes.end());
      bytes.resize(before);
      end(true);
      begin();
      bytes.insert(bytes.end(), last.begin(), last.end());
    }
    ++head.count;
  }
  end(message.has_more);
}

message_codec::decoded message_codec::decode(envelope const& what, std::span<std::byte const> bytes,
                                             std::uint32_t ranks) const {
  if (what.kind > std::uint8_t(kind::census))
    throw error("a message is of kind " + std::to_string(what.kind) + ", which there is not");
  decoded result;
  auto& message = result.message;
  message.what = kind(what.kind);
  message.has_more = what.has_more != 0;
  reader from(bytes);
  if (message.what == kind::ask) {
    auto const state = from.take<state_words>();
    message.state = {state.backlog, state.running,
                     std::uint32_t(std::clamp<std::uint64_t>(state.workers, 1, ~0u)), state.tasks_per_ns};
  }
  if (names_ranks(message.what)) {
    auto const named = checked_rank(from.take<std::uint32_t>(), ranks + 1);
    for (std::uint32_t i = 0; i < named; ++i)
      message.ranks.push_back(checked_rank(from.take<std::uint32_t>(), ranks));
    if (message.what == kind::lost && named != 1) throw error("a message does not name one lost rank");
  }
  if (message.what == kind::lost) {
    auto const why = from.take(from.take<std::uint32_t>());
    message.why.assign(reinterpret_cast<char const*>(why.data()), why.size());
  }
  for (std::uint32_t i = 0; i < what.count; ++i) {
    auto const head = from.take<range_head>();
    task_range range{checked_rank(head.origin, ranks), head.first, head.count, head.batch, {}};
    if (range.count == 0 || range.count > ~range.first) throw error("a message has a range of no tasks");
    auto const content = from.take(head.bytes);
    if (message.what == kind::give) {
      auto load = std::make_shared<range_load>();
      load->first = range.first;
      load->arrived = arrived_tasks(*kernels_, *published_, content, range.count);
      range.load = std::move(load);
    } else if (message.what == kind::done) {
      result.results.push_back(content);
    }
    message.ranges.push_back(std::move(range));
  }
  if (!from.is_empty()) throw error("a message of another rank has more than it says");
  return result;
}

}  // namespace ballast::detail
