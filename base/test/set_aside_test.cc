// SetAside: what belongs to Fathom, what is in a trash, and similar names that are neither.

#include "fathom/base/set_aside.h"

#include <gtest/gtest.h>

#include <string>

namespace fathom::base {
namespace {

std::string why(std::string_view path) {
  static const SetAside set_aside("/data/of ana", "/states/of ana");
  return std::string(set_aside.why(path).value_or("is in use"));
}

TEST(SetAside, IsWhatFathomMakesAndEverythingInIt) {
  for (const char* path :
       {"/.fathom-quarantine-0", "/srv/.fathom-quarantine-1000/run/srv/a", "/srv/.fathom-dups-1-2",
        "/home/ana/.local/share/fathom", "/home/ana/.local/state/fathom/quarantine/run/a",
        "/data/of ana/fathom/snapshots/x", "/states/of ana/fathom/quarantine"}) {
    EXPECT_EQ(why(path), "belongs to Fathom") << path;
  }
}

TEST(SetAside, IsWhatIsInATrash) {
  for (const char* path :
       {"/srv/.Trash-0/files/a", "/srv/.Trash-1000", "/srv/.Trash/1000/files/a",
        "/home/ana/.local/share/Trash/files/a/b", "/data/of ana/Trash/info/a.trashinfo"}) {
    EXPECT_EQ(why(path), "is in a trash") << path;
  }
}

TEST(SetAside, BelongsToFathomAlsoInATrash) {
  EXPECT_EQ(why("/srv/.Trash-0/files/.fathom-quarantine-0/run/a"), "belongs to Fathom");
  EXPECT_EQ(why("/home/ana/.local/share/Trash/files/.fathom-dups-1-2"), "belongs to Fathom");
  EXPECT_EQ(why("/srv/.fathom-quarantine-0/run/srv/.Trash-0/files/a"), "belongs to Fathom");
}

TEST(SetAside, IsNothingOfASimilarName) {
  for (const char* path :
       {"/", "/srv/fathom", "/srv/fathom-quarantine-0/a", "/srv/.fathom", "/srv/a.fathom-b",
        "/srv/share/fathom/a", "/home/ana/.local/share/fathoms/a", "/srv/Trash/files/a",
        "/srv/.Trash-/a", "/srv/.Trash-ana/a", "/srv/.Trash1/a", "/states/of ana/Trash/a",
        "/data/of ana", "/data/of ana/fathomless"}) {
    EXPECT_EQ(why(path), "is in use") << path;
  }
}

TEST(SetAside, WithoutDirectoriesOfItsOwnKnowsTheUsualOnes) {
  const SetAside set_aside("", "");
  EXPECT_TRUE(set_aside.why("/home/ana/.local/share/Trash/files/a"));
  EXPECT_FALSE(set_aside.why("/fathom"));
  EXPECT_FALSE(set_aside.why("/Trash"));
}

}  // namespace
}  // namespace fathom::base
