// SPDX-License-Identifier: Apache-2.0
#include "run/job_sequence.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "run/job_runtime.hpp"

namespace ballast {

using namespace detail;

namespace detail {
namespace {

constexpr std::uint32_t much_longer = 8;
/// A kernel begins sooner than a copy engine, but moves less at a time (docs/decisions/0038).
constexpr std::size_t max_bytes_by_kernel = 256 * 1024, max_runs_by_kernel = 4;
constexpr auto longest_settling = std::chrono::minutes(1);

std::vector<index_range> elements_of(std::initializer_list<byte_runs const*> all, std::size_t element_bytes) {
  std::vector<index_range> elements;
  for (auto const* const bytes : all)
    bytes->for_each_interval([&](byte_range one) {
      elements.push_back({one.begin / element_bytes, one.end / element_bytes});
    });
  return elements;
}

/// True if the scheduler's devices can share a sequence: their streams can wait for each other, and each
/// device reaches the others' memory.
bool can_share(job_runtime const& runtime) {
  auto const& devices = runtime.devices();
  auto const& options = runtime.options();
  if (options.sequences_on == sequence_devices::one || options.check_maps || options.ranks) return false;
  auto const is_like_first = [&](auto const& device) {
    return device->capabilities() == devices.front()->capabilities();
  };
  if (devices.size() < 2 || !std::ranges::all_of(devices, is_like_first)) return false;
  for (std::uint32_t from = 0; from < devices.size(); ++from)
    for (std::uint32_t to = 0; to < devices.size(); ++to)
      if (!runtime.links().between(place_of(from), place_of(to)).direct) return false;
  return true;
}

bool pays_by_kernel(std::vector<pitched_run> const& runs) {
  std::size_t sum = 0;
  for (auto const& run : runs) sum += run.bytes();
  return runs.size() <= max_runs_by_kernel && sum <= max_bytes_by_kernel;
}

bool reads(job_request const& job, array_state const* array) {
  return std::ranges::any_of(job.arguments, [&](job_argument const& argument) {
    return argument.array.get() == array && argument.reads();
  });
}

/// The repeated work: `enqueue` enqueues a number of repetitions, of `launches` launches each.
struct repeated_launches {
  device_costs const& costs;
  std::size_t launches, max_captured;
  std::function<void(std::uint32_t)> enqueue;
};

/// True if there is a graph to launch; captures one if that pays. Also captures a graph of another length, if
/// the present one is too long or much too short. A kernel that was launched once is loaded, so nothing is
/// loaded while the stream captures.
bool capture_if_due(captured_repetitions& now, repeated_launches const& what, std::uint32_t left,
                    stream& on) {
  if (now.is_in_vain) return false;
  bool const fits = now.work != nullptr && left >= now.repetitions;
  auto const plan = plan_capture(what.costs, what.launches, now.launched, left, what.max_captured);
  if (fits && plan.repetitions / now.repetitions < much_longer) return true;
  if (!plan.is_due) return fits;
  try {
    now.work = on.capture([&] { what.enqueue(plan.repetitions); });
  } catch (device_lost const&) { throw; } catch (error const& refusal) {
    now.work = nullptr;  // single launches do the same
    write_log(log_level::warning,
              "a job sequence is launched kernel by kernel: " + std::string(refusal.what()));
  }
  now.repetitions = plan.repetitions;
  now.launched = what.launches;
  now.is_in_vain = now.work == nullptr;
  return !now.is_in_vain;
}

void repeat(captured_repetitions& now, repeated_launches const& what, std::uint32_t left, stream& on) {
  auto const enqueue = [&](std::uint32_t times) {
    what.enqueue(times);
    now.launched += times * what.launches;
    left -= times;
  };
  if (now.launched == 0) enqueue(1);
  if (left != 0 && capture_if_due(now, what, left, on))
    for (; left >= now.repetitions; left -= now.repetitions) now.work->enqueue(on);
  if (left != 0) enqueue(left);
}

}  // namespace

capture_plan plan_capture(device_costs const& costs, std::size_t jobs, std::uint64_t launched,
                          std::uint32_t left, std::size_t max_launches) {
  auto const most = std::max<std::size_t>(max_launches / jobs, 1);
  auto const repetitions = std::uint32_t(std::min<std::size_t>(most, left));
  auto const held = double(repetitions) * double(jobs);
  bool const gains = held * costs.launch_ns > costs.launch_graph_ns;
  auto const lost_ns = (double(launched) + double(left) * double(jobs)) * costs.launch_ns;
  auto const build_ns = costs.build_graph_ns + held * costs.build_launch_ns;
  return {repetitions, gains && launched >= jobs && lost_ns >= build_ns};
}

// A plain kernel need not wait for what was launched before, so it must not begin early.
bool may_overlap(kernel_code const* code, bool follows_a_launch_of_the_sequence) {
  return code != nullptr && follows_a_launch_of_the_sequence;
}

void sequence_program::add(job_request const& job, kernel_code const* code, std::vector<std::size_t> arrays) {
  auto early = code == nullptr ? kernel_code() : *code;
  early.overlap = true;
  steps_.push_back({job.setup.grid, code, early, job.launch, std::move(arrays)});
}

/// Compares the addresses, since evicted arrays return at another one.
bool sequence_program::place(placed_arrays& arrays, std::span<void* const> at) const {
  if (!arrays.of_steps.empty() && std::ranges::equal(arrays.at, at)) return false;
  arrays.at.assign(at.begin(), at.end());
  arrays.of_steps.clear();
  for (auto const& one : steps_) {
    auto& taken = arrays.of_steps.emplace_back();
    for (auto const array : one.arrays) taken.push_back(arrays.at[array]);
  }
  return true;
}

sequence_plan const* sequence_program::next_plan(std::vector<sequence_job> const& jobs,
                                                 copy_links const& links) {
  if (sharers_ < 2 || !(on_ == sequence_devices::all || choice_.shares_next())) return nullptr;
  if (!is_planned_) make_plan(jobs, links);
  return shared_ == nullptr ? nullptr : &shared_->plan;
}

void sequence_program::make_plan(std::vector<sequence_job> const& jobs, copy_links const& links) {
  std::vector<std::size_t> bytes;
  for (auto const& [request, arrays] : jobs)
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      bytes.resize(std::max(bytes.size(), arrays[i] + 1));
      bytes[arrays[i]] = request.arguments[i].array->bytes();
    }
  std::vector<std::uint32_t> weights;
  for (auto const& device : devices_)
    weights.push_back(std::uint32_t(std::max(device->properties().multiprocessors, 1)));
  auto plan = plan_sequence(jobs, bytes, weights, links);
  is_planned_ = true;
  if (!plan) return choice_.refuse();
  shared_ = std::make_unique<shared_by_devices>(std::move(*plan));
}

void sequence_program::learn(double ns, bool wanted, bool is_shared) {
  if (wanted && !is_shared) return choice_.refuse();  // for want of memory or a device
  if (wanted == choice_.shares_next()) choice_.learn(ns / double(jobs()));
}

void sequence_program::check_devices() const {
  try {
    for (auto const& device : devices_) device->check();
  } catch (device_lost const& loss) {
    devices_.front()->check();
    throw error(loss.what());
  }
}

void sequence_program::launch(captured_by_device& now, std::uint32_t device, std::uint32_t times,
                              stream& on) const {
  for (std::size_t i = 0; i < times * steps_.size(); ++i) {
    auto const at = i % steps_.size();
    auto const& one = steps_[at];
    auto const* const code = may_overlap(one.code, i != 0) ? &one.overlapping : one.code;
    one.launch({now.arrays.of_steps[at], one.grid, {0, one.grid.units()}, code, device}, on);
  }
}

void sequence_program::enqueue(task_launch const& whole, std::uint32_t times, stream& on) {
  if (!whole.shared_arrays.empty()) return enqueue_shared(whole, times, on);
  auto& now = captured_[whole.device];
  if (place(now.arrays, whole.arrays)) now.work = nullptr, now.launched = 0;
  repeat(now,
         {devices_[whole.device]->costs(), steps_.size(), max_captured_launches,
          [&](std::uint32_t left) { launch(now, whole.device, left, on); }},
         times, on);
}

void sequence_program::enqueue_shared(task_launch const& whole, std::uint32_t times, stream& on) {
  auto& all = *shared_;
  for (std::size_t device = 0; device < all.arrays.size(); ++device)
    if (place(all.arrays[device], whole.shared_arrays[device])) all.work = nullptr, all.launched = 0;
  try {
    open_lanes(all);
    run(all, all.plan.first, 1, on);
    if (times > 1) run(all, all.plan.second, 1, on);
    if (times <= 2) return;
    repeat(all,
           {devices_[whole.device]->costs(), all.plan.others.size(), max_captured_when_shared,
            [&](std::uint32_t left) { run(all, all.plan.others, left, on); }},
           times - 2, on);
  } catch (device_lost const& loss) {
    devices_[whole.device]->check();
    throw error(loss.what());  // not the device whose stream has the launch
  }
}

void sequence_program::open_lanes(shared_by_devices& all) const {
  for (std::size_t device = 0; device < all.lanes.size(); ++device)
    while (all.lanes[device].size() < lanes_of_shared_device) {
      auto& on = *devices_[device];
      bool const goes_first = all.lanes[device].size() != interior_lane;
      all.lanes[device].push_back(goes_first ? on.make_priority_stream() : on.make_stream());
    }
}

/// Enqueues the repetitions into the lanes. All lanes begin after the earlier work of `origin`, which
/// continues after all lanes. Stopping the launch in `origin` stops the lanes' launches.
void sequence_program::run(shared_by_devices& all, std::vector<shared_step> const& steps, std::uint32_t times,
                           stream& origin) const {
  auto const begin = origin.record_untimed();
  for (auto const& lanes : all.lanes)
    for (auto const& lane : lanes) {
      lane->set_gate(origin.gate());
      lane->wait_for(*begin);
    }
  std::exception_ptr failure;
  try {
    step_events last;
    for (; times != 0; --times) last = run_once(all, steps, last);
  } catch (...) { failure = std::current_exception(); }
  for (auto const& lanes : all.lanes)
    for (auto const& lane : lanes) try {
        origin.wait_for(*lane->record_untimed());
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
  if (failure) std::rethrow_exception(failure);
}

auto sequence_program::run_once(shared_by_devices& all, std::vector<shared_step> const& steps,
                                step_events const& last) const -> step_events {
  step_events ends;
  for (auto const& one : steps) {
    auto& on = *all.lanes[one.device][one.lane];
    for (auto const& [step, is_of_last] : one.after) {
      auto const& earlier = is_of_last ? last : ends;
      if (!earlier.empty()) on.wait_for(*earlier[step]);
    }
    enqueue_step(all, one, on);
    ends.push_back(one.is_awaited ? on.record_untimed() : nullptr);
  }
  return ends;
}

void sequence_program::settle() const noexcept {
  if (shared_ == nullptr) return;
  for (auto const& lanes : shared_->lanes)
    for (auto const& lane : lanes) try {
        lane->synchronize(deadline::in(longest_settling));
      } catch (std::exception const&) {
        // Nothing runs on a lost device, and hanging work cannot be ended.
      }
}

void sequence_program::enqueue_step(shared_by_devices& all, shared_step const& one, stream& on) const {
  if (auto const* const launch = std::get_if<shared_launch>(&one.what)) {
    auto const& job = steps_[launch->job];
    return job.launch(
        {all.arrays[one.device].of_steps[launch->job], job.grid, launch->part, job.code, one.device}, on);
  }
  auto const& [array, from, bytes] = std::get<shared_copy_in>(one.what);
  auto const at = [array = array, &all](std::uint32_t device, std::size_t byte) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(all.arrays[device].at[array]) + byte);
  };
  bool const by_kernel = pays_by_kernel(bytes) && !devices_[from]->has_lent_memory();
  auto const copy = by_kernel ? &stream::copy_rows_by_kernel : &stream::copy_rows;
  for (auto const& run : bytes)
    for (std::size_t plane = 0; plane < run.planes; ++plane) {
      auto const first = run.first + plane * run.plane_pitch;
      (on.*copy)(at(one.device, first), run.row_pitch, at(from, first), run.row_pitch, run.length, run.rows);
    }
}

