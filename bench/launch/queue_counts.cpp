// SPDX-License-Identifier: Apache-2.0
#include "launch/queue_counts.hpp"

namespace ballast::bench {
namespace {

void record_count(session& now, std::string const& name, std::uint64_t count) {
  if (count != 0) now.derived(name, double(count));
}

void record_predictions(session& now, std::string const& curve, launch_statistics const& did) {
  if (did.predictions.empty() || did.predictions.front().all.count == 0) return;
  auto const& all = did.predictions.front().all;
  now.derived(curve + ".predictions", double(all.count));
  now.derived(curve + ".predictions.median_error", all.median);
  now.derived(curve + ".predictions.within_10", all.within_10);
  now.derived(curve + ".predictions.within_20", all.within_20);
}

}  // namespace

void record_queue(session& now, std::string const& curve, launch_statistics const& did,
                  launch_statistics const& before) {
  auto const counts = did.listed(), counts_before = before.listed();
  for (std::size_t i = 0; i < counts.size(); ++i)
    record_count(now, curve + "." + std::string(counts[i].name), counts[i].count - counts_before[i].count);
  auto const verdicts = did.verdicts.listed(), verdicts_before = before.verdicts.listed();
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    record_count(now, curve + ".verdicts." + std::string(verdicts[i].verdict.name),
                 verdicts[i].count - verdicts_before[i].count);
  record_predictions(now, curve, did);
}

}  // namespace ballast::bench
