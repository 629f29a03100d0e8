// SPDX-License-Identifier: Apache-2.0
// The accessors that docs/reference/errors.md lists, and the sink that docs/base.md shows.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ballast/error.hpp"

namespace ballast {
namespace {

std::string told_of(std::function<void()> const& run) {
  auto const tell = [](auto const&... parts) { return ((std::string(parts) + ' ') + ...); };
  try {
    run();
  } catch (ballast::bad_argument const& refused) {
    return tell(refused.argument(), refused.value(), refused.legal());  // "cutoff", "-1", "above 0"
  } catch (ballast::timed_out const& passed) {
    return tell(passed.state());  // what explains why the wait did not end
  } catch (ballast::stopped const& ended) {
    return tell(std::to_string(ended.unfinished()));  // so many accepted tasks or launches did not run
  } catch (ballast::kernel_failed const& failed) {
    return tell(failed.kernel(), failed.device());  // refused by CUDA, or a task of a job failed
  } catch (ballast::device_lost const& lost) {
    return tell(lost.device(), lost.cause());  // useless from now on
  }
  return "";
}

TEST(page_on_base, shows_what_each_error_tells) {
  EXPECT_EQ(told_of([] { throw_bad_argument("cutoff", -1, "above 0"); }), "cutoff -1 above 0 ");
  EXPECT_EQ(told_of([] { throw timed_out("ticket 4", "head 3"); }), "head 3\n ");
  EXPECT_EQ(told_of([] { throw stopped("the queue was stopped", 7); }), "7 ");
  EXPECT_EQ(told_of([] { throw kernel_failed("scale failed", "scale", "cuda:1"); }), "scale cuda:1 ");
  EXPECT_EQ(told_of([] { throw device_lost("cuda:1", "a kernel trapped"); }), "cuda:1 a kernel trapped ");
  EXPECT_EQ(told_of([] {}), "");
}

TEST(page_on_base, shows_a_log_sink) {
  std::vector<std::string> lines;
  auto const my_log = [&](log_level, std::string_view line) { lines.emplace_back(line); };
  ballast::set_log_sink([&](ballast::log_level level, std::string_view line) { my_log(level, line); });
  write_log(log_level::warning, "slow device");
  set_log_sink({});
  EXPECT_EQ(lines, std::vector<std::string>{"slow device"});
}

}  // namespace
}  // namespace ballast
