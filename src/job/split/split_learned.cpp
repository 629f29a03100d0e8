// SPDX-License-Identifier: Apache-2.0
#include "split/split_learned.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ballast::detail {
namespace {

constexpr double min_gain = 0.01;  // share of the time that a move of a border must gain
constexpr std::uint32_t early_runs = 4;
constexpr double payback_runs = 100;  // a job repeated a few times is usually repeated often

/// All units between the old borders and the new ones.
double units_that_move(std::vector<std::uint32_t> const& from, std::vector<std::uint32_t> const& to) {
  double units = 0, old_border = 0, new_border = 0;
  for (std::size_t device = 0; device < from.size(); ++device) {
    old_border += from[device];
    new_border += to[device];
    units += std::abs(old_border - new_border);
  }
  return units;
}

std::uint32_t units_of(std::vector<std::uint32_t> const& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::uint32_t{0});
}

/// The time to move the units of the change, one after another over the slowest link.
double move_ns(std::vector<std::uint32_t> const& from, std::vector<std::uint32_t> const& to,
               job_shape const& shape) {
  auto const slowest = std::ranges::min(shape.devices, {}, &split_device::bytes_per_ns).bytes_per_ns;
  return units_that_move(from, to) * static_cast<double>(shape.bytes_per_unit) / slowest;
}

constexpr double min_grain_ns = 100e3;  // a dozen times the cost of a task
constexpr double min_grain_gain = 0.03;
constexpr std::uint32_t waves_of_section = 4, min_waves = 16;

bool is_within(job_part part, job_part whole) {
  return part.first >= whole.first && part.first + part.count <= whole.first + whole.count;
}

/// The time when the last task of these units ended.
std::int64_t end_of(device_run const& run, job_part units) {
  std::int64_t end = run.begin_ns;
  for (auto const& task : run.ended)
    if (is_within(task.part, units)) end = std::max(end, task.end_ns);
  return end;
}

/// True if these units were in tasks of `grain`, the last one perhaps smaller.
bool has_tasks_of(device_run const& run, job_part units, std::uint32_t grain) {
  auto const is_of_them = [&](ended_task const& task) { return is_within(task.part, units); };
  return std::ranges::count_if(run.ended, is_of_them) == whole_steps(units.count, grain);
}

std::uint64_t units_of(std::uint64_t blocks, std::uint64_t blocks_per_unit) {
  return (blocks - 1) / blocks_per_unit + 1;
}

constexpr double task_costs_ns = 8e3;    // cost of one more task, beside its work
constexpr double hidden_costs_ns = 2e3;  // cost of one more task, if copies hide the kernels
constexpr double max_tasks = 64;
constexpr double min_wave_fill = 0.9;
constexpr double part_for_sections = 0.06;  // the share of a range's time that cutting it may take
constexpr std::uint32_t max_sections = 16, min_sections = 6;
constexpr double uneven = 0.1, even = 0.05, uneven_probes = 0.35;  // as unevenness() has it
constexpr double max_unexplained = 0.7, min_surprise = 0.1;
constexpr std::uint32_t max_wait = 64;
constexpr std::uint32_t runs_to_settle = 2;  // these ranges follow from other parts and other ranges

/// The units that fit into the fewest waves of blocks that they fill well; 1 if the number of blocks is
/// unknown.
std::uint32_t units_of_waves(job_shape const& shape, split_device const& device) {
  if (shape.blocks_per_unit == 0 || device.blocks_at_once == 0) return 1;
  for (auto blocks = device.blocks_at_once;; blocks += device.blocks_at_once) {
    auto const units = blocks / shape.blocks_per_unit;
    if (units >= shape.units) return std::max(shape.units, 1u);
    auto const filled = static_cast<double>(units * shape.blocks_per_unit) / static_cast<double>(blocks);
    if (filled >= min_wave_fill) return static_cast<std::uint32_t>(units);
  }
}

std::vector<std::uint32_t> units_of_waves(job_shape const& shape) {
  std::vector<std::uint32_t> units;
  for (auto const& device : shape.devices) units.push_back(units_of_waves(shape, device));
  return units;
}

std::uint32_t units_in_both(job_part one, job_part other) {
  auto const begin = std::max(one.first, other.first);
  auto const end = std::min(one.first + one.count, other.first + other.count);
  return end > begin ? end - begin : 0;
}

/// True if a range was cut finely enough to learn from its tasks.
bool is_cut(finished_job const& run) {
  return std::ranges::any_of(run.devices, [](auto const& did) { return did.tasks >= min_sections; });
}

