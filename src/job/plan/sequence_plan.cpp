// SPDX-License-Identifier: Apache-2.0
#include "plan/sequence_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "arrays/coherence_directory.hpp"
#include "arrays/operations.hpp"
#include "arrays/task_planner.hpp"
#include "plan/job_record.hpp"
#include "plan/job_units.hpp"

namespace ballast::detail {
namespace {

using ranges = std::vector<byte_range>;

/// The least time of a job on one device that is worth a trial, beside the square of the number of devices:
/// two pay from 17 us, four from 63 (docs/decisions/0038), and a trial in vain costs little.
constexpr double least_tried_ns = 3000;
constexpr double gain = 1.05, change = 1.25;
constexpr std::uint32_t wait_if_changed = 16, max_wait = 256;
/// The repetitions of a run that is learned from. A device needs few; devices that share them need a graph.
constexpr std::uint32_t learned_on_one = 8, learned_on_all = 64;

constexpr std::uint32_t lane_from_host = lanes_of_shared_device;

std::uint32_t copy_lane(place_id from, place_id to) {
  if (from == host_place) return lane_from_host;
  return from < to ? low_copy_lane : high_copy_lane;
}

void add(ranges& to, byte_runs const& bytes) {
  bytes.for_each_interval([&](byte_range one) { to.push_back(one); });
}

/// The same bytes as ascending ranges; those that meet or overlap are joined.
ranges merged(ranges all) {
  std::ranges::sort(all, {}, &byte_range::begin);
  ranges found;
  for (auto const one : all) append(found, one);
  return found;
}

/// The bytes of `all` that are not in `taken`. Both must be merged.
ranges without(ranges const& all, ranges const& taken) {
  ranges left;
  auto next = taken.begin();
  for (auto one : all) {
    for (; next != taken.end() && next->end <= one.begin; ++next) {}
    for (auto cut = next; cut != taken.end() && cut->begin < one.end; ++cut) {
      if (one.begin < cut->begin) left.push_back({one.begin, cut->begin});
      one.begin = std::max(one.begin, cut->end);
    }
    if (one.begin < one.end) left.push_back(one);
  }
  return left;
}

/// Plans repetitions of the jobs one after another, as the scheduler would, on devices that begin without any
/// data.
class repeated_jobs {
 public:
  repeated_jobs(std::span<sequence_job const> jobs, std::span<std::size_t const> array_bytes,
                std::span<std::uint32_t const> weights, copy_links const& links)
      : jobs_(jobs),
        weights_(weights),
        sources_(links),
        planner_(ops_, sources_,
                 [](place_id from, place_id to) {
                   return op_stream{to.value(), copy_lane(from, to)};
                 }),
        of_devices_(weights.size(), std::vector<touched>(array_bytes.size())) {
    for (auto const bytes : array_bytes)
      directories_.emplace_back(bytes, std::uint32_t(weights.size() + 1), ops_);
  }

  /// Plans the next repetition and returns its steps. Marks operations of two repetitions ago as ended, which
  /// keeps the directories small. This changes no step: note() looks only for operations of the last two, and
  /// no written byte has an older writer.
  std::vector<shared_step> plan_next() {
    for (auto const op : std::exchange(last_, std::exchange(newest_, {}))) ops_.mark_ended(op);
    steps_.clear();
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      for (std::uint32_t device = 0; device < weights_.size(); ++device) plan_part(job, device);
    return steps_;
  }

  /// The devices' shares; none if two devices write the same bytes.
  std::optional<std::vector<std::vector<array_share>>> shares() {
    std::vector<std::vector<array_share>> all(weights_.size());
    for (std::size_t array = 0; array < directories_.size(); ++array) {
      ranges written_by_all;
      std::size_t written = 0;
      for (auto& device : of_devices_)
        for (auto const one : device[array].written = merged(std::move(device[array].written)))
          written_by_all.push_back(one), written += one.size();
      written_by_all = merged(std::move(written_by_all));
      std::size_t apart = 0;
      for (auto const one : written_by_all) apart += one.size();
      if (apart != written) return std::nullopt;
      for (std::size_t device = 0; device < all.size(); ++device)
        all[device].push_back(share_of(of_devices_[device][array], written_by_all));
      written_.push_back(std::move(written_by_all));
    }
    return all;
  }

