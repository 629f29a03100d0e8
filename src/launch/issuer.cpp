// SPDX-License-Identifier: Apache-2.0
#include "issuer.hpp"

#include <algorithm>

#include "ballast/base/error.hpp"
#include "ballast/device/hardware_connections.hpp"
#include "nice_thread.hpp"

namespace ballast::inline launch {
namespace {

std::uint32_t streams_for(compute_device const& device, launch_options const& options) {
  if (options.streams != 0) return options.streams;
  return device.is_cuda() ? 64 : 2;
}

std::unique_ptr<merge_policy> merge_policy_of(launch_options const& options) {
  return options.merge == "none" ? nullptr : make_merge_policy(options.merge);
}

/// On CPU cores every stream has a thread of its own.
std::uint32_t connections_of(compute_device const& device) {
  return device.is_cuda() ? connections_of_this_process().count : most_streams;
}

// Where hardware queues are few, what waits in one for its predecessor holds up all behind it (Wende, Cordes,
// Steinke 2012, equation 1), and no trial is needed to know it.
constexpr std::uint32_t enough_connections = 8, many_connections = 32;

/// Only the default order chooses.
std::vector<issue_way> ways_of(launch_options const& options, std::uint32_t connections) {
  if (options.order != "adaptive" || !options.judged) return {issue_way::merged};
  std::vector<issue_way> ways;
  if (options.merge != "none") ways.push_back(issue_way::merged);
  ways.push_back(issue_way::one_by_one);
  if (connections >= enough_connections) ways.push_back(issue_way::by_producers);
  return ways;
}

void clear(stream& on, void* memory, std::size_t bytes) {
  on.fill(memory, 0, bytes);
  on.synchronize();
}

}  // namespace

issuer::issuer(std::shared_ptr<compute_device> device, launch_kernels const* kernels,
               launch_options const& options)
    : device_(std::move(device)),
      kernels_(kernels),
      running_(device_, streams_for(*device_, options)),
      records_(device_, running_.size() * issue_lane::most_in_flight),
      ends_(device_, records_.size()),
      lanes_in_flight_(running_.size()),
      end_patience_(options.end_patience),
      self_issue_(self_issue_of(options.order)),
      connections_(connections_of(*device_)),
      waits_on_device_(connections_ >= many_connections && self_issue_ != self_issue::never),
      follows_others_(connections_ >= enough_connections && options.order != "held"),
      table_(*device_, kernels_),
      plan_(make_order_policy(options.order, options.among, connections_), merge_policy_of(options),
            table_.families(), table_.costs(), options.judged),
      batch_(*device_, options, plain_times_),
      ways_(ways_of(options, connections_)),
      in_flight_(running_.size()),
      way_(ways_.now()) {
  for (std::size_t i = 0; i < running_.size(); ++i)
    lanes_.emplace_back(device_->make_stream(), &running_.data()[i],
                        &records_.data()[i * issue_lane::most_in_flight],
                        &ends_.data()[i * issue_lane::most_in_flight], lanes_in_flight_[i]);
  clear(lanes_.front().on(), running_.data(), running_.bytes());
  clear(lanes_.front().on(), records_.data(), records_.bytes());
  clear(lanes_.front().on(), ends_.data(), ends_.bytes());
  thread_ = start_nice_thread(options.issuer_niceness, [this] { serve(); });
}

issuer::~issuer() { end(); }

void issuer::end() {
  if (!thread_.joinable()) return;
  ended_.store(true, std::memory_order_seq_cst);
  wake();
  thread_.join();
}

bool issuer::is_at_rest() {
  return std::ranges::all_of(lanes_, [](auto& lane) { return lane.on().is_at_rest(); });
}

std::shared_ptr<producer_line> issuer::add_line(std::int32_t priority) {
  std::lock_guard const hold(lines_mutex_);
  auto place = std::ranges::find(lines_, nullptr);
  if (place == lines_.end()) place = lines_.insert(lines_.end(), nullptr);
  auto const number = std::uint32_t(place - lines_.begin());
  return *place = std::make_shared<producer_line>(*this, device_, fence_, number, priority);
}

std::vector<std::shared_ptr<producer_line>> issuer::every_line() const {
  std::lock_guard const hold(lines_mutex_);
  std::vector<std::shared_ptr<producer_line>> every;
  std::ranges::copy_if(lines_, std::back_inserter(every), [](auto const& line) { return line != nullptr; });
  return every;
}

std::size_t issuer::lines() const { return every_line().size(); }

void issuer::resume() {
  paused_.store(false, std::memory_order_seq_cst);
  wake();
}

void issuer::stop(char const* cause) {
  char const* none = nullptr;
  stopped_because_.compare_exchange_strong(none, cause, std::memory_order_seq_cst);
  wake();
}

void issuer::refuse_if_stopped() const {
  if (auto const* const cause = stopped_because_.load(std::memory_order_relaxed)) throw error(cause);
}

void issuer::drain(deadline until) {
  auto const every = every_line();
  std::vector<std::uint64_t> submitted;
  for (auto const& line : every) submitted.push_back(line->submitted());
  for (std::size_t i = 0; i < every.size(); ++i)
    if (!every[i]->settles(submitted[i], until))
      throw deadline_passed("the launches on " + device_->name() + " to finish", every[i]->state());
}

void issuer::finish(deadline until) noexcept {
  if (paused_.load(std::memory_order_seq_cst)) return;
  for (auto const& line : every_line()) line->settles(line->submitted(), until);
}

void issuer::add_to(launch_statistics& sum) const {
  sum.launches += counts_.launches.load(std::memory_order_relaxed);
  sum.kernels += counts_.kernels.load(std::memory_order_relaxed);
  sum.merged_launches += counts_.merged_launches.load(std::memory_order_relaxed);
  sum.merged_kernels += counts_.merged_kernels.load(std::memory_order_relaxed);
  sum.issued_by_producers += counts_.by_producers.load(std::memory_order_relaxed);
  sum.chained_kernels += counts_.chained_kernels.load(std::memory_order_relaxed);
  batch_.add_to(sum);
  std::lock_guard const hold(thread_mutex_);
  sum.verdicts.add(plan_.judge().counts());
  sum.connections.push_back(connections_);
  sum.predictions.push_back({table_.errors().all(), table_.errors().newest()});
  sum.ways.push_back(name_of(ways_.now()));
}

void issuer::take(producer_line& line) {
  line.next_announced = announced_.load(std::memory_order_relaxed);
  while (!announced_.compare_exchange_weak(line.next_announced, &line, std::memory_order_seq_cst)) {}
  wake();
}

// Sequential consistency decides the race: either this sees the sleeper, or the sleeper sees what was changed
// before.
void issuer::wake() {
  if (asleep_.load(std::memory_order_seq_cst)) bell_.ring();
}

}  // namespace ballast::inline launch
