// SPDX-License-Identifier: Apache-2.0
#include "range_check.hpp"

#include <algorithm>

namespace ballast::mesicc {
namespace {

struct declared {
  touched_elements reads, writes;
};

class checker {
 public:
  checker(launch_plan const& plan, interpreted_launch const& launch) : plan_(plan), launch_(launch) {}

  range_check_result run() {
    for (std::int64_t begin = 0; begin < launch_.rows(); ++begin) {
      for (auto end = begin + 1; end <= launch_.rows(); ++end) check(begin, end);
    }
    return result_;
  }

 private:
  void check(std::int64_t begin, std::int64_t end) {
    part_ = "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
    ++result_.parts;
    auto const said = declared_by(begin, end);
    auto const did = launch_.of_rows(begin, end);
    demand(did.read_before_written, said.reads, "reads");
    demand(did.written, said.writes, "writes");
    demand(left_unwritten(said.writes, did.written), said.reads, "leaves as it is");
    for (auto const& [before, behind] : {std::pair(std::int64_t(0), begin), std::pair(end, launch_.rows())}) {
      if (before < behind) forbid_meeting(said, declared_by(before, behind));
    }
    count(said.reads, did);
  }

  void complain(std::string const& what) {
    if (result_.wrong.empty()) result_.wrong = "part " + part_ + " " + what;
  }

  void demand(touched_elements const& really, touched_elements const& said, std::string const& verb) {
    for (auto const& [variable, elements] : really) {
      auto const found = said.find(variable);
      for (auto const element : elements) {
        if (found != said.end() && found->second.contains(element)) continue;
        complain(verb + " element " + std::to_string(element) + " of " + variable +
                 ", which its plan does not tell");
      }
    }
  }

  static touched_elements left_unwritten(touched_elements const& said, touched_elements const& written) {
    touched_elements left = said;
    for (auto const& [variable, elements] : written) {
      for (auto const element : elements) left[variable].erase(element);
    }
    return left;
  }

  void forbid_meeting(declared const& part, declared const& other) {
    forbid_meeting(part.writes, other.writes, "writes");
    forbid_meeting(part.reads, other.writes, "reads");
  }

  void forbid_meeting(touched_elements const& part, touched_elements const& other, std::string const& verb) {
    for (auto const& [variable, elements] : part) {
      auto const found = other.find(variable);
      if (found == other.end()) continue;
      auto const shared =
          std::ranges::find_if(elements, [&](auto element) { return found->second.contains(element); });
      if (shared != elements.end())
        complain(verb + " element " + std::to_string(*shared) + " of " + variable +
                 ", which another part writes");
    }
  }

  declared declared_by(std::int64_t begin, std::int64_t end) const {
    declared said;
    auto leaves = launch_.leaves();
    leaves.part_begin = begin, leaves.part_end = end;
    for (std::size_t place = 0; place < plan_.arrays.size(); ++place) {
      auto const& plan = plan_.arrays[place];
      auto const argument = int(place);
      if (plan.reads_all) add({-launch_.offset(argument), largest}, argument, leaves, said.reads);
      for (auto const& range : plan.reads) add(range, argument, leaves, said.reads);
      for (auto const& range : plan.writes) add(range, argument, leaves, said.writes);
    }
    return said;
  }

  /// Cut off at the ends of the array, as who uses the ranges does.
  void add(element_range const& range, int argument, leaf_values const& leaves, touched_elements& all) const {
    auto const offset = launch_.offset(argument), elements = launch_.elements(argument);
    auto const first = std::max<std::int64_t>(evaluate(range.begin, leaves) + offset, 0);
    auto const end = std::min(evaluate(range.end, leaves) + offset, elements > 0 ? elements : largest);
    for (auto element = first; element < end; ++element) all[launch_.variable(argument)].insert(element);
  }

  void count(touched_elements const& said, row_accesses const& did) {
    auto needed = did.read_before_written;
    for (auto const& [variable, elements] : said) {
      for (auto const element : elements) {
        auto const was = needed[variable].contains(element);
        ++(was ? result_.needed : result_.slack);
      }
    }
  }

  static constexpr std::int64_t largest = 3000;  // of arrays of unknown length

  launch_plan const& plan_;
  interpreted_launch const& launch_;
  std::string part_;
  range_check_result result_;
};

}  // namespace

range_check_result check_ranges(launch_plan const& plan, interpreted_launch const& launch) {
  return checker(plan, launch).run();
}

}  // namespace ballast::mesicc
