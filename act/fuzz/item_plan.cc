// Fuzzes read_plan(): for any text, it throws a base::Error, or its result has no flaw and can
// be written and read again.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/act/plan.h"
#include "fathom/base/error.h"
#include "fathom/fs/source.h"
#include "fathom/testing/always.h"

namespace fathom::act {
namespace {

std::string text_of(const Plan& plan) {
  std::string text;
  write_plan(plan, [&text](std::string_view block) {
    text += block;
    return true;
  });
  return text;
}

void expect_survives(const Plan& plan) {
  testing::always(!flaw_of(plan), "a plan with a flaw was read");
  const std::string first = text_of(plan);
  const Plan back = read_plan(fs::text_source(first));
  testing::always(back.items == plan.items,
                  "an item changed when the plan was written and read again");
  testing::always(back.roots == plan.roots && back.host == plan.host, "the head changed");
  testing::always(back.created_ns == plan.created_ns, "the time changed");
  testing::always(back.quarantine == plan.quarantine && back.totals == plan.totals,
                  "the sums changed");
  testing::always(text_of(back) == first, "a plan changed when it was read and written again");
}

void check(std::string_view text) {
  std::optional<Plan> plan;
  try {
    plan = read_plan(fs::text_source(text));
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
