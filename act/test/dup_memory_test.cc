// What earlier searches remember may be wrong: no act believes it.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "dup_acts.h"
#include "fathom/fs/compared_files.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"

namespace fathom::act {
namespace {

class LyingMemory : public Acts {
 protected:
  // A plan of a search that remembers all files of a size as equal, and reads none.
  DupPlan plan_of_lies(DupAction action) {
    fs::ScanOptions scanning;
    scanning.roots = {folder()};
    scanning.read_times = true;
    const fs::Scan found = fs::scan(scanning);
    fs::DuplicateMemory memory;
    memory.filesystems = {{found.tree.device(found.tree.roots().front()), "here"}};
    memory.settled_before_ns = std::numeric_limits<std::int64_t>::max();
    memory.known.take(fs::find_duplicates(found.tree, {.memory = &memory}).learned, 0);
    for (fs::ComparedFile& file : memory.known.files) file.content = 0;
    const fs::Duplicates same = fs::find_duplicates(found.tree, {.memory = &memory});
    EXPECT_EQ(same.bytes_read, 0U);
    return make_plan(found.tree, same,
                     {.action = action,
                      .keep = {},
                      .roots = {folder()},
                      .looked_ns = std::numeric_limits<std::int64_t>::max(),
                      .quarantine = {}});
  }
};

TEST_F(LyingMemory, DestroysNothing) {
  for (const DupAction action : kActionsAnywhere) {
    for (const bool trust_times : {false, true}) {
      for (const bool dry : {true, false}) {
        start_over();
        write("a", "same");
        write("b", "else");
        const DupPlan planned = plan_of_lies(action);
        ASSERT_EQ(planned.acts(), 1U);
        ApplyOptions asked = options();
        asked.trust_times = trust_times;
        asked.dry_run = dry;
        const ActResult result = apply_one(planned, asked);
        EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ": " << result;
        EXPECT_EQ(result.why, "its content differs from that of the kept file");
        EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
      }
    }
  }
}

TEST_F(LyingMemory, DoesNotPreventWhatIsTrue) {
  for (const char* name : {"a", "b"}) write(name, "same");
  const DupPlan planned = plan_of_lies(DupAction::remove);
  EXPECT_EQ(apply_one(planned).outcome, Outcome::done);
  EXPECT_EQ(files_of(folder()).size(), 1U);
}

}  // namespace
}  // namespace fathom::act