  /// Removes the copies of data that no device writes: each device has that from the start. Called once the
  /// shares are known.
  void drop_constants(std::vector<shared_step>& steps) const {
    for (auto& one : steps) {
      auto* const copy = std::get_if<shared_copy_in>(&one.what);
      if (copy == nullptr) continue;
      ranges copied;
      for (auto const& run : copy->bytes) copied.push_back({run.first, run.first + run.length});
      auto const constant = without(copied, written_[copy->array]);
      if (!constant.empty()) copy->bytes = byte_runs(without(copied, constant)).runs();
    }
  }

 private:
  struct touched {
    ranges from_host, all, written;
  };

  /// A device's share. Data that no device writes counts as read from the host: it is copied before the
  /// start, even if a device could provide it.
  static array_share share_of(touched const& mine, ranges const& written_by_all) {
    auto const all = merged(mine.all);
    auto read = mine.from_host;
    auto const constant = without(all, written_by_all);
    read.insert(read.end(), constant.begin(), constant.end());
    return {byte_runs(merged(std::move(read))), byte_runs(mine.written), byte_runs(without(all, constant))};
  }

  job_part part_of(std::uint32_t units, std::uint32_t device) const {
    auto const weight = [&](std::size_t devices) {
      return std::accumulate(weights_.begin(), weights_.begin() + std::ptrdiff_t(devices), std::uint64_t(0));
    };
    auto const first = std::uint32_t(units * weight(device) / weight(weights_.size()));
    return {first, std::uint32_t(units * weight(device + 1) / weight(weights_.size())) - first};
  }

  void plan_part(std::size_t job, std::uint32_t device) {
    auto const units = jobs_[job].request.setup.grid.units();
    auto const part = part_of(units, device);
    if (part.count == 0) return;
    auto const& arrays = jobs_[job].arrays;
    auto const uses = uses_of(jobs_[job].request, part);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      auto& mine = of_devices_[device][arrays[i]];
      add(mine.all, (*uses)[i].read);
      add(mine.all, (*uses)[i].written);
      add(mine.written, (*uses)[i].written);
      fetch(arrays[i], (*uses)[i].read, device);
    }
    auto const whole = uses_of(jobs_[job].request, {0, units});
    auto const pieces = boundary_first(part, units, [&](std::uint32_t unit, std::uint32_t other) {
      return read_in_common(jobs_[job].request, *whole, unit, other);
    });
    for (std::size_t i = 0; i < pieces.size(); ++i)
      plan_launch(job, device, i + 1 == pieces.size() ? interior_lane : boundary_lane, pieces[i]);
  }

  void fetch(std::size_t array, byte_runs const& bytes, std::uint32_t device) {
    for (auto& copy : planner_.fetch_to(directories_[array], bytes, place_of(device), {})) {
      sources_.mark_ended(copy.from, copy.to, copy.size);
      ops_.mark_issued(copy.op);
      if (copy.from == host_place) {
        ops_.mark_ended(copy.op);  // before the first repetition
        auto& there = of_devices_[device][array].from_host;
        there.insert(there.end(), copy.bytes.begin(), copy.bytes.end());
      } else {
        shared_copy_in what{array, copy.from.value() - 1, byte_runs(copy.bytes).runs()};
        note(copy.op, {.device = device, .lane = copy_lane(copy.from, copy.to), .what = std::move(what)});
      }
    }
  }

  void plan_launch(std::size_t job, std::uint32_t device, std::uint32_t lane, job_part part) {
    auto const place = place_of(device);
    auto const& arrays = jobs_[job].arrays;
    auto const uses = uses_of(jobs_[job].request, part);
    auto const op = ops_.add(op_kind::kernel, {place.value(), lane});
    for (std::size_t i = 0; i < arrays.size(); ++i)
      record_reads(directories_[arrays[i]], op, place, (*uses)[i].read);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      record_writes(directories_[arrays[i]], op, place, (*uses)[i].written);
    ops_.mark_issued(op);
    note(op, {.device = device, .lane = lane, .what = shared_launch{job, part}});
  }

  /// Adds a step, which waits for operations of its own repetition and of the previous one. Older operations
  /// were already waited for by the same step of the previous repetition.
  void note(op_id op, shared_step step) {
    auto const& planned = ops_.at(op);
    for (auto const earlier : planned.dependencies) {
      if (ops_.at(earlier).on == planned.on || ops_.has_ended(earlier)) continue;
      auto const in = [&](std::vector<op_id> const& all) { return std::ranges::find(all, earlier); };
      if (auto const same = in(newest_); same != newest_.end())
        step.after.push_back({std::size_t(same - newest_.begin()), false});
      else if (auto const last = in(last_); last != last_.end())
        step.after.push_back({std::size_t(last - last_.begin()), true});
    }
    newest_.push_back(op);
    steps_.push_back(std::move(step));
  }

