// A search for candidates that is cancelled while it examines an entry.

#include "fathom/act/candidates.h"

#include <string_view>

#include "fathom/rt/cancel.h"
#include "ruled_tree.h"
#include "watched_reads.h"

namespace fathom::act {
namespace {

using CancelledCandidatesTest = RuledTree;

// The first entry is being examined when its CACHEDIR.TAG is read.
TEST_F(CancelledCandidatesTest, AreThoseThatWereFoundBefore) {
  for (const char* const project : {"p", "q", "r"}) cargo_target(project);
  EXPECT_EQ(found().size(), 3U);
  const rt::CancelSource cancel;
  options_.cancel = cancel.token();
  const WatchedReads watched([&](std::string_view bytes) {
    if (bytes.starts_with("Signature: 8a477f")) cancel.cancel();
  });
  EXPECT_EQ(found().size(), 1U);
  EXPECT_TRUE(found_.cancelled);
}

}  // namespace
}  // namespace fathom::act
