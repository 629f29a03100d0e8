// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of these headers, as Semantic Versioning counts: before 1.0.0 each minor version may change
/// interfaces.
#define BALLAST_VERSION_MAJOR 0
#define BALLAST_VERSION_MINOR 2
#define BALLAST_VERSION_PATCH 0
#define BALLAST_VERSION_STRING "0.2.0"

#if __cplusplus < 202002L
#  error "ballast needs C++20: -std=c++20, or target_compile_features(... cxx_std_20)"
#endif

/// Marks what libballast.so exports, and what a program may throw through it: a function, or a class with all
/// its members. Everything else is hidden (docs/reference/abi.md).
#define BALLAST_API __attribute__((visibility("default")))
/// A nested class of an exported one, whose members are not exported.
#define BALLAST_HIDDEN __attribute__((visibility("hidden")))
