// SPDX-License-Identifier: Apache-2.0
#include "record_labels.hpp"

#include <set>

namespace ballast {
namespace {

using texts = std::vector<std::string>;

std::string joined(texts const& all) {
  std::string text;
  for (std::string const& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

/// What may tell records apart, the best first; one text for each record.
std::vector<texts> traits_of(std::span<run_record const> records) {
  std::vector<texts> traits(4);
  for (run_record const& record : records) {
    traits[0].push_back(record.machine.name);
    traits[1].push_back(joined(record.devices));
    traits[2].push_back(short_commit(record.source));
    traits[3].push_back(record.started);
  }
  return traits;
}

std::size_t distinct(texts const& all) { return std::set<std::string>(all.begin(), all.end()).size(); }

void append(texts& labels, texts const& trait) {
  for (std::size_t r = 0; r < labels.size(); ++r) labels[r] += (labels[r].empty() ? "" : ", ") + trait[r];
}

void number_repeats(texts& labels) {
  if (distinct(labels) == labels.size()) return;
  for (std::size_t r = 0; r < labels.size(); ++r) {
    labels[r] += (labels[r].empty() ? "#" : " #") + std::to_string(r + 1);
  }
}

}  // namespace

std::vector<std::string> distinguishing_labels(std::span<run_record const> records) {
  texts labels(records.size());
  for (texts const& trait : traits_of(records)) {
    if (distinct(trait) == records.size()) return trait;
    if (distinct(trait) > 1) append(labels, trait);
  }
  number_repeats(labels);
  return labels;
}

std::string short_commit(source_state const& source) {
  if (source.commit.empty()) return "unknown";
  return source.commit.substr(0, 10) + (source.clean.value_or(true) ? "" : " (changed)");
}

std::string origin_of(run_record const& record) {
  return record.machine.name + " (" + joined(record.devices) + "), commit " + short_commit(record.source) +
         ", " + record.started.substr(0, 10) + ", " + std::to_string(record.repetitions) + " repetitions" +
         (record.answer.verified ? "" : ", ANSWER NOT VERIFIED");
}

}  // namespace ballast