  /// True if two units read bytes in common. Bytes that every unit reads do not count.
  static bool read_in_common(job_request const& request, std::vector<array_use> const& whole,
                             std::uint32_t unit, std::uint32_t other) {
    auto const one = uses_of(request, {unit, 1}), next = uses_of(request, {other, 1});
    for (std::size_t i = 0; i < whole.size(); ++i)
      if ((*one)[i].read.bytes() != whole[i].read.bytes() && (*one)[i].read.overlaps((*next)[i].read))
        return true;
    return false;
  }

  std::span<sequence_job const> jobs_;
  std::span<std::uint32_t const> weights_;
  operations ops_;
  copy_sources sources_;
  task_planner planner_;
  std::vector<coherence_directory> directories_;  ///< of each array
  std::vector<std::vector<touched>> of_devices_;  ///< for each device and each array
  std::vector<op_id> last_, newest_;              ///< for the steps of two repetitions
  std::vector<shared_step> steps_;
  std::vector<ranges> written_;  ///< for each array, by all devices; set once the shares are known
};

/// Marks the steps for which other steps of the repetition wait, or steps of the next one.
void mark_awaited(std::vector<shared_step>& steps, std::vector<shared_step> const& next) {
  for (bool const is_next : {false, true})
    for (auto const& later : is_next ? next : steps)
      for (auto const& [step, is_of_last] : later.after)
        if (is_of_last == is_next) steps[step].is_awaited = true;
}

}  // namespace

std::uint64_t sequence_plan::bytes_between(std::uint32_t times) const {
  auto const copied = [](std::vector<shared_step> const& steps) {
    std::uint64_t sum = 0;
    for (auto const& one : steps)
      if (auto const* const copy = std::get_if<shared_copy_in>(&one.what))
        for (auto const& run : copy->bytes) sum += run.bytes();
    return sum;
  };
  auto const further = times > 2 ? times - 2 : 0;
  return (times > 0 ? copied(first) : 0) + (times > 1 ? copied(second) : 0) + further * copied(others);
}

std::optional<sequence_plan> plan_sequence(std::span<sequence_job const> jobs,
                                           std::span<std::size_t const> array_bytes,
                                           std::span<std::uint32_t const> weights, copy_links const& links) {
  repeated_jobs all(jobs, array_bytes, weights, links);
  sequence_plan plan{all.plan_next(), all.plan_next(), all.plan_next(), {}};
  if (all.plan_next() != plan.others) return std::nullopt;
  auto shares = all.shares();
  if (!shares) return std::nullopt;
  plan.shares = std::move(*shares);
  for (auto* const steps : {&plan.first, &plan.second, &plan.others}) all.drop_constants(*steps);
  mark_awaited(plan.first, {});
  mark_awaited(plan.second, {});
  mark_awaited(plan.others, std::vector(plan.others));
  return plan;
}

std::uint32_t sharing_choice::next_run(std::uint32_t left) const {
  bool const is_begun = devices_ < 2 || runs_ >= first_wait || !is_first();
  if (is_begun && trial_left_ == 0) return left;
  return std::min(left, shares_next() ? learned_on_all : learned_on_one);
}

void sharing_choice::learn(double job_ns) {
  if (trial_left_ != 0) return learn_trial(job_ns);
  least_ns_ = std::min(std::exchange(newest_ns_, job_ns), job_ns);  // a single slow run changes nothing
  if (++runs_; is_trial_due()) trial_left_ = is_first() ? 3 : 2, other_ns_ = HUGE_VAL;
}

void sharing_choice::learn_trial(double job_ns) {
  if (job_ns > 0) other_ns_ = std::min(other_ns_, job_ns);
  bool const wins = other_ns_ * gain < least_ns_;
  if (--trial_left_ != 0 && !wins) return;
  if (wins) is_shared_ = !is_shared_, std::swap(least_ns_, other_ns_), newest_ns_ = least_ns_;
  wait_ = std::min(2 * wait_, max_wait);
  before_ns_ = least_ns_, runs_ = trial_left_ = 0;
}

bool sharing_choice::is_trial_due() const {
  bool const may_pay = is_shared_ || (devices_ > 1 && least_ns_ >= least_tried_ns * devices_ * devices_);
  auto const [less, more] = std::minmax(before_ns_, least_ns_);
  auto const wait = more > change * less ? std::min(wait_, wait_if_changed) : wait_;
  return may_pay && (runs_ >= wait || other_ns_ * gain < least_ns_);
}

}  // namespace ballast::detail
