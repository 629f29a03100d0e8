// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of these headers, as Semantic Versioning counts: before 1.0.0 each minor version may change
/// interfaces.
#define BALLAST_VERSION_MAJOR 0
#define BALLAST_VERSION_MINOR 2
#define BALLAST_VERSION_PATCH 0
#define BALLAST_VERSION_STRING "0.2.0"
