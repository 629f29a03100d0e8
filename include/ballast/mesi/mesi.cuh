// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job/kernels.cuh"
#include "ballast/mesi/kernel.cuh"
#include "ballast/mesi/launch.hpp"
#include "ballast/mesi/program.hpp"
#include "ballast/mesi/variable.hpp"
