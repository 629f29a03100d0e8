// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <cstdio>
#include <exception>

namespace ballast::soak {

std::string soak_counts::line() const {
  std::string text;
  auto const add = [&](char const* name, std::atomic<std::uint64_t> const& count) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(count);
  };
  add("scenarios", scenarios);
  add("tasks", tasks);
  add("stops", stops);
  add("resumes", resumes);
  add("deadlines passed", deadlines);
  add("faults", faults);
  add("lost", lost);
  add("twice", twice);
  add("wrong", wrong);
  return text;
}

void scenario::run() noexcept {
  try {
    choose_room();
  } catch (std::exception const& failure) { report_failure(failure.what()); }
  ++counts.scenarios;
}

void scenario::choose_room() {
  struct room {
    char const* name;
    void (*run)(scenario&);
  };
  static constexpr room rooms[] = {
      {"queue", soak_queue}, {"pool", soak_pool}, {"launch", soak_launch}, {"job", soak_job}};
  auto const& chosen = rooms[drawn(0, 3)];
  room_ = chosen.name;
  chosen.run(*this);
}

device_list scenario::devices(std::size_t most) {
  auto const host = [&] {
    return "host:" + std::to_string(drawn(1, 2)) + (one_in(2) ? "/" + std::to_string(drawn(1, 4)) : "");
  };
  auto list = host();
  for (auto more = drawn(0, most - 1); more > 0; --more) list += "," + host();
  auto opened = open_devices(list);
  if (gpus_available_.empty()) return opened;
  if (one_in(2)) opened.clear();
  opened.insert(opened.begin(), gpus_available_.begin(), gpus_available_.end());
  if (opened.size() > most) opened.resize(most);
  return opened;
}

void scenario::check_visits(std::span<std::uint32_t const> visits, std::span<std::uint32_t const> expected,
                            std::string_view what) {
  std::uint64_t lost = 0, twice = 0;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    lost += visits[i] < expected[i];
    twice += visits[i] > expected[i];
  }
  counts.lost += lost;
  counts.twice += twice;
  if (lost + twice > 0)
    print(std::string(what) + ": " + std::to_string(lost) + " lost, " + std::to_string(twice) + " twice");
}

void scenario::report_failure(std::string_view what) {
  ++counts.wrong;
  print(what);
}

void scenario::print(std::string_view what) const {
  std::fprintf(stderr, "ballast_soak: %s, --seed %llu --scenarios 1: %.*s\n", room_.c_str(),
               static_cast<unsigned long long>(seed_), int(what.size()), what.data());
}

}  // namespace ballast::soak