std::vector<job_part> ranges_of(finished_job const& run) {
  std::vector<std::uint32_t> shares;
  for (auto const& device : run.devices) shares.push_back(device.units);
  return side_by_side(shares);
}

}  // namespace

void border_brake::note_run(double gain_ns) {
  ++runs_;
  lost_ns_ = gain_ns > 0 ? lost_ns_ + gain_ns : 0;
}

bool border_brake::allows(double gain_ns, double move_ns) const {
  return gain_ns > 0 && (runs_ < early_runs ? gain_ns * payback_runs : lost_ns_) >= move_ns;
}

void paced_shares::learn(finished_job const& run, std::vector<double> const& busy_ns) {
  history_.learn(run, busy_ns);
  if (!run.alone || !are_of(run)) return;
  auto const now = std::ranges::max(busy_ns);
  run_ns_ = run_ns_ == 0 || now < run_ns_ ? now : (run_ns_ + now) / 2;
  if (shares_.size() == 1) return;
  brake_.note_run(gain_ns(shares_, shares_by_pace(units_of(shares_), history_.paces())));
}

bool paced_shares::are_of(finished_job const& run) const {
  return std::ranges::equal(shares_, run.devices, {}, {}, &device_run::units);
}

double paced_shares::gain_ns(std::vector<std::uint32_t> const& from,
                             std::vector<std::uint32_t> const& to) const {
  auto const paces = history_.paces();
  auto const now_ns = slowest_ns(from, paces);
  auto const gain_ns = now_ns - slowest_ns(to, paces);
  return gain_ns > min_gain * now_ns ? gain_ns : 0;
}

double paced_shares::surprise_by(finished_job const& run, std::vector<double> const& busy_ns) const {
  double most = 0;
  auto const paces = history_.paces();
  for (std::size_t device = 0; device < paces.size(); ++device) {
    auto const units = run.devices[device].units;
    if (units == 0) continue;
    auto const promised_ns = whole_steps(units, paces[device].units_per_step) / paces[device].steps_per_ns;
    most = std::max(most, std::abs(busy_ns[device] - promised_ns) / promised_ns);
  }
  return most;
}

void paced_shares::move_borders(job_shape const& shape) {
  if (shape.devices.size() == 1) return shares_.assign(1, shape.units);
  auto wanted = shares_by_pace(shape.units, history_.paces());
  if (shares_.empty()) shares_ = wanted;
  if (!brake_.allows(gain_ns(shares_, wanted), move_ns(shares_, wanted, shape))) return;
  shares_ = wanted;
  brake_.note_move();
}

bool paced_shares::promise_more_than(std::vector<std::uint32_t> const& others, job_shape const& shape) const {
  auto const wanted = shares_by_pace(shape.units, history_.paces());
  auto const gain = gain_ns(others, wanted);
  return gain > 0 && gain * payback_runs > 2 * move_ns(others, wanted, shape);
}

bool paced_shares::are_better_than(paced_shares const& others, job_shape const& shape) const {
  auto const gain = others.run_ns() - run_ns();
  return run_ns_ > 0 && gain > min_gain * others.run_ns() &&
         gain * payback_runs > move_ns(others.shares(), shares_, shape);
}

task_grain::task_grain(std::uint64_t blocks_per_unit, split_device const& device)
    : max_units_(device.max_units) {
  if (blocks_per_unit == 0 || device.blocks_at_once < 2) return;
  whole_wave_ = units_of(device.blocks_at_once, blocks_per_unit);
  half_wave_ = units_of(device.blocks_at_once / 2, blocks_per_unit);
}

std::vector<job_part> task_grain::trial(job_part range, double unit_ns) {
  if (tried_ || whole_wave_ == 0 || static_cast<double>(half_wave_) * unit_ns < min_grain_ns) return {};
  if (range.count > max_units_ || range.count / min_waves < whole_wave_) return {};
  auto const wave = static_cast<std::uint32_t>(whole_wave_), half = static_cast<std::uint32_t>(half_wave_);
  auto const units = waves_of_section * wave, end = range.first + range.count;
  sections_ = {{{end - 2 * units, units}, wave}, {{end - units, units}, half}};
  std::vector<job_part> parts;
  for (auto const& [all, grain] : sections_)
    for (auto const& part : parts_of_steps(all, units, grain)) parts.push_back(part);
  return parts;
}

