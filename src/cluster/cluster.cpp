// SPDX-License-Identifier: Apache-2.0
#include "ballast/cluster.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/detail/base/event_count.hpp"
#include "ballast/error.hpp"
#include "cluster_thread.hpp"
#include "in_process_transport.hpp"
#include "rank_agreement.hpp"

namespace ballast {

using namespace detail;

/// Gives up the thread's object in a child of fork(), since the thread exists only in the parent. Called
/// before a cluster releases its thread.
static void leave_to_parent(std::unique_ptr<cluster_thread>& thread) {
  if (thread != nullptr && thread->process().is_parent()) (void)thread.release();
}

cluster::cluster() : cluster(in_process_ranks(1).makers().front()) {}
cluster::cluster(transport_maker make, cluster_options options)
    : thread_(std::make_unique<cluster_thread>(std::move(make), options)) {}

cluster::~cluster() { leave_to_parent(thread_); }
cluster::cluster(cluster&&) noexcept = default;
cluster& cluster::operator=(cluster&& other) noexcept {
  leave_to_parent(thread_);
  thread_ = std::move(other.thread_);
  return *this;
}

std::uint32_t cluster::rank() const { return thread_->place().rank; }
std::uint32_t cluster::ranks() const { return thread_->place().ranks; }
std::uint32_t cluster::host_first() const { return thread_->place().host_first; }
std::uint32_t cluster::host_ranks() const { return thread_->place().host_ranks; }
std::vector<std::uint32_t> cluster::lost() const { return thread_->lost(); }
std::string cluster::describe() const { return thread_->description(); }
void cluster::fail(std::string_view why) {
  auto const hold = thread_->lock();
  thread_->fail(why);
}

std::vector<cluster> in_process_clusters(std::uint32_t ranks, cluster_options const& options) {
  std::vector<cluster> all;
  for (auto& make : in_process_ranks(ranks).makers()) all.emplace_back(std::move(make), options);
  return all;
}

namespace {

/// One option, from a line of options.
struct typed_option {
  std::string_view name, value;
};

typed_option take_option(std::string_view& lines) {
  auto const line = lines.substr(0, lines.find('\n'));
  lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  auto const name = line.substr(0, line.find(' '));
  return {name, line.substr(std::min(name.size() + 1, line.size()))};
}

/// The name of the first option that differs, and on the next line its values; empty if no option differs.
std::string differing_option(said_by_ranks const& said) {
  auto const& first = said.at(0);
  auto const found = std::ranges::find_if(said, [&](auto const& one) { return one.second != first; });
  if (found == said.end()) return {};
  for (std::string_view its = first, others = found->second; !its.empty() || !others.empty();) {
    auto const one = take_option(its), other = take_option(others);
    if (one.name == other.name && one.value == other.value) continue;
    auto const other_value = one.name == other.name ? other.value : "not an option";
    return std::string(one.name) + "\n" + std::string(one.value) + " on rank 0, and " +
           std::string(other_value) + " on rank " + std::to_string(found->first);
  }
  return {};
}

/// Lets the ranks agree once.
class comparison final : public cluster_channel {
 public:
  comparison(cluster& over, agreement const& on, std::string text);
  ~comparison() override;

  /// Describes what is wrong; empty if nothing is.
  std::string fault(deadline until);

  void receive(std::uint32_t from, envelope const& what, std::span<std::byte const> message) override;
  void hear_of_end(std::uint32_t) override {}
  void lose(std::uint32_t rank, std::string const& why) override;
  std::int64_t step(std::int64_t) override { return std::numeric_limits<std::int64_t>::max(); }
  void fail(std::exception_ptr why) override;

 private:
  enum class kind : std::uint8_t { said, found };

  void send(std::uint32_t to, kind what, std::string_view text) {
    thread_->send(to, {number_, std::uint8_t(what)}, std::as_bytes(std::span(text)));
  }

  cluster_thread* thread_;
  next_channel channel_;
  std::uint16_t number_ = 0;
  event_count changed_;

  // Guarded by the cluster's lock:
  std::map<std::uint32_t, std::string> lost_;
  rank_agreement agreement_;
  std::exception_ptr failure_;
};

comparison::comparison(cluster& over, agreement const& on, std::string text)
    : thread_(&over.thread()),
      channel_(*thread_),
      agreement_(over.rank(), over.ranks(),
                 {[this](std::uint32_t rank) { return lost_.contains(rank); },
                  [this](std::string const& said) { send(0, kind::said, said); },
                  [this](std::uint32_t to, std::string const& found) { send(to, kind::found, found); }}) {
  {
    auto const hold = thread_->lock();
    channel_.open(*this);
    number_ = channel_.number();
    agreement_.begin(on, std::move(text));
  }
  thread_->wake();
}

comparison::~comparison() {
  auto const hold = thread_->lock();
  bool const is_over = agreement_.fault().has_value();
  if (!is_over && lost_.empty()) thread_->leave(number_, {});
  thread_->close(number_, is_over, !lost_.empty());
}

std::string comparison::fault(deadline until) {
  wait_limit limit(until);
  for (auto epoch = changed_.epoch();; epoch = changed_.epoch()) {
    {
      auto const hold = thread_->lock();
      if (agreement_.fault()) return *agreement_.fault();
      if (failure_) std::rethrow_exception(failure_);
    }
    if (limit.passed()) throw timed_out("the options of all ranks", "not all ranks have told theirs\n");
    changed_.wait_past(epoch, until);
  }
}

void comparison::receive(std::uint32_t from, envelope const& what, std::span<std::byte const> message) {
  std::string_view const text(reinterpret_cast<char const*>(message.data()), message.size());
  kind(what.kind) == kind::said ? agreement_.hear(from, text) : agreement_.hear_answer(text);
  changed_.notify();
}

void comparison::lose(std::uint32_t rank, std::string const& why) {
  lost_.emplace(rank, why);
  agreement_.note_loss();
  if (rank == 0)
    failure_ = std::make_exception_ptr(rank_lost("rank 0 is lost, by which the others agree: " + why, {0}));
  changed_.notify();
}

void comparison::fail(std::exception_ptr why) {
  if (!failure_) failure_ = std::move(why);
  changed_.notify();
}

}  // namespace

void require_same_options(cluster& over, std::vector<std::pair<std::string, std::string>> const& options,
                          deadline until) {
  std::string text;
  for (auto const& [name, value] : options) {
    auto line = name + " " + value;
    std::ranges::replace(line, '\n', ' ');
    text += line + "\n";
  }
  auto const fault = comparison(over, {"options", &differing_option}, std::move(text)).fault(until);
  if (fault.empty()) return;
  auto const end_of_name = fault.find('\n');
  throw_bad_argument(fault.substr(0, end_of_name), fault.substr(end_of_name + 1), "the same on all ranks");
}

}  // namespace ballast
