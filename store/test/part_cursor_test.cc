// What parts share: directories above what was left, and devices that hosts number differently.

#include "parts/part_cursor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/base/error.h"

namespace fathom::store {
namespace {

TEST(SharedDirectories, AreThoseAboveWhatWasLeft) {
  SharedDirectories shared;
  shared.add_root("/r");
  shared.add_above("/r/a/b/");
  shared.add_above("/r/a/c/file");
  for (const char* path : {"/r", "/r/a", "/r/a/c"}) EXPECT_NE(shared.find(path), nullptr) << path;
  EXPECT_EQ(shared.find("/r/a/b"), nullptr);
  EXPECT_EQ(shared.find("/r/a/c/file"), nullptr);
  EXPECT_EQ(shared.find_above("/r/a/b/"), shared.find("/r/a"));
  EXPECT_EQ(shared.find_above("/r/a"), shared.find("/r"));
  EXPECT_EQ(shared.find_above("/elsewhere/a"), nullptr);
}

TEST(SharedDirectories, IncludeRootsWhosePathEndsWithASlash) {
  for (const std::string root : {"/", "/link/"}) {
    SharedDirectories shared;
    shared.add_root(root);
    shared.add_above(root + "a/b");
    EXPECT_EQ(shared.find_above(root + "a"), shared.find(root));
    EXPECT_NE(shared.find(root), nullptr);
  }
}

LoadedEntry directory(std::uint64_t device, std::string_view filesystem, std::uint32_t depth = 0) {
  LoadedEntry entry;
  entry.entry.device = device;
  entry.entry.mode = 0040755;
  entry.filesystem = filesystem;
  entry.depth = depth;
  return entry;
}

// As a cursor and the survey do.
std::uint64_t add(JoinedDevices& devices, const std::string& host, LoadedEntry entry,
                  const std::string& path) {
  entry.entry.device = devices.index_of(host, entry);
  devices.add_directory(entry, path);
  return entry.entry.device;
}

TEST(JoinedDevices, AreTheSameIfTheirFilesystemIs) {
  JoinedDevices devices;
  const auto first = add(devices, "a", directory(7, "uuid"), "/r");
  EXPECT_EQ(add(devices, "b", directory(9, "uuid"), "/r/x"), first);
  EXPECT_NE(add(devices, "b", directory(7, "other"), "/r/y"), first);
  EXPECT_NE(add(devices, "b", directory(8, ""), "/r/z"), first);
}

TEST(JoinedDevices, HaveTheNumbersOfThePreferredHostAndOthersWhereTheseAreTaken) {
  JoinedDevices devices;
  const auto other = add(devices, "b", directory(7, "other"), "/r/y");
  const auto first = add(devices, "b", directory(9, "uuid"), "/r");
  EXPECT_EQ(add(devices, "a", directory(7, "uuid"), "/r"), first);
  devices.choose_numbers("a");
  EXPECT_EQ(devices.number_of(first), 7U);
  EXPECT_EQ(devices.number_of(other), 8U);
}

TEST(JoinedDevices, HaveTheIdentityOfTheirTopmostDirectory) {
  JoinedDevices devices;
  add(devices, "a", directory(7, "dir-30", 3), "/r/a/b/c");
  add(devices, "a", directory(7, "dir-20", 2), "/r/b/d");
  add(devices, "a", directory(7, "dir-10", 2), "/r/b/c");
  devices.choose_numbers("a");
  EXPECT_EQ(devices.filesystems(), (FilesystemIds{{7, "dir-10"}}));
}

TEST(JoinedDevices, AreAllKnownBeforeTheyAreNumbered) {
  JoinedDevices devices;
  add(devices, "a", directory(7, "uuid"), "/r");
  devices.choose_numbers("a");
  EXPECT_EQ(devices.index_of("a", directory(7, "uuid")), 0U);
  EXPECT_THROW(static_cast<void>(devices.index_of("a", directory(8, "new"))), base::Error);
}

}  // namespace
}  // namespace fathom::store
