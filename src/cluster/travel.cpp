// SPDX-License-Identifier: Apache-2.0
#include "travel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "what travels is little-endian");
constexpr std::size_t record_bytes = sizeof(task_record);
static_assert(record_bytes == 48);

template <class Size>
constexpr Size rounded_up(Size bytes, Size multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

std::uint64_t word_at(std::byte const* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
void set_word(std::byte* at, std::uint64_t word) { std::memcpy(at, &word, sizeof word); }

std::size_t bytes_behind_record(listed_kernel const& kernel) {
  return kernel.by_reference ? rounded_up<std::size_t>(kernel.bytes, 8) : 0;
}
std::size_t result_bytes_of(listed_kernel const& kernel) {
  return kernel.travel ? kernel.travel->result_bytes : 0;
}

listed_kernel const& kernel_of(kernel_set const& kernels, task_record const& record) {
  return kernels.kernels()[record.kernel()];
}
std::byte const* members_of(listed_kernel const& kernel, task_record const& record) {
  auto const* const at = kernel.by_reference ? record.members() : record.data;
  return static_cast<std::byte const*>(at);
}

std::string place_of(listed_kernel const& kernel, kernel_address const& address) {
  return " at byte " + std::to_string(address.at) + " of kernel '" + kernel.name + "'";
}

kernel_travel const& checked_travel(listed_kernel const& kernel) {
  if (!kernel.travel)
    throw_bad_argument("kernel", "'" + kernel.name + "', which does not say whether its arguments travel",
                       "one that declares `static constexpr bool travels_by_value = true`, or whose "
                       "addresses() visits each member that is an address");
  return *kernel.travel;
}

[[noreturn]] void throw_unpublished(listed_kernel const& kernel, kernel_address const& address,
                                    std::uint64_t local) {
  throw_bad_argument("argument", address_text(local) + place_of(kernel, address),
                     "null, or an address in a published array");
}

[[noreturn]] void throw_malformed(std::string const& why) {
  throw error("a message with tasks is malformed: " + why);
}

/// Converts the values that arrived in place of addresses back into addresses.
void decode(listed_kernel const& kernel, published_arrays const& published, std::byte* members) {
  for (auto const& address : kernel.travel->addresses) {
    auto const word = word_at(members + address.at);
    auto const local = address.result_bytes == 0 ? published.decode(word) : std::optional<std::uint64_t>(0);
    if (!local || (address.result_bytes != 0 && word != 0))
      throw_malformed(address_text(word) + place_of(kernel, address) + " stands for no address here");
    set_word(members + address.at, *local);
  }
}

std::string text_of(kernel_travel const& travel) {
  std::string text;
  for (auto const& address : travel.addresses) {
    text += ", address at " + std::to_string(address.at);
    if (address.result_bytes != 0)
      text += " of a result of " + std::to_string(address.result_bytes) + " at " +
              std::to_string(address.result_at);
  }
  return text;
}

std::string_view take_line(std::string_view& text) {
  auto const line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}
std::string quoted(std::string_view line) { return line.empty() ? "missing" : "'" + std::string(line) + "'"; }

}  // namespace

void check_set(kernel_set const& kernels) {
  for (auto const& kernel : kernels.kernels()) {
    if (kernel.joins != 0 || kernel.reduces)
      throw_bad_argument("kernels",
                         kernels.name() + " with '" + kernel.name + "', which makes joins or reduces",
                         "a set without such kernels: joins and sums of a device mean nothing on another");
    if (result_bytes_of(kernel) > max_result_bytes_of_task)
      throw_bad_argument("kernels",
                         kernels.name() + " with '" + kernel.name + "', whose results have " +
                             counted(result_bytes_of(kernel), "byte"),
                         "at most 32768 bytes of results for each task");
  }
}

void check_task(kernel_set const& kernels, task_record const& record, published_arrays const& published) {
  auto const& kernel = kernel_of(kernels, record);
  auto const& travel = checked_travel(kernel);
  if (travel.result_bytes != 0 && record.range().count != 1)
    throw_bad_argument("count", record.range().count,
                       "1 block for a task of '" + kernel.name + "': each would write the same result");
  auto const* const members = members_of(kernel, record);
  for (auto const& address : travel.addresses) {
    auto const local = word_at(members + address.at);
    if (address.result_bytes == 0 && !published.encode(local)) throw_unpublished(kernel, address, local);
    if (address.result_bytes != 0 && local == 0)
      throw_bad_argument("argument", "a null result_ref" + place_of(kernel, address),
                         "the element that shall hold the result");
  }
}

std::size_t max_packed_bytes(kernel_set const& kernels) {
  std::size_t largest = 0;
  for (auto const& kernel : kernels.kernels()) largest = std::max(largest, bytes_behind_record(kernel));
  return record_bytes + largest;
}

std::size_t packed_bytes(kernel_set const& kernels, task_record const& record) {
  return record_bytes + bytes_behind_record(kernel_of(kernels, record));
}

void pack(kernel_set const& kernels, task_record const& record, published_arrays const& published,
          std::vector<std::byte>& into) {
  auto const& kernel = kernel_of(kernels, record);
  auto const& travel = checked_travel(kernel);
  auto const* const members = members_of(kernel, record);
  auto const begin = into.size();
  into.resize(begin + packed_bytes(kernels, record));
  auto* to = into.data() + begin;
  std::memcpy(to, &record, record_bytes);
  if (kernel.by_reference) {
    set_word(to, 0);
    to += record_bytes;
    std::memcpy(to, members, kernel.bytes);
  }
  for (auto const& address : travel.addresses) {
    auto const local = word_at(members + address.at);
    auto const word = address.result_bytes != 0 ? std::uint64_t(0) : published.encode(local);
    if (!word) {
      into.resize(begin);
      throw_unpublished(kernel, address, local);
    }
    set_word(to + address.at, *word);
  }
}

arrived_tasks::arrived_tasks(kernel_set const& kernels, published_arrays const& published,
                             std::span<std::byte const> bytes, std::uint32_t count)
    : kernels_(&kernels) {
  if (bytes.size() / record_bytes < count)
    throw_malformed(counted(bytes.size(), "byte") + " for " + counted(count, "task"));
  records_.reserve(count);
  members_.reserve(bytes.size() - count * record_bytes);
  for (std::uint32_t i = 0; i < count; ++i) bytes = bytes.subspan(read(published, bytes));
  if (!bytes.empty()) throw_malformed(counted(bytes.size(), "byte") + " behind the last task");
}

/// Reads the first task of the bytes. Returns the number of bytes that it takes.
std::size_t arrived_tasks::read(published_arrays const& published, std::span<std::byte const> bytes) {
  if (bytes.size() < record_bytes) throw_malformed("it ends within a task");
  task_record record;
  std::memcpy(&record, bytes.data(), record_bytes);
  if (record.kernel() >= kernels_->kernels().size())
    throw_malformed("there is no kernel " + std::to_string(record.kernel()));
  auto const& kernel = kernel_of(*kernels_, record);
  if (!kernel.travel) throw_malformed("kernel '" + kernel.name + "' does not travel");
  auto const results = result_bytes_of(kernel);
  auto const count = record.range().count;
  if (count == 0 || (results != 0 && count != 1)) throw_malformed("a task has a wrong count of blocks");
  auto const behind = bytes_behind_record(kernel);
  if (bytes.size() - record_bytes < behind)
    throw_malformed("it ends within the members of kernel '" + kernel.name + "'");
  auto* members = reinterpret_cast<std::byte*>(record.data);
  if (kernel.by_reference) {
    auto const from = bytes.subspan(record_bytes, behind);
    auto const at = members_.size();  // the constructor has reserved enough for all tasks
    members_.insert(members_.end(), from.begin(), from.end());
    members = members_.data() + at;
    record.point_to(members);
  }
  decode(kernel, published, members);
  records_.push_back(record);
  results_at_.push_back(staging_bytes_);
  staging_bytes_ += rounded_up(results, results_alignment);
  return record_bytes + behind;
}

void arrived_tasks::place_results(std::byte* staging) {
  staging_ = staging;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    auto& record = records_[i];
    auto const& kernel = kernel_of(*kernels_, record);
    if (kernel.travel->result_bytes == 0) continue;
    auto* const members = const_cast<std::byte*>(members_of(kernel, record));
    for (auto const& address : kernel.travel->addresses) {
      if (address.result_bytes == 0) continue;
      auto* const result = staging + results_at_[i] + address.result_at;
      set_word(members + address.at, std::uint64_t(reinterpret_cast<std::uintptr_t>(result)));
    }
  }
}

