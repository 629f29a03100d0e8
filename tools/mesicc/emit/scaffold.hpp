// SPDX-License-Identifier: Apache-2.0
// Stands for tools/mesicc/source until that exists: parses one file, launches only in that file.
#pragma once
#include <memory>
#include <set>
#include <string>

#include "emit/translate.hpp"

namespace clang {
class ASTUnit;
}
namespace ballast::mesicc {
struct scaffold {
  std::unique_ptr<clang::ASTUnit> unit;
  std::string original;
  std::set<unsigned> launches;  // offsets of <<[
};
scaffold parse_for_now(std::string const& file, translation_options const& options);
}  // namespace ballast::mesicc
