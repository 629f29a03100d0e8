// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ballast {

/// The text as UTF-8 that XML and HTML may hold: what is not UTF-8, control characters other than tabs and
/// new lines, and the code points that are no characters (U+FFFE, U+FFFF) become U+FFFD.
std::string legal_text(std::string_view text);

/// A legal_text() that stands for itself in HTML and in its attributes.
std::string html_text(std::string_view text);

/// <name>text</name>, the text escaped.
std::string html_element(std::string_view name, std::string_view text);

/// A table of cells that are HTML already.
std::string html_table(std::vector<std::string> const& headers,
                       std::vector<std::vector<std::string>> const& rows);

/// An SVG picture inside the page; `described` is read aloud in its place.
std::string html_picture(std::string_view svg, std::string_view described);

/// A whole page, well formed as XML too, that loads nothing from elsewhere, which a policy inside it forbids.
/// `body` is HTML; `script` is JavaScript without <, > and &, run at the end.
std::string html_page(std::string_view title, std::string_view body, std::string_view script = {});

}  // namespace ballast