double task_grain::learn(device_run const& run, double busy_ns, std::function<double(job_part)> const& work) {
  auto const was_in = [&](section const& one) { return has_tasks_of(run, one.units, one.grain); };
  if (tried_ || sections_.empty() || !std::ranges::all_of(sections_, was_in)) return busy_ns;
  auto const small = sections_[0].units.count + sections_[1].units.count;
  if (run.units <= small) return busy_ns;
  tried_ = true;
  job_part const all{sections_[0].units.first + small - run.units, run.units};
  job_part const large{all.first, all.count - small};
  auto end = end_of(run, large);
  auto best_ns = static_cast<double>(end - run.begin_ns) / work(large);
  auto const enough = (1 - min_grain_gain) * best_ns;
  for (auto const& [units, grain] : sections_) {
    auto const unit_ns = static_cast<double>(end_of(run, units) - end) / work(units);
    if (unit_ns < std::min(best_ns, enough)) best_ns = unit_ns, chosen_ = grain;
    end = end_of(run, units);
  }
  return best_ns * work(all);
}

learned_ranges::learned_ranges(job_shape const& shape)
    : shape_(shape),
      by_units_(shape, {}),
      by_waves_(shape, units_of_waves(shape)),
      profile_(shape.units, shape.devices.size()),
      look_closer_(shape.devices.size() > 1),
      last_ranges_(shape.devices.size()),
      of_unit_(shape.devices.size()) {
  for (auto const& device : shape.devices) grains_.emplace_back(shape.blocks_per_unit, device);
}

device_parts learned_ranges::parts(job_shape const& shape) {
  auto const ranges = side_by_side(is_uneven() ? shares_by_work(shape) : shares_by_speed(shape));
  forward_ = !forward_;
  device_parts parts;
  for (std::size_t device = 0; device < ranges.size(); ++device) {
    parts.push_back(tasks_of(device, ranges[device]));
    auto const fits = ranges[device].count <= shape.devices[device].max_units;
    if (!fits && !forward_) std::ranges::reverse(parts.back());
  }
  return parts;
}

std::vector<std::uint32_t> const& learned_ranges::shares_by_speed(job_shape const& shape) {
  auto& now = chosen(shape);
  now.move_borders(shape);
  return now.shares();
}

std::vector<std::uint32_t> const& learned_ranges::shares_by_work(job_shape const& shape) {
  auto const wanted = profile_.shares();
  if (!work_brake_.allows(work_gain_ns(wanted), move_ns(shares_by_work_, wanted, shape)))
    return shares_by_work_;
  work_brake_.note_move();
  return shares_by_work_ = wanted;
}

double learned_ranges::work_gain_ns(std::vector<std::uint32_t> const& to) const {
  auto const now_ns = profile_.slowest_ns(shares_by_work_);
  auto const gain_ns = now_ns - profile_.slowest_ns(to);
  return gain_ns > min_gain * now_ns ? gain_ns : 0;
}

paced_shares& learned_ranges::chosen(job_shape const& shape) {
  if (runs_ < runs_to_settle || by_waves_.units_per_step() == by_units_.units_per_step()) return by_units_;
  if (by_waves_.shares().empty() && !by_waves_.promise_more_than(by_units_.shares(), shape)) return by_units_;
  if (by_waves_.shares().empty()) in_waves_ = true;
  auto& other = in_waves_ ? by_units_ : by_waves_;
  auto& now = in_waves_ ? by_waves_ : by_units_;
  if (!other.are_better_than(now, shape)) return now;
  in_waves_ = !in_waves_;
  other.forget_time();
  return other;
}

/// Chooses as many sections as cost little; none if these are too few to learn from.
std::uint32_t learned_ranges::sections(std::size_t device, std::uint32_t units) const {
  auto const ns = of_unit_[device].kernels_ns * units;
  auto const most = std::min<double>(ns * part_for_sections / task_costs_ns, max_sections);
  return most < min_sections ? 0 : static_cast<std::uint32_t>(most);
}

std::vector<job_part> learned_ranges::sections_of(std::size_t device, job_part range) const {
  auto large = large_tasks_of(device, range);
  auto const count = sections(device, range.count);
  if (count <= large.size()) return large;
  return parts_of_steps(range, count, by_waves_.units_per_step()[device]);
}

