// Store: adding, listing and removing; what is not a store; other processes and users.

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/store/store.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "stored.h"

namespace fathom::store {
namespace {

std::vector<std::string> names_below(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

mode_t mode_of(const std::string& path) {
  struct stat facts = {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0);
  return facts.st_mode & 07777;
}

class StoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] Store opened() const { return Store::open_or_create(path()); }
  [[nodiscard]] std::string path() const { return tree_.path("store"); }
  std::string refusal() {
    return error_of([&] { static_cast<void>(Store::open(path())); });
  }

  testing::TempTree tree_;
};

TEST_F(StoreTest, KeepsWhatIsAdded) {
  Store store = opened();
  const StoredSnapshot added = store.add(writes(meta_at(utc(2026, 11, 23, 6))));
  EXPECT_EQ(added.name, "20261123T060000Z-91ab3c0d");
  const StoreContents all = Store::open(path()).list();
  ASSERT_EQ(all.snapshots.size(), 1U);
  EXPECT_EQ(all.snapshots[0].name, added.name);
  EXPECT_EQ(all.snapshots[0].meta.roots, std::vector<std::string>{"/srv"});
  EXPECT_TRUE(all.unreadable.empty());
  EXPECT_EQ(store.path_of(added.name), path() + "/20261123T060000Z-91ab3c0d");
  EXPECT_EQ(names_below(store.path_of(added.name)),
            (std::vector<std::string>{"entries.parquet", "meta.json"}));
}

TEST_F(StoreTest, IsPrivateToItsOwner) {
  const std::string deep = tree_.path("a/b/store");
  Store store = Store::open_or_create(deep);
  const StoredSnapshot added = store.add(writes(meta_at(utc(2026, 11, 23))));
  EXPECT_EQ(mode_of(tree_.path("a")), 0700U);
  EXPECT_EQ(mode_of(deep), 0700U);
  EXPECT_EQ(mode_of(store.path_of(added.name)), 0700U);
  EXPECT_EQ(mode_of(store.path_of(added.name) + "/meta.json"), 0600U);
}

TEST_F(StoreTest, ListsTheOldestFirst) {
  Store store = opened();
  store.add(writes(meta_at(utc(2026, 11, 23), "cccc000000000000")));
  store.add(writes(meta_at(utc(2026, 11, 21), "aaaa000000000000")));
  store.add(writes(meta_at(utc(2026, 11, 22), "bbbb000000000000")));
  std::string ids;
  for (const StoredSnapshot& snapshot : store.list().snapshots) ids += snapshot.meta.id[0];
  EXPECT_EQ(ids, "abc");
}

TEST_F(StoreTest, ReportsWhatItCannotReadBesideTheRest) {
  Store store = opened();
  store.add(writes(meta_at(utc(2026, 11, 23))));
  tree_.write("store/20261101T000000Z-aaaaaaaa/meta.json", "{");
  tree_.dir("store/20261102T000000Z-bbbbbbbb");
  tree_.dir("store/lost+found");
  tree_.write("store/notes.txt", "x");
  const StoreContents all = store.list();
  EXPECT_EQ(all.snapshots.size(), 1U);
  ASSERT_EQ(all.unreadable.size(), 2U);
  EXPECT_EQ(all.unreadable[0].name, "20261101T000000Z-aaaaaaaa");
  EXPECT_EQ(all.unreadable[0].why,
            "meta.json is damaged: it is not valid JSON: Missing a name for object member");
  EXPECT_EQ(all.unreadable[1].why, "meta.json is missing");
}

TEST_F(StoreTest, RefusesASnapshotThatItHas) {
  Store store = opened();
  store.add(writes(meta_at(utc(2026, 11, 23))));
  EXPECT_EQ(error_of([&] { store.add(writes(meta_at(utc(2026, 11, 23)))); }),
            path() + " has this snapshot already: 20261123T000000Z-91ab3c0d");
  EXPECT_EQ(names_below(path()),
            (std::vector<std::string>{"20261123T000000Z-91ab3c0d", "fathom-store", "lock"}));
}

TEST_F(StoreTest, RemovesASnapshotOnce) {
  Store store = opened();
  const StoredSnapshot added = store.add(writes(meta_at(utc(2026, 11, 23))));
  store.remove(added.name);
  store.remove(added.name);
  EXPECT_EQ(names_below(path()), (std::vector<std::string>{"fathom-store", "lock"}));
}

TEST_F(StoreTest, CanKeepASnapshotAgainWhoseRemovalWasInterrupted) {
  Store store = opened();
  tree_.write("store/.gone-20261123T000000Z-91ab3c0d/entries.parquet", "x");
  const StoredSnapshot added = store.add(writes(meta_at(utc(2026, 11, 23))));
  tree_.write("store/.gone-" + added.name + "/entries.parquet", "x");
  store.remove(added.name);
  EXPECT_EQ(names_below(path()), (std::vector<std::string>{"fathom-store", "lock"}));
}

TEST_F(StoreTest, KeepsNothingOfAWriterThatFails) {
  Store store = opened();
  const auto fails = [](int folder) -> SnapshotMeta {
    NewFile(folder, "entries.parquet").finish();
    throw base::Error("no more space");
  };
  EXPECT_EQ(error_of([&] { store.add(fails); }), "no more space");
  EXPECT_EQ(names_below(path()), (std::vector<std::string>{"fathom-store", "lock"}));
}

TEST_F(StoreTest, KeepsNothingThatMayNotBeOnTheDisk) {
  int syncs = 0;
  int failing = 0;  // none
  Store store = Store::open_or_create(path(), [&](std::string_view step) {
    if (step == "sync" && ++syncs == failing) throw base::SystemError("cannot sync", EIO);
  });
  const auto add = [&] { store.add(writes(meta_at(utc(2026, 11, 23)))); };
  for (failing = 1; syncs = 0, error_of(add) != "no error"; ++failing) {
    ASSERT_TRUE(store.list().snapshots.empty());
  }
  EXPECT_GT(failing, 2);  // those of the directories of the snapshot and of the store have failed
  EXPECT_EQ(store.list().snapshots.size(), 1U);
}

TEST_F(StoreTest, ReadsASnapshotToTheEndThatIsRemovedMeanwhile) {
  Store store = opened();
  const StoredSnapshot added = store.add(writes(meta_at(utc(2026, 11, 23))));
  std::ifstream file(store.path_of(added.name) + "/entries.parquet");
  store.remove(added.name);
  std::string text;
  file >> text;
  EXPECT_EQ(text, "entries");
}

TEST_F(StoreTest, OpensNoSnapshotThatWasRemoved) {
  Store store = opened();
  const StoredSnapshot added = store.add(writes(meta_at(utc(2026, 11, 23))));
  Store::open(path()).remove(added.name);
  EXPECT_FALSE(store.open_snapshot(added.name));
  tree_.write("store/" + added.name + "/other", "x");
  EXPECT_NE(error_of([&] { static_cast<void>(store.open_snapshot(added.name)); }), "no error");
}

// ---- Left-overs

TEST_F(StoreTest, RemovesLeftOversBeforeItAdds) {
  Store store = opened();
  tree_.write("store/.tmp-0123/entries.parquet", "x");
  tree_.write("store/.tmp-mark", "x");
  tree_.write("store/.gone-x/meta.json", "x");
  store.add(writes(meta_at(utc(2026, 11, 23))));
  EXPECT_EQ(names_below(path()),
            (std::vector<std::string>{"20261123T000000Z-91ab3c0d", "fathom-store", "lock"}));
}

TEST_F(StoreTest, AddsAlthoughALeftOverCannotBeRemoved) {
  Store store = opened();
  tree_.write("store/.gone-a/folder/x", "x");  // a store never has a directory there
  tree_.write("store/.gone-b/meta.json", "x");
  tree_.write("store/.tmp-c/folder/x", "x");
  store.add(writes(meta_at(utc(2026, 11, 23))));
  EXPECT_EQ(names_below(path()),
            (std::vector<std::string>{".gone-a", ".gone-c", "20261123T000000Z-91ab3c0d",
                                      "fathom-store", "lock"}));
  const std::string error = error_of([&] { store.collect(); });
  EXPECT_TRUE(error.starts_with("cannot remove " + path() + "/.gone-a/folder: ")) << error;
}

TEST_F(StoreTest, SaysWhatWasLeftOver) {
  Store store = opened();
  tree_.file("store/.tmp-0123/entries.parquet", 100'000);
  const LeftOvers found = store.collect();
  EXPECT_EQ(found.names, std::vector<std::string>{".gone-0123"});
  EXPECT_GE(found.bytes, 98'304U);  // the filesystem may store it in blocks of any size
  EXPECT_FALSE(found.writing);
  EXPECT_TRUE(store.collect().names.empty());
}

TEST_F(StoreTest, LeavesWhatAnotherProcessWrites) {
  Store store = opened();
  LeftOvers found;
  const Store::Write writer = writes(meta_at(utc(2026, 11, 23)));
  const StoredSnapshot added = store.add([&](int folder) {
    Store other = Store::open(path());  // its own lock, as in another process
    tree_.write("store/.gone-x/meta.json", "x");
    found = other.collect();
    return writer(folder);
  });
  EXPECT_TRUE(found.writing);
  EXPECT_EQ(found.names, std::vector<std::string>{".gone-x"});
  EXPECT_EQ(store.list().snapshots.size(), 1U);
}

TEST_F(StoreTest, LetsSeveralProcessesAddAtTheSameTime) {
  Store store = opened();
  const Store::Write first = writes(meta_at(utc(2026, 11, 23)));
  store.add([&](int folder) {
    Store other = Store::open_or_create(path());
    other.add(writes(meta_at(utc(2026, 11, 24))));
    return first(folder);
  });
  EXPECT_EQ(store.list().snapshots.size(), 2U);
}

// ---- Bad input

TEST_F(StoreTest, IsCreatedOnceBySeveralAtTheSameTime) {
  constexpr int kRounds = 50;
  constexpr int kThreads = 8;
  for (int round = 0; round < kRounds; ++round) {
    const std::string path = tree_.path(std::to_string(round));
    std::vector<std::string> errors(kThreads);
    std::vector<std::thread> threads;
    for (std::string& error : errors) {
      threads.emplace_back([&path, &error] {
        error = error_of([&] { static_cast<void>(Store::open_or_create(path)); });
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(errors, std::vector<std::string>(kThreads, "no error"));
  }
}

TEST_F(StoreTest, IsNotCreatedByReading) {
  try {
    static_cast<void>(Store::open(path()));
    FAIL();
  } catch (const base::SystemError& error) {
    EXPECT_EQ(error.code(), ENOENT);
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(StoreTest, MayBeAnEmptyDirectory) {
  tree_.dir("store");
  tree_.chmod("store", 0755);
  EXPECT_EQ(refusal(), path() + " is not a store of snapshots: it has no file fathom-store");
  opened().add(writes(meta_at(utc(2026, 11, 23))));
  EXPECT_EQ(mode_of(path()), 0700U);
}

TEST_F(StoreTest, IsNotADirectoryWithOtherFiles) {
  tree_.write("store/photo.jpg", "x");
  tree_.chmod("store", 0755);
  EXPECT_EQ(error_of([&] { static_cast<void>(opened()); }),
            path() + " is not a store of snapshots, and not empty");
  EXPECT_EQ(names_below(path()), std::vector<std::string>{"photo.jpg"});
  EXPECT_EQ(mode_of(path()), 0755U);
}

TEST_F(StoreTest, IsNotAFile) {
  tree_.write("store", "x");
  EXPECT_EQ(error_of([&] { static_cast<void>(opened()); }),
            "cannot open " + path() + ": Not a directory");
  EXPECT_EQ(refusal(), "cannot open " + path() + ": Not a directory");
}

TEST_F(StoreTest, OfALaterVersionIsRefused) {
  tree_.write("store/fathom-store", "fathom.store/2\n");
  EXPECT_EQ(refusal(),
            path() + " is a store of a later version (fathom.store/2): use a newer fathom");
}

TEST_F(StoreTest, WithAnotherMarkIsRefused) {
  for (const char* text : {"", "fathom.store", "something else", "\xff\n"}) {
    tree_.write("store/fathom-store", text);
    EXPECT_EQ(refusal(), path() +
                             " is not a store of snapshots: the content of fathom-store is "
                             "something else");
  }
  tree_.write("store/fathom-store", std::string(1000, 'x'));
  EXPECT_EQ(refusal(), path() + " is not a store of snapshots: fathom-store is too long");
}

TEST_F(StoreTest, OfAnotherUserIsNotReadable) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root to become another user";
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "TMPDIR is private";
  static_cast<void>(opened());
  EXPECT_EQ(testing::as_nobody([&] {
              const std::string why = refusal();
              if (why != path() + ": cannot open fathom-store: Permission denied" &&
                  why != "cannot open " + path() + ": Permission denied") {
                throw base::Error(why);
              }
            }),
            0);
}

TEST_F(StoreTest, OfAnotherUserIsNotAddedTo) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root to create files of another user";
  static_cast<void>(opened());
  ASSERT_EQ(::chown(path().c_str(), 65534, 65534), 0);
  EXPECT_EQ(error_of([&] { static_cast<void>(opened()); }),
            path() + " belongs to another user (id 65534), who alone may add snapshots");
  EXPECT_EQ(refusal(), "no error");  // root may read it
}

TEST_F(StoreTest, OnAFullDiskKeepsNothing) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "cannot mount a small filesystem";
  tree_.dir("small");
  const std::string small = tree_.path("small");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k") != 0) {
                throw base::SystemError("cannot mount", errno);
              }
              Store store = Store::open_or_create(small + "/store");
              const auto fills = [](int folder) -> SnapshotMeta {
                NewFile file(folder, "entries.parquet");
                for (;;) file.write(std::string(4096, 'x'));
              };
              const std::string why = error_of([&] { store.add(fills); });
              if (why != "cannot write entries.parquet: No space left on device") {
                throw base::Error(why);
              }
              if (names_below(small + "/store").size() != 2) throw base::Error("a rest is left");
              store.add(writes(meta_at(utc(2026, 11, 23))));  // the space is free again
            }),
            0);
}

}  // namespace
}  // namespace fathom::store
