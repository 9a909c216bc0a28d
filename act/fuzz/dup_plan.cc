// Fuzzes read_dup_plan(): for any text, it throws a base::Error, or its result has no flaw and can
// be written and read again.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/act/dup_plan.h"
#include "fathom/base/error.h"
#include "fathom/fs/source.h"
#include "fathom/testing/always.h"

namespace fathom::act {
namespace {

std::string text_of(const DupPlan& plan) {
  std::string text;
  write_plan(plan, [&text](std::string_view block) {
    text += block;
    return true;
  });
  return text;
}

void expect_survives(const DupPlan& plan) {
  testing::always(!flaw_of(plan), "a plan with a flaw was read");
  const std::string first = text_of(plan);
  const DupPlan back = read_dup_plan(fs::text_source(first));
  testing::always(back.groups == plan.groups,
                  "a group changed when the plan was written and read again");
  testing::always(back.action == plan.action && back.roots == plan.roots, "the head changed");
  testing::always(back.looked_ns == plan.looked_ns, "the time changed");
  testing::always(back.quarantine == plan.quarantine && back.sums == plan.sums,
                  "the check changed");
  testing::always(text_of(back) == first, "a plan changed when it was read and written again");
}

void check(std::string_view text) {
  std::optional<DupPlan> plan;
  try {
    plan = read_dup_plan(fs::text_source(text));
  } catch (const base::Error&) {  // expected for most texts
    return;
  }
  expect_survives(*plan);
}

}  // namespace
}  // namespace fathom::act

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::act::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
