// Symbolic links: their targets, and whether these exist.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

TEST(Symlinks, ShowTheirTargets) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.symlink(top, "here", {"file", LinkEnd::exists});
  made.symlink(top, "gone", {"no/such\xff", LinkEnd::missing});
  made.symlink(top, "barred", {"/root/x", LinkEnd::unknown});
  made.file(top, "unread", {.mode = S_IFLNK | 0777});
  made.file(top, "file");
  const Reported of(made.finish());
  EXPECT_EQ(lines(symlinks(of.input())), (Lines{"t/barred /root/x -", "t/gone no/such\xff yes",
                                                "t/here file no", "t/unread - -"}));
}

TEST(Symlinks, AreOrderedByPath) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  made.symlink(top, "b", {"1", LinkEnd::missing});
  made.symlink(a, "c", {"2", LinkEnd::missing});
  made.symlink(top, "a-", {"3", LinkEnd::missing});
  made.symlink(top, "a0", {"4", LinkEnd::missing});
  const Reported of(made.finish());
  EXPECT_EQ(lines(symlinks(of.input()), {"path", "target"}),
            (Lines{"t/a- 3", "t/a/c 2", "t/a0 4", "t/b 1"}));
}

TEST(Symlinks, KeepTheirTargetsInEveryRow) {
  constexpr int kCount = 10'000;  // several chunks
  HandMadeTree made;
  const DirId top = made.root("t");
  const auto name_of = [](int i) { return std::to_string(100'000 + i); };
  for (int i = 0; i < kCount; ++i) {
    if (i % 3 == 0) {
      made.symlink(top, name_of(i), {name_of(-i) + std::string(i % 50, 'x'), LinkEnd::exists});
    } else {
      made.file(top, name_of(i));
    }
    if (i % 1000 == 0) made.change_appender();
  }
  const Reported of(made.finish());
  const Lines found = lines(symlinks(of.input()), {"path", "target"});
  ASSERT_EQ(found.size(), kCount / 3 + 1U);
  for (int i = 0; i < kCount; i += 3) {
    ASSERT_EQ(found[static_cast<std::size_t>(i / 3)],
              "t/" + name_of(i) + " " + name_of(-i) + std::string(i % 50, 'x'));
  }
}

}  // namespace
}  // namespace fathom::fs