std::span<std::byte const> arrived_tasks::results_of(std::size_t task) const {
  auto const bytes = result_bytes(*kernels_, records_[task]);
  if (bytes == 0) return {};
  return {staging_ + results_at_[task], bytes};
}

std::uint32_t result_bytes(kernel_set const& kernels, task_record const& record) {
  return std::uint32_t(result_bytes_of(kernel_of(kernels, record)));
}

void append_result_homes(kernel_set const& kernels, task_record const& record,
                         std::vector<result_home>& into) {
  auto const& kernel = kernel_of(kernels, record);
  if (result_bytes_of(kernel) == 0) return;
  auto const* const members = members_of(kernel, record);
  for (auto const& address : kernel.travel->addresses)
    if (address.result_bytes != 0)
      into.push_back(
          {reinterpret_cast<void*>(word_at(members + address.at)), address.result_bytes, address.result_at});
}

void store_results(std::span<result_home const> homes, std::span<std::byte const> results) {
  std::size_t const bytes = homes.empty() ? 0 : homes.back().at + homes.back().bytes;
  if (results.size() != bytes)
    throw error("a task has come home with " + counted(results.size(), "byte") +
                " of results, and its kernel has " + std::to_string(bytes));
  for (auto const& home : homes) std::memcpy(home.address, results.data() + home.at, home.bytes);
}