byte_runs sequence_array::both(byte_runs const& one, byte_runs const& other) const {
  return {region(elements_of({&one, &other}, state->element_bytes)), state->shape, state->element_bytes};
}

void sequence_array::add(array_use const& use, bool is_read_by_job) {
  if (read.is_empty() && written.is_empty() && !is_read_by_job) bytes_written_first = use.written.bytes();
  read = both(read, use.read);
  written = both(written, use.written);
}

job_argument sequence_array::argument_of(byte_runs const& bytes, access_mode mode) const {
  region elements(elements_of({&bytes}, state->element_bytes));
  access_map map("what a sequence touches", unit_overlap::never,
                 [elements = std::move(elements)](map_view const&) { return elements; });
  return {state, std::move(map), mode};
}

job_argument sequence_array::argument() const {
  if (written.is_empty()) return argument_of(read, access_mode::reads);
  bool const is_overwritten = bytes_written_first == both(read, written).bytes();
  return argument_of(written, is_overwritten ? access_mode::writes : access_mode::updates);
}

std::optional<job_argument> sequence_array::argument_read_only() const {
  if (written.is_empty() || both(read, written).bytes() == written.bytes()) return std::nullopt;
  return argument_of(read, access_mode::reads);
}

namespace {

/// The repetitions of one submission.
class submitted_repetitions final : public job_parts {
 public:
  /// `site`: identifies the sequence.
  submitted_repetitions(std::shared_ptr<sequence_program> program,
                        std::shared_ptr<std::vector<sequence_job> const> jobs, copy_links const& links,
                        std::uint64_t site, std::uint32_t times)
      : program_(std::move(program)), jobs_(std::move(jobs)), links_(links), site_(site), left_(times) {}

