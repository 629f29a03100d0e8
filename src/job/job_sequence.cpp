// SPDX-License-Identifier: Apache-2.0
#include "job_sequence.hpp"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_runtime.hpp"

namespace ballast {

using namespace detail;

namespace detail {
namespace {

/// More gain nothing: a launch of the graph costs little beside those that it holds.
constexpr std::size_t max_captured_launches = 128;
constexpr std::uint32_t much_longer = 8;

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> newest = 0;
  return ++newest;
}

std::vector<index_range> elements_of(std::initializer_list<byte_runs const*> all, std::size_t element_bytes) {
  std::vector<index_range> elements;
  for (auto const* const bytes : all)
    bytes->for_each_interval([&](byte_range one) {
      elements.push_back({one.begin / element_bytes, one.end / element_bytes});
    });
  return elements;
}

bool reads(job_request const& job, array_state const* array) {
  return std::ranges::any_of(job.arguments, [&](job_argument const& argument) {
    return argument.array.get() == array && argument.reads();
  });
}

}  // namespace

capture_plan plan_capture(device_costs const& costs, std::size_t jobs, std::uint64_t launched,
                          std::uint32_t left) {
  auto const most = std::max<std::size_t>(max_captured_launches / jobs, 1);
  auto const repetitions = std::uint32_t(std::min<std::size_t>(most, left));
  auto const held = double(repetitions) * double(jobs);
  bool const gains = held * costs.launch_ns > costs.launch_graph_ns;
  auto const lost_ns = (double(launched) + double(left) * double(jobs)) * costs.launch_ns;
  auto const build_ns = costs.build_graph_ns + held * costs.build_launch_ns;
  return {repetitions, gains && launched >= jobs && lost_ns >= build_ns};
}

void sequence_program::add(job_request const& job, kernel_code const* code, std::vector<std::size_t> arrays) {
  steps_.push_back({job.setup.grid, code, job.launch, std::move(arrays)});
}

/// Evicted arrays come back elsewhere.
auto sequence_program::at_home(task_launch const& whole) -> captured_by_device& {
  auto& now = captured_[whole.device];
  if (!now.of_steps.empty() && std::ranges::equal(now.at, whole.arrays)) return now;
  now.at.assign(whole.arrays.begin(), whole.arrays.end());
  now.of_steps.clear();
  now.work = nullptr, now.launched = 0;
  for (auto const& one : steps_) {
    auto& arrays = now.of_steps.emplace_back();
    for (auto const array : one.arrays) arrays.push_back(now.at[array]);
  }
  return now;
}

void sequence_program::launch_once(captured_by_device& now, std::uint32_t device, stream& on) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    auto const& one = steps_[i];
    one.launch({now.of_steps[i], one.grid, {0, one.grid.units()}, one.code, device}, on);
  }
}

/// Whatever was launched once is loaded, so that nothing is while the stream captures. A graph of another
/// length pays too, where this one is too long, or much too short.
bool sequence_program::capture_if_due(captured_by_device& now, std::uint32_t device, std::uint32_t left,
                                      stream& on) const {
  if (now.is_in_vain) return false;
  bool const fits = now.work != nullptr && left >= now.repetitions;
  auto const plan = plan_capture(devices_[device]->costs(), steps_.size(), now.launched, left);
  if (fits && plan.repetitions / now.repetitions < much_longer) return true;
  if (!plan.is_due) return fits;
  auto const repeat = [&] {
    for (std::uint32_t i = 0; i < plan.repetitions; ++i) launch_once(now, device, on);
  };
  try {
    now.work = on.capture(repeat);
  } catch (device_lost const&) { throw; } catch (error const& refusal) {
    now.work = nullptr;  // launches one by one do the same
    write_log(log_level::warning,
              "a job sequence is launched kernel by kernel: " + std::string(refusal.what()));
  }
  now.repetitions = plan.repetitions;
  now.launched = steps_.size();
  now.is_in_vain = now.work == nullptr;
  return !now.is_in_vain;
}

void sequence_program::enqueue(task_launch const& whole, std::uint32_t times, stream& on) {
  auto& now = at_home(whole);
  auto left = times;
  auto const launch_one = [&] {
    launch_once(now, whole.device, on);
    now.launched += steps_.size();
    --left;
  };
  if (now.launched == 0) launch_one();
  if (left != 0 && capture_if_due(now, whole.device, left, on))
    for (; left >= now.repetitions; left -= now.repetitions) now.work->enqueue(on);
  while (left != 0) launch_one();
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

sequence_content::sequence_content(std::shared_ptr<job_runtime> of, std::string its_name)
    : runtime_(std::move(of)),
      name_(std::move(its_name)),
      number_(next_number()),
      program_(std::make_shared<sequence_program>(runtime_->devices())) {}

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
  if (was_submitted_) program_ = std::make_shared<sequence_program>(*program_);
  was_submitted_ = false;
  program_->add(job, code, std::move(places));
  arrays_ = std::move(arrays);
  is_for_gpus_ |= job.is_for_gpus;
}

/// Repeated as often, it is a site of its own: a policy learns how long a unit takes.
job_request sequence_content::request(std::uint32_t times) {
  job_request all{.setup = {.grid = times == 0 || jobs() == 0 ? 0 : 1, .name = name_},
                  .is_for_gpus = is_for_gpus_,
                  .kernel_name = std::to_string(jobs()) + " jobs, " + std::to_string(times) + " times",
                  .factory = (std::uint64_t{1} << 63) | (number_ << 32) | times};
  was_submitted_ = true;
  for (auto const& array : arrays_)
    all.arguments.push_back(array.argument());  // the steps count on the order
  for (auto const& array : arrays_)
    if (auto const more = array.argument_read_only()) all.arguments.push_back(*more);
  all.launch = [program = program_, times](task_launch const& whole, stream& on) {
    program->enqueue(whole, times, on);
  };
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
