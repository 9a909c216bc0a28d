// The rules of Fathom: for each, a tree that it must match, and decoys that it must not.

#include "fathom/act/rules.h"

#include <algorithm>
#include <string>

#include "ruled_tree.h"

namespace fathom::act {
namespace {

using RulesTest = RuledTree;

// ---- Tags of caches

TEST_F(RulesTest, ADirectoryWithACacheTagIsSafe) {
  tree_.write("a/CACHEDIR.TAG", kCacheTag);
  files({"a/x"});
  EXPECT_EQ(found(), Lines{"safe cachedir-tag a"});
  EXPECT_EQ(found_.items.front().evidence, Lines{"CACHEDIR.TAG"});
}

TEST_F(RulesTest, ACacheTagMustBeARegularFileWithTheSignature) {
  tree_.write("wrong/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc5");
  tree_.write("late/CACHEDIR.TAG", std::string(" ") + kCacheTag);
  tree_.write("real", kCacheTag);
  tree_.symlink("../real", "linked/CACHEDIR.TAG");
  tree_.fifo("pipe/CACHEDIR.TAG");
  tree_.dir("folder/CACHEDIR.TAG");
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, ACacheTagInAWorkTreeOrAHomeDirectoryIsNotEnough) {
  options_.around.places = {{tree_.path("home"), "your home directory"}};
  tree_.write("home/CACHEDIR.TAG", kCacheTag);
  tree_.write("tree/CACHEDIR.TAG", kCacheTag);
  tree_.write("above/CACHEDIR.TAG", kCacheTag);
  files({"tree/.git/HEAD", "above/x/.git/HEAD"});
  EXPECT_EQ(found(), Lines{});
  EXPECT_EQ(skipped(), (Lines{"above contains a git directory (x/.git)",
                              "home is your home directory", "tree is a git work tree"}));
}

// ---- Cargo

TEST_F(RulesTest, ATargetOfCargoIsSafe) {
  cargo_target("p");
  EXPECT_EQ(found(), Lines{"safe cargo-target p/target"});
  EXPECT_EQ(found_.items.front().evidence, (Lines{".rustc_info.json", "../Cargo.toml"}));
  EXPECT_EQ(found_.items.front().rebuild, "cargo build");
}

TEST_F(RulesTest, ATargetWithoutATagIsOnlyProbablyNotNeeded) {
  files({"p/Cargo.toml", "p/target/.rustc_info.json"});
  EXPECT_EQ(found(), Lines{"probably cargo-target p/target"});
}

TEST_F(RulesTest, ATargetByItsNameAloneIsNothing) {
  files({"no-info/Cargo.toml", "no-info/target/x", "no-project/target/.rustc_info.json"});
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, ALinkToATargetIsNothing) {
  cargo_target("p");
  files({"q/Cargo.toml"});
  tree_.symlink("../p/target", "q/target");
  EXPECT_EQ(found(), Lines{"safe cargo-target p/target"});
}

// ---- Node

TEST_F(RulesTest, InstalledPackagesOfNodeAreSafeWithALockFile) {
  files({"p/package.json", "p/package-lock.json", "p/node_modules/.package-lock.json",
         "p/node_modules/x/index.js"});
  EXPECT_EQ(found(), Lines{"safe node-modules p/node_modules"});
}

TEST_F(RulesTest, InstalledPackagesOfNodeWithoutALockFileAreProbablyNotNeeded) {
  files({"p/package.json", "p/node_modules/.yarn-integrity"});
  EXPECT_EQ(found(), Lines{"probably node-modules p/node_modules"});
}

TEST_F(RulesTest, PackagesOfInstalledProgramsAreNothing) {
  for (const std::string place :
       {"home/.vscode/extensions/x", "usr/lib/x", "opt/x", "srv/program/resources/app"}) {
    files({place + "/package.json", place + "/package-lock.json",
           place + "/node_modules/.package-lock.json"});
  }
  files({"unmarked/package.json", "unmarked/package-lock.json", "unmarked/node_modules/x",
         "alone/node_modules/.package-lock.json"});
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, CachesOfToolsOfNodeAreSafeBesideTheirProject) {
  files({"a/next.config.mjs", "a/.next/BUILD_ID", "a/.next/cache/x", "b/turbo.json",
         "b/package.json", "b/.turbo/x", "c/package.json", "c/.parcel-cache/data.mdb",
         "d/angular.json", "d/.angular/cache/x", "e/package.json", "e/node_modules/.cache/x"});
  EXPECT_EQ(found(),
            (Lines{"safe next-cache a/.next", "safe turbo-cache b/.turbo",
                   "safe parcel-cache c/.parcel-cache", "safe angular-cache d/.angular/cache",
                   "safe node-cache e/node_modules/.cache"}));
}

TEST_F(RulesTest, NamesOfOutputDirectoriesProveNothing) {
  files({"p/package.json", "p/dist/x", "p/out/x", "p/coverage/x", "p/.cache/x", "p/.next/x",
         "p/.turbo/x", "p/.parcel-cache/x", "p/.angular/cache/x", "x/node_modules/.cache/x"});
  EXPECT_EQ(found(), Lines{});
}

// ---- Python

TEST_F(RulesTest, CompiledModulesAreSafeIfTheirSourcesAreThere) {
  files({"p/a.py", "p/__pycache__/a.cpython-311.pyc", "p/__pycache__/a.cpython-311.opt-1.pyc"});
  EXPECT_EQ(found(), Lines{"safe pycache p/__pycache__"});
}

TEST_F(RulesTest, CompiledModulesWithoutSourcesAreYours) {
  files({"p/a.py", "p/__pycache__/a.cpython-311.pyc", "p/__pycache__/lost.cpython-311.pyc"});
  EXPECT_EQ(found(), Lines{"yours pycache p/__pycache__"});
}

TEST_F(RulesTest, ADirectoryOfCompiledModulesWithAnythingElseIsNothing) {
  files({"p/a.py", "p/__pycache__/a.cpython-311.pyc", "p/__pycache__/notes.txt", "q/a.py",
         "q/__pycache__/a.cpython-311.pyc", "q/__pycache__/more/x.pyc"});
  tree_.symlink("/etc/passwd", "r/__pycache__/a.pyc");
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, CachesOfToolsOfPythonAreSafe) {
  for (const std::string name : {".mypy_cache", ".pytest_cache", ".ruff_cache"}) {
    tree_.write("p/" + name + "/CACHEDIR.TAG", kCacheTag);
    files({"untagged/" + name + "/x"});
  }
  files({"t/tox.ini", "t/.tox/py/x", "n/noxfile.py", "n/.nox/x", "alone/.tox/x", "alone/.nox/x"});
  EXPECT_EQ(found(), (Lines{"safe nox n/.nox", "safe python-tools p/.mypy_cache",
                            "safe python-tools p/.pytest_cache", "safe python-tools p/.ruff_cache",
                            "safe tox t/.tox"}));
}

TEST_F(RulesTest, AnEnvironmentIsYoursUnlessAFileSaysWhatWasInstalled) {
  tree_.write("a/.venv/pyvenv.cfg", "home = /usr/bin\n");
  tree_.write("b/env/pyvenv.cfg", "home = /usr/bin\n");
  files({"a/uv.lock", "a/.venv/bin/python", "b/env/bin/python", "c/venv/bin/python"});
  EXPECT_EQ(found(), (Lines{"probably venv a/.venv", "yours venv b/env"}));
}

// ---- Builds

TEST_F(RulesTest, ABuildOutsideOfItsSourcesIsSafe) {
  files({"src/CMakeLists.txt", "build/CMakeFiles/x"});
  tree_.write("build/CMakeCache.txt",
              "A:B=c\nCMAKE_HOME_DIRECTORY:INTERNAL=" + tree_.path("src") + "\n");
  files({"m/meson-private/coredata.dat", "m/meson-info/meson-info.json"});
  EXPECT_EQ(found(), (Lines{"safe cmake-build build", "safe meson-build m"}));
}

TEST_F(RulesTest, ABuildBelowItsSourcesIsSafe) {
  files({"src/CMakeLists.txt", "src/build/CMakeFiles/x"});
  tree_.write("src/build/CMakeCache.txt",
              "CMAKE_HOME_DIRECTORY:INTERNAL=" + tree_.path("src") + "\n");
  EXPECT_EQ(found(), Lines{"safe cmake-build src/build"});
}

TEST_F(RulesTest, ABuildInItsSourcesIsNothing) {
  const auto cache = [this](const std::string& build, const std::string& source) {
    files({build + "/CMakeFiles/x"});
    tree_.write(build + "/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=" + source + "\n");
  };
  cache("in", tree_.path("in"));
  cache("gone", tree_.path("nothing"));
  cache("inside", tree_.path("inside/src"));
  files({"inside/src/x"});
  tree_.symlink("behind", "link");
  cache("behind", tree_.path("link"));
  cache("relative", "../src");
  files({"bfs/build/flags.mk", "meson/meson-private/x"});
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, BuildsOfGradleAndMavenMustBeIgnoredByGit) {
  files({"g/settings.gradle", "g/build/classes/x", "m/pom.xml", "m/target/maven-status/x"});
  EXPECT_EQ(found(), Lines{});
  for (const std::string top : {"g", "m"}) {
    files({top + "/.git/HEAD"});
    tree_.write(top + "/.gitignore", "build/\ntarget/\n");
  }
  EXPECT_EQ(found(), (Lines{"safe gradle-build g/build", "safe maven-target m/target"}));
}

TEST_F(RulesTest, TheRepositoryOfMavenIsYoursIfSomethingWasInstalledIntoIt) {
  files({"home/.m2/repository/org/a/1/a.jar", "home/.gradle/caches/modules-2/x"});
  EXPECT_EQ(found(), (Lines{"probably gradle-caches home/.gradle/caches",
                            "probably maven-repository home/.m2/repository"}));
  files({"home/.m2/repository/org/own/maven-metadata-local.xml"});
  EXPECT_EQ(found().back(), "yours maven-repository home/.m2/repository");
}

TEST_F(RulesTest, OfDotnetObjIsSafeAndBinMustBeIgnoredByGit) {
  files({"p/a.csproj", "p/obj/project.assets.json", "p/bin/Debug/a.dll", "q/obj/x", "q/bin/x"});
  EXPECT_EQ(found(), Lines{"safe dotnet-obj p/obj"});
  files({"p/.git/HEAD"});
  tree_.write("p/.gitignore", "bin/\nobj/\n");
  EXPECT_EQ(found(), (Lines{"probably dotnet-bin p/bin", "safe dotnet-obj p/obj"}));
}

TEST_F(RulesTest, TheBuildCacheOfGoIsSafeAndItsModulesAreLeftToGo) {
  files({"home/.cache/go-build/00/x", "home/.cache/go-build/ff/x",
         "home/go/pkg/mod/cache/download/x"});
  EXPECT_EQ(found(), Lines{"tool go-modules home/go/pkg/mod"});
  tree_.write("home/.cache/go-build/README",
              "This directory holds cached build artifacts from the Go build system.\n");
  EXPECT_EQ(found(),
            (Lines{"safe go-cache home/.cache/go-build", "tool go-modules home/go/pkg/mod"}));
}

// ---- Caches of the user

TEST_F(RulesTest, CachesOfTheUserNeedTheirMarks) {
  files({"home/.cache/pip/http-v2/x", "home/.cache/yarn/v6/x", "home/.npm/_cacache/index-v5/x",
         "home/.npm/_cacache/content-v2/x", "home/.cache/sccache/0/x", "home/.cache/sccache/f/x",
         "home/.cache/thumbnails/large/x", "home/.cache/ccache/0/stats", "home/.cache/ccache/f/x"});
  tree_.write("home/.cache/fontconfig/CACHEDIR.TAG", kCacheTag);
  tree_.write("home/.cache/uv/CACHEDIR.TAG", kCacheTag);
  EXPECT_EQ(found(),
            (Lines{"safe ccache home/.cache/ccache", "safe fontconfig home/.cache/fontconfig",
                   "safe pip-cache home/.cache/pip", "safe sccache home/.cache/sccache",
                   "safe thumbnails home/.cache/thumbnails", "tool uv-cache home/.cache/uv",
                   "safe yarn-cache home/.cache/yarn", "safe npm-cache home/.npm/_cacache"}));
}

TEST_F(RulesTest, ACacheWhoseProgramRunsIsNothing) {
  files({"home/.cache/pip/http-v2/x"});
  options_.around.programs = {"bash", "pip"};
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, CachesOfTheUserByTheirNamesAloneAreNothing) {
  files({"home/.cache/pip/x", "home/.cache/yarn/x", "home/.npm/_cacache/x", "home/.cache/ccache/x",
         "home/.cache/sccache/x", "home/.cache/thumbnails/x", "home/.cache/fontconfig/x",
         "elsewhere/.cache/pip/http-v2/x"});
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, OfBrowsersOnlyTheCachesAreChosen) {
  files({"home/.cache/mozilla/firefox/p/cache2/entries/x", "home/.mozilla/firefox/p/cookies.sqlite",
         "home/.cache/chromium/Default/Cache/Cache_Data/index",
         "home/.config/chromium/Default/Preferences", "home/.config/chromium/Default/Cookies",
         "home/.config/chromium/Default/GPUCache/index",
         "home/.config/chromium/Default/Local Storage/x", "home/.config/Code/User/settings.json",
         "home/.config/Code/GPUCache/index", "home/.config/other/GPUCache/index"});
  EXPECT_EQ(found(), (Lines{"probably chromium-cache home/.cache/chromium/Default/Cache",
                            "probably firefox-cache home/.cache/mozilla/firefox/p/cache2",
                            "probably editor-cache home/.config/Code/GPUCache",
                            "probably chromium-profile-cache "
                            "home/.config/chromium/Default/GPUCache"}));
}

TEST_F(RulesTest, ModelsAreYoursEvenWithACacheTagInside) {
  files({"home/.cache/huggingface/hub/model"});
  tree_.write("home/.cache/huggingface/hub/CACHEDIR.TAG", kCacheTag);
  EXPECT_EQ(found(), Lines{"yours model-cache home/.cache/huggingface"});
}

// ---- The system

TEST_F(RulesTest, PackagesOfTheSystemAreLeftToTheirManagers) {
  files({"var/cache/apt/archives/x.deb", "var/cache/dnf/x", "var/cache/pacman/pkg/x",
         "var/log/journal/x", "var/lib/flatpak/runtime/x", "var/lib/snapd/snaps/x",
         "usr/lib/modules/1.2.3/kernel/x", "var/lib/systemd/coredump/core.x.zst",
         "timeshift/snapshots/x", "srv/.snapshots/1/info.xml", "srv/.fathom-quarantine-0/x"});
  for (const std::string& line : found()) EXPECT_TRUE(line.starts_with("tool ")) << line;
  EXPECT_EQ(found_.items.size(), 11U);
  for (const Candidate& one : found_.items) EXPECT_FALSE(one.command.empty()) << one.path;
}

TEST_F(RulesTest, AnEmptyArchiveOfAptIsNothing) {
  files({"var/cache/apt/archives/lock", "var/cache/apt/archives/partial/x"});
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, ContainersAreLeftToTheirEngineAndVolumesAreYours) {
  files({"var/lib/docker/overlay2/x", "var/lib/docker/volumes/data/_data/x"});
  EXPECT_EQ(found(), (Lines{"tool docker var/lib/docker/overlay2",
                            "yours docker-volumes var/lib/docker/volumes/data"}));
}

// ---- Logs, cores, trash, temporary files

TEST_F(RulesTest, RotatedLogsAreChosenBesideTheLiveLog) {
  files({"a/x.log", "a/x.log.1", "a/x.log.2.gz", "a/x.log-20260101", "a/x-20260102.log",
         "var/log/syslog", "var/log/syslog.1"});
  EXPECT_EQ(found(), (Lines{"probably rotated-logs a/x-20260102.log",
                            "probably rotated-logs a/x.log-20260101",
                            "probably rotated-logs a/x.log.1", "probably rotated-logs a/x.log.2.gz",
                            "probably rotated-logs var/log/syslog.1"}));
}

TEST_F(RulesTest, OtherNamesWithNumbersAreNoRotatedLogs) {
  files({"a/lonely.log.1", "a/tool", "a/tool.1", "a/x.log", "a/x.log.123", "a/x.log.old",
         "a/photo-20260101.jpg", "a/photo.jpg", "a/x.log-2026010"});
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, RecentRotatedLogsAreKept) {
  options_.now -= 75 * kDaySeconds;
  files({"a/x.log", "a/x.log.1"});
  EXPECT_EQ(found(), Lines{});
}

TEST_F(RulesTest, CoreDumpsAreKnownByTheirContent) {
  std::string elf(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  elf.resize(64);
  elf[16] = 4;  // ET_CORE
  tree_.write("a/core.123", elf);
  elf[16] = 2;  // ET_EXEC
  tree_.write("a/core", elf);
  tree_.write("b/core", "the core of the matter");
  tree_.dir("c/core");
  EXPECT_EQ(found(), Lines{"probably core-dumps a/core.123"});
}

TEST_F(RulesTest, OfTheTrashOldItemsAreChosenByTheirRecord) {
  const std::string trash = "home/.local/share/Trash/";
  const auto put = [&](const std::string& name, const std::string& date) {
    files({trash + "files/" + name + "/x"});
    tree_.write(trash + "info/" + name + ".trashinfo",
                "[Trash Info]\nPath=/home/x\nDeletionDate=" + date + "\n");
  };
  put("old", "2020-01-31T08:00:00");
  put("new", "2999-01-31T08:00:00");
  put("odd", "yesterday");
  files({trash + "files/unrecorded"});
  tree_.write(trash + "info/lost.trashinfo", "[Trash Info]\n");
  EXPECT_EQ(found(), (Lines{"probably trash " + trash + "files/old",
                            "probably trash-records " + trash + "info/lost.trashinfo"}));
}

TEST_F(RulesTest, TemporaryFilesAreChosenIfUnusedAndUnlocked) {
  files({"tmp/a/x", "var/tmp/b", "elsewhere/tmp/c"});
  tree_.dir("tmp/.X11-unix");
  tree_.dir("tmp/systemd-private-x");
  tree_.socket("tmp/socket");
  tree_.fifo("tmp/fifo");
  tree_.dir("tmp/sticky");
  tree_.chmod("tmp/sticky", 01755);
  EXPECT_EQ(found(), (Lines{"probably tmp tmp/a", "probably var-tmp var/tmp/b"}));
}

TEST_F(RulesTest, TemporaryFilesThatWereUsedAreKept) {
  options_.now -= 95 * kDaySeconds;
  files({"tmp/a/x"});
  tree_.mtime("tmp/a/x", 1000);  // restored with an old time: its ctime is recent
  tree_.mtime("tmp/a", 1000);
  EXPECT_EQ(found(), Lines{});
}

// ---- Leftovers

TEST_F(RulesTest, LeftoversAreProbablyNotNeeded) {
  files({"a/x.iso.part", "a/y.crdownload", "a/z"});
  tree_.symlink("nothing", "a/dangling");
  tree_.symlink("z", "a/link");
  tree_.dir("b/empty");
  EXPECT_EQ(found(),
            (Lines{"probably dangling-links a/dangling", "probably partial-downloads a/x.iso.part",
                   "probably partial-downloads a/y.crdownload"}));
  const Candidates all = find();
  const auto is_empty = [&](const Candidate& one) { return one.path == tree_.path("b/empty"); };
  EXPECT_EQ(std::count_if(all.items.begin(), all.items.end(), is_empty), 1);
}

TEST_F(RulesTest, EmptyDirectoriesThatProgramsExpectStay) {
  for (const char* expected : {"var/local", "var/cache/adduser", "opt/program/plugins"}) {
    tree_.dir(expected);
  }
  const Candidates all = find();
  EXPECT_TRUE(all.items.empty()) << all.items.front().path;
}

}  // namespace
}  // namespace fathom::act