  /// Each number of repetitions is a site of its own: a policy learns how long a unit takes. So is sharing,
  /// as a policy forgets what it learned when the number of devices changes.
  void begin(job_request& job) override {
    auto const* const plan = program_->next_plan(*jobs_, links_);
    is_shared_ = plan != nullptr, times_ = program_->next_run(left_), left_ -= times_;
    if (left_ == 0) jobs_ = nullptr;  // an ended job owns no arrays but its own
    job.factory = (std::uint64_t{is_shared_ ? 3u : 2u} << 62) | site_ | times_;
    job.shares = is_shared_ ? shares_of(job, *plan) : nullptr;
    job.launch = [program = program_, times = times_](task_launch const& whole, stream& on) {
      program->enqueue(whole, times, on);
    };
  }
  void end(std::int64_t ns, bool is_shared) override {
    program_->learn(double(ns) / times_, is_shared_, is_shared);
  }
  bool is_last() const override { return left_ == 0; }

 private:
  /// An array that is two arguments belongs entirely to the first of these.
  std::shared_ptr<job_shares const> shares_of(job_request const& all, sequence_plan const& plan) const {
    auto shares = std::make_shared<job_shares>();
    shares->bytes_between = plan.bytes_between(times_);
    for (std::uint32_t device = 0; device < plan.devices(); ++device) {
      auto& share = shares->of.emplace_back(job_share{device});
      for (std::size_t i = 0; i < all.arguments.size(); ++i) {
        auto const& of_arrays = plan.shares[device];
        auto const mine = i < of_arrays.size() ? of_arrays[i] : array_share();
        share.uses.push_back({all.arguments[i].array->id, mine.read, mine.changed});
        share.written_last.push_back(mine.written);
      }
    }
    shares->check = [program = program_] { program->check_devices(); };
    shares->settle = [program = program_] { program->settle(); };
    return shares;
  }