std::vector<job_part> learned_ranges::tasks_of(std::size_t device, job_part range) {
  if (auto const grain = grains_[device].units()) return parts_of_steps(range, range.count, *grain);
  if (look_closer_) return sections_of(device, range);
  auto const small =
      runs_ >= 1 ? grains_[device].trial(range, of_unit_[device].kernels_ns) : std::vector<job_part>();
  if (!small.empty()) range.count = small.front().first - range.first;
  auto tasks = large_tasks_of(device, range);
  tasks.insert(tasks.end(), small.begin(), small.end());
  return tasks;
}

/// Cuts a range into large tasks. With n tasks 1 / n of the copies is not hidden behind kernels, and each
/// task costs something: minimises copies / n + cost * n.
std::vector<job_part> learned_ranges::large_tasks_of(std::size_t device, job_part range) const {
  auto const& known = of_unit_[device];
  auto const units = range.count;
  auto const ns_of_byte = units / shape_.devices[device].bytes_per_ns;
  auto const in_ns = known.bytes_in * ns_of_byte, out_ns = known.bytes_out * ns_of_byte;
  auto const kernels_ns = known.kernels_ns * units;
  auto const cost_ns = std::max(in_ns, out_ns) > kernels_ns ? hidden_costs_ns : task_costs_ns;
  auto const tasks = std::round(std::sqrt((in_ns + out_ns) / cost_ns));
  auto const that_fit = whole_steps(units, shape_.devices[device].max_units);
  auto const count = std::max(static_cast<std::uint32_t>(std::clamp(tasks, 1.0, max_tasks)), that_fit);
  return parts_of_steps(range, count, by_waves_.units_per_step()[device]);
}

void learned_ranges::forget_speeds(finished_job const& run) {
  by_units_.forget_speeds(run);
  by_waves_.forget_speeds(run);
}

void learned_ranges::learn(finished_job const& run) {
  if (run.alone) learn_times(run);
  last_ranges_ = ranges_of(run);
}

void learned_ranges::learn_times(finished_job const& run) {
  if (runs_ < runs_to_settle) forget_speeds(run);
  auto const moved = moved_bytes(run);
  auto times = busy_ns(run, moved);
  auto const work = [this](job_part part) {
    return is_uneven() ? profile_.work_of(part) : static_cast<double>(part.count);
  };
  for (std::size_t device = 0; device < times.size(); ++device)
    times[device] = grains_[device].learn(run.devices[device], times[device], work);
  auto const is_surprise = surprise_by(run, times) > min_surprise && runs_ >= runs_to_settle;
  by_units_.learn(run, times);
  by_waves_.learn(run, times);
  record_unit_costs(run, moved);
  if (run.devices.size() > 1) note_unevenness(run, is_surprise);
  ++runs_;
}

/// A single device has no borders, whatever its units take.
double learned_ranges::surprise_by(finished_job const& run, std::vector<double> const& busy_ns) const {
  if (run.devices.size() == 1) return 0;
  return is_uneven() ? profile_.surprise_by(run) : by_units_.surprise_by(run, busy_ns);
}

/// True if a device's copies take longer than its kernels: the kernels' times then do not show how long a
/// part takes.
bool learned_ranges::do_copies_take_longer() const {
  for (std::size_t device = 0; device < of_unit_.size(); ++device) {
    auto const& [bytes_in, bytes_out, kernels_ns] = of_unit_[device];
    if (std::max(bytes_in, bytes_out) > kernels_ns * shape_.devices[device].bytes_per_ns) return true;
  }
  return false;
}

/// True if the profile distinguishes tasks: one that was learned from noise is worse than none.
bool learned_ranges::is_explained(finished_job const& run) const {
  work_profile const all_alike(shape_.units, shape_.devices.size());
  return profile_.deviation(run) < max_unexplained * all_alike.deviation(run);
}

/// Learns from a run whose ranges were cut into sections. Divides by work only after two successive such runs
/// that show uneven units.
void learned_ranges::note_look(finished_job const& run) {
  auto const is_clear = !do_copies_take_longer() && unevenness(run, by_waves_.units_per_step()) > uneven;
  auto const is_second = std::exchange(doubts_, 0) > 0;
  if (is_clear && is_second && is_explained(run)) {
    for (auto const& device : run.devices) shares_by_work_.push_back(device.units);
    work_brake_ = {};
    wait_ = 1;
  }
  if (!is_clear) return;
  profile_.learn_work(run);
  if (is_second) return;
  doubts_ = 1;
  look_closer_ = true;
}

void learned_ranges::forget_work() {
  shares_by_work_.clear();
  profile_ = {shape_.units, shape_.devices.size()};
}