std::string describe(kernel_set const& kernels) {
  std::string text;
  for (auto const& kernel : kernels.kernels()) {
    text +=
        kernel.name + ": " + counted(kernel.bytes, "byte") + ", " + counted(kernel.code.threads, "thread");
    if (kernel.by_reference) text += ", by reference";
    if (kernel.spawns != 0) text += ", spawns " + std::to_string(kernel.spawns);
    if (kernel.joins != 0) text += ", joins " + std::to_string(kernel.joins);
    if (kernel.reduces) text += ", reduces";
    text += kernel.travel ? ", travels" : ", stays";
    if (kernel.travel) text += text_of(*kernel.travel);
    text += '\n';
  }
  return text;
}

// FNV-1a.
std::uint64_t fingerprint(std::string_view description) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char const one : description) hash = (hash ^ static_cast<unsigned char>(one)) * 0x100000001b3;
  return hash;
}

std::string first_difference(std::string_view one, std::uint32_t its_rank, std::string_view other,
                             std::uint32_t others_rank) {
  for (std::size_t place = 1; !one.empty() || !other.empty(); ++place) {
    auto const its = take_line(one), others = take_line(other);
    if (its == others) continue;
    return quoted(its) + " as kernel " + std::to_string(place) + " of the list on rank " +
           std::to_string(its_rank) + ", and " + quoted(others) + " on rank " + std::to_string(others_rank);
  }
  return {};
}

bool may_create_tasks(kernel_set const& kernels) {
  return std::ranges::any_of(kernels.kernels(),
                             [](listed_kernel const& kernel) { return kernel.spawns != 0; });
}

std::shared_ptr<range_load> load_of(kernel_set const& kernels, std::span<task const> batch,
                                    published_arrays const& published) {
  auto load = std::make_shared<range_load>();
  load->own = prepared_tasks(kernels, batch);
  bool const has_results = std::ranges::any_of(
      load->records(), [&](task_record const& record) { return result_bytes(kernels, record) > 0; });
  for (auto const& record : load->records()) {
    check_task(kernels, record, published);
    if (!has_results) continue;
    load->homes_at.push_back(std::uint32_t(load->homes.size()));
    append_result_homes(kernels, record, load->homes);
  }
  if (has_results) load->homes_at.push_back(std::uint32_t(load->homes.size()));
  return load;
}

std::shared_ptr<range_load> load_of_created(kernel_set const& kernels, std::vector<task_record> records) {
  auto load = std::make_shared<range_load>();
  load->own = {kernels, std::move(records)};
  return load;
}

bool may_travel(kernel_set const& kernels, task_record const& record, published_arrays const& published) {
  try {
    check_task(kernels, record, published);
  } catch (bad_argument const&) { return false; }
  return true;
}

bool are_repeatable(kernel_set const& kernels, std::span<task_record const> records) {
  if (may_create_tasks(kernels)) return std::ranges::all_of(kernels.kernels(), &listed_kernel::repeatable);
  return std::ranges::all_of(
      records, [&](task_record const& record) { return kernels.kernels()[record.kernel()].repeatable; });
}

}  // namespace ballast::detail