  std::shared_ptr<sequence_program> const program_;
  std::shared_ptr<std::vector<sequence_job> const> jobs_;  ///< until the last part has begun
  copy_links const& links_;
  std::uint64_t const site_;
  std::uint32_t left_, times_ = 0;  ///< repetitions that have not begun, and those of the newest part
  bool is_shared_ = false;          ///< the newest part was to be shared
};

}  // namespace

sequence_content::sequence_content(std::shared_ptr<job_runtime> of, std::string its_name)
    : runtime_(std::move(of)),
      name_(std::move(its_name)),
      number_(++newest_number),
      jobs_(std::make_shared<std::vector<sequence_job>>()),
      program_(std::make_shared<sequence_program>(runtime_->devices(), runtime_->options().sequences_on,
                                                  can_share(*runtime_) ? runtime_->devices().size() : 1)) {}

void sequence_content::add(job_request const& job) {
  auto const* const code = runtime_->checked_code(job);
  auto const units = job.setup.grid.units();
  if (units == 0) return;
  auto const uses = uses_of(job, {0, units});
  auto arrays = arrays_;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    auto const& argument = job.arguments[i];
    auto array = std::ranges::find(arrays, argument.array, &sequence_array::state);
    if (array == arrays.end()) array = arrays.insert(arrays.end(), {argument.array});
    array->add((*uses)[i], reads(job, argument.array.get()));
    places.push_back(std::size_t(array - arrays.begin()));
  }
  if (std::exchange(was_submitted_, false)) {
    program_ = std::make_shared<sequence_program>(*program_);
    jobs_ = std::make_shared<std::vector<sequence_job>>(*jobs_);
  }
  if (program_->may_be_shared()) jobs_->push_back({job, places});
  program_->add(job, code, std::move(places));
  arrays_ = std::move(arrays);
  is_for_gpus_ |= job.is_for_gpus;
}

