// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>
#include <isl/options.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace ballast::mesicc {

/// isl's memory, and the limit on the cost of a question. Outlives all objects of isl. For one thread.
class isl_session {
 public:
  explicit isl_session(unsigned long operations) : context_(isl_ctx_alloc(), &isl_ctx_free) {
    isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE);
    isl_options_set_ast_build_detect_min_max(context_.get(), 1);
    isl_ctx_set_max_operations(context_.get(), operations);
  }

  isl::ctx context() const { return context_.get(); }

  /// The answer to `question`; nothing if isl has none, for a set without bounds or beyond the operations of
  /// one question.
  template <class Question>
  std::optional<std::invoke_result_t<Question>> ask(Question&& question) const {
    if (exhausted_ >= max_exhausted) return std::nullopt;
    ++asked_;
    isl_ctx_reset_operations(context_.get());
    try {
      return std::forward<Question>(question)();
    } catch (isl::exception_quota const&) {
      ++exhausted_;
      isl_ctx_reset_operations(context_.get());  // for the caller, which may be inside another question
      return std::nullopt;
    } catch (isl::exception const&) { return std::nullopt; }
  }
  /// The answer to `question`, or `otherwise` if isl has none.
  template <class Question>
  bool ask(bool otherwise, Question&& question) const {
    return ask(std::forward<Question>(question)).value_or(otherwise);
  }
  /// Counts a question that was not asked because it would take too many operations.
  void leave_unasked() const { ++exhausted_; }
  /// True if a question has taken too many operations.
  bool is_exhausted() const { return exhausted_ > 0; }
  /// The number of questions.
  std::size_t asked() const { return asked_; }

 private:
  static constexpr int max_exhausted = 3;  // afterwards all further questions are left unanswered

  std::unique_ptr<isl_ctx, decltype(&isl_ctx_free)> context_;
  mutable int exhausted_ = 0;
  mutable std::size_t asked_ = 0;
};

}  // namespace ballast::mesicc
