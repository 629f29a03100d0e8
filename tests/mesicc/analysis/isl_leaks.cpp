// SPDX-License-Identifier: Apache-2.0
// What LeakSanitizer passes over in these tests.

/// isl (0.25, context_gbr_save) loses memory where a question takes too many operations, and its frames are
/// not seen, as it is compiled without frame pointers. An object of isl that we lose keeps its isl_ctx, which
/// is found.
extern "C" char const* __lsan_default_suppressions();
extern "C" char const* __lsan_default_suppressions() { return "leak:isl_malloc_or_die\n"; }