job_request sequence_content::request(std::uint32_t times) {
  job_request all{.setup = {.grid = times == 0 || jobs() == 0 ? 0 : 1, .name = name_},
                  .is_for_gpus = is_for_gpus_,
                  .kernel_name = counted(jobs(), "job") + ", " + counted(times, "time")};
  was_submitted_ = true;
  for (auto const& array : arrays_)
    all.arguments.push_back(array.argument());  // the steps rely on this order
  for (auto const& array : arrays_)
    if (auto const more = array.argument_read_only()) all.arguments.push_back(*more);
  all.parts =
      std::make_shared<submitted_repetitions>(program_, jobs_, runtime_->links(), number_ << 32, times);
  return all;
}

}  // namespace detail

job_sequence::job_sequence(job_scheduler const& scheduler, std::string name)
    : content_(std::make_unique<sequence_content>(scheduler.runtime(), std::move(name))) {}
job_sequence::job_sequence(job_sequence&&) noexcept = default;
job_sequence& job_sequence::operator=(job_sequence&&) noexcept = default;
job_sequence::~job_sequence() = default;

job_sequence& job_sequence::add_request(job_request const& request) {
  content_->add(request);
  return *this;
}

std::size_t job_sequence::jobs() const noexcept { return content_->jobs(); }

completion job_scheduler::submit(job_sequence const& jobs, std::uint32_t times) {
  if (!jobs.content_->is_of(*runtime_))
    throw_bad_argument("jobs", "a sequence of another scheduler", "one of this scheduler");
  return runtime_->submit(jobs.content_->request(times));
}

}  // namespace ballast
