// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/paper_verdict.hpp"
#include "report/papers.hpp"
#include "report/plot.hpp"
#include "report/record_folder.hpp"

namespace ballast {

/// A page, and why some of its pictures are missing, which the page also states: gnuplot draws them.
struct drawn_page {
  std::string html;
  std::vector<std::string> complaints;
};

/// One self-contained HTML page about the records of a folder: each record's picture, table and origin, with
/// filters by name, device and commit; files that are no records are listed. Waits for gnuplot, a fraction of
/// a second for each record.
drawn_page page_of_records(std::string const& title, record_folder const& folder);

/// The page of a paper: each figure with its verdict, the published values next to ours, and the records.
/// `verdicts`: one for each of the paper's figures, in order. `unable`: likewise, why a figure cannot be
/// measured here, or empty.
drawn_page page_of_paper(published_paper const& paper, std::span<figure_verdict const> verdicts,
                         std::span<std::string const> unable);

/// A section of a page: a record's picture, table and origin. `published`, unless null, is drawn over it, as
/// a record of the same benchmark and axes. Adds to the complaints.
std::string record_as_html(filed_record const& one, run_record const* published,
                           std::vector<std::string>& complaints);

/// The picture as HTML, under the heading if there is one; or a sentence in its place with the reason why
/// there is none, which is also added to the complaints.
std::string picture_as_html(std::string const& name, std::span<run_record const> records,
                            plot_heading const* heading, std::vector<std::string>& complaints);

/// The command that measures a figure: "ballast bench md/sizes --devices LIST".
std::string command_for(published_figure const& figure);

}  // namespace ballast