void learned_ranges::note_uneven_run(finished_job const& run, bool looked) {
  bool const is_right = !looked || doubts_ == 0 || is_explained(run);
  if (looked && doubts_ > 0) doubts_ = is_right ? 0 : doubts_ - 1;
  look_closer_ = doubts_ > 0;
  looked ? profile_.learn_work(run) : profile_.learn_speeds(run);
  bool const is_disproved = !is_right && doubts_ == 0;
  if (is_disproved || (looked && profile_.unevenness() < even)) return forget_work();
  auto const gain_ns = work_gain_ns(profile_.shares());
  if (looked && gain_ns > 0) wait_ = 1;
  work_brake_.note_run(gain_ns);
}

/// While the predicted gains come true, ranges need not be cut.
void learned_ranges::note_unevenness(finished_job const& run, bool is_surprise) {
  auto const looked = std::exchange(look_closer_, false) && is_cut(run);
  if (is_uneven())
    note_uneven_run(run, looked);
  else if (looked)
    note_look(run);
  else if (!is_surprise)
    profile_.learn_speeds(run);
  if (look_closer_ || !is_surprise || runs_ < next_look_) return;
  look_closer_ = true;
  next_look_ = runs_ + wait_;
  wait_ = std::min(2 * wait_, max_wait);
}

void learned_ranges::learn_from_probes(finished_job const& run) {
  if (!run.alone || runs_ > 0) return;
  by_units_.learn(run, run.spans_with_copies_ns(shape_));
  profile_.learn_from_mixed_parts(run);
  record_unit_costs(run, moved_bytes(run));
  auto const is_clear =
      !do_copies_take_longer() && unevenness(run, by_waves_.units_per_step()) > uneven_probes;
  bool may_look = false;
  for (std::size_t device = 0; device < run.devices.size(); ++device)
    may_look |= sections(device, run.devices[device].units) > 0;
  if (!is_clear || !may_look) return;
  shares_by_work_ = profile_.shares();
  doubts_ = 2;
}

/// How long each device was busy, with its copies; but without them if its range has new units, whose bytes
/// may have been copied only because the ranges changed.
std::vector<double> learned_ranges::busy_ns(finished_job const& run, std::vector<double> const& moved) const {
  auto times = run.spans_with_copies_ns(shape_);
  for (std::size_t device = 0; device < times.size(); ++device) {
    auto const& did = run.devices[device];
    if (moved[device] > 0) times[device] = std::max(static_cast<double>(did.kernels_ns), 1.0);
  }
  return times;
}

/// The bytes that moved to each device because its range changed; all of its bytes after the first run, which
/// had no ranges.
std::vector<double> learned_ranges::moved_bytes(finished_job const& run) const {
  std::vector<double> bytes;
  auto const ranges = ranges_of(run);
  for (std::size_t device = 0; device < ranges.size(); ++device) {
    auto const moved = ranges[device].count - units_in_both(ranges[device], last_ranges_[device]);
    bytes.push_back(static_cast<double>(moved) * static_cast<double>(shape_.bytes_per_unit));
  }
  return bytes;
}

void learned_ranges::record_unit_costs(finished_job const& run, std::vector<double> const& moved) {
  for (std::size_t device = 0; device < run.devices.size(); ++device) {
    auto const& did = run.devices[device];
    auto const bytes_in = std::max(static_cast<double>(did.bytes_in) - moved[device], 0.0);
    if (did.units > 0)
      of_unit_[device] = {bytes_in / did.units, static_cast<double>(did.bytes_out) / did.units,
                          static_cast<double>(did.kernels_ns) / did.units};
  }
}

namespace {

/// Needs no number from the user, the future work of Ohno et al. 2016: it learns the devices' speeds, and the
/// best number of tasks per range, from earlier runs.
class learned_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const ranges = ranges_.of(shape);
    auto const devices = shape.devices.size();
    if (devices > 1 && !ranges->is_known())
      return split_guided(shape, std::vector<double>(devices), true,
                          [ranges](finished_job const& run) { ranges->learn_from_probes(run); });
    return split_as_mapped(shape, ranges->parts(shape),
                           [ranges](finished_job const& run) { ranges->learn(run); });
  }

  shape_cache<learned_ranges> ranges_;
};

}  // namespace

std::unique_ptr<split_policy> make_learned_split() { return std::make_unique<learned_policy>(); }

}  // namespace ballast::detail
