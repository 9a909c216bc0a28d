// Exports of real trees: read back by us, and read and written by ncdu and gdu.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/totals.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/subprocess.h"
#include "fathom/testing/temp_tree.h"
#include "ncdu_text.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

bool is_installed(const std::string& program) {
  try {
    testing::run({program, "--help"});
    return true;
  } catch (const base::SystemError&) {
    return false;
  }
}

Scan scanned(const std::string& root, bool read_links = false) {
  ScanOptions options;
  options.roots = {root};
  options.read_links = read_links;
  return scan(options);
}

// One entry of every kind, except times before 1970, which ncdu's format cannot hold. Names of any
// bytes where the filesystem permits them.
void fill(TempTree& tree) {
  testing::generate(tree, {.directories = 40, .hard_links = 30, .symlinks = 10});
  tree.dir("empty");
  tree.sparse("sparse", 1ULL << 40);
  tree.fifo("fifo");
  tree.socket("socket");
  tree.symlink("nowhere", "dangling");
  tree.hardlink("dangling", "dangling too");
  tree.file("future", 10);
  tree.mtime("future", 13'569'465'600);
  tree.deep_chain("deep", 300);
  for (int byte = 1; byte < 256; ++byte) {
    if (byte == '/' || byte == '.') continue;
    const std::string name(1, static_cast<char>(byte));
    try {
      tree.file("bytes/" + name + "/" + name, 1);
    } catch (const base::Error&) {  // some filesystems require UTF-8
    }
  }
}

// Made once; no test changes it.
const TempTree& filled() {
  static const std::unique_ptr<const TempTree> tree = [] {
    auto made = std::make_unique<TempTree>();
    fill(*made);
    return made;
  }();
  return *tree;
}

// The sums of each directory, by path.
std::vector<std::string> sums_of(const Scan& scan) {
  const Totals totals(scan.tree);
  std::vector<std::string> sums;
  scan.tree.for_each_directory([&](DirId id) {
    const Counts counts = totals.below(id);
    std::string line = scan.tree.path(scan.tree.node(id));
    for (const std::uint64_t count : {counts.files, counts.dirs, counts.symlinks, counts.others,
                                      counts.disk_bytes, counts.apparent_bytes}) {
      line += ' ' + std::to_string(count);
    }
    sums.push_back(line + (totals.lower_bound(id) ? " or more" : ""));
  });
  std::sort(sums.begin(), sums.end());
  return sums;
}

std::string described(const std::vector<ScanError>& errors) {
  std::string text;
  for (const ScanError& error : errors) {
    text += error.path + ": " + error.operation + ": " + std::to_string(error.code) + "\n";
  }
  return text;
}

void expect_survives(const Scan& scan) {
  const std::string text = export_of(scan);
  const Scan back = import_of(text).scan;
  EXPECT_TRUE(export_of(back) == text);
  EXPECT_TRUE(all_paths(back.tree) == all_paths(scan.tree));
  EXPECT_EQ(sums_of(back), sums_of(scan));
  EXPECT_EQ(described(back.errors), described(scan.errors));
}

TEST(NcduRoundTrip, PreservesARealTree) {
  const Scan scan = scanned(filled().path());
  ASSERT_TRUE(scan.complete()) << described(scan.errors);
  ASSERT_GT(Totals(scan.tree).whole().entries(), 700U);
  expect_survives(scan);
}

TEST(NcduRoundTrip, PreservesTimesBefore1970) {
  TempTree tree;
  tree.file("old", 10);
  tree.mtime("old", -86'400);
  const Scan scan = scanned(tree.path());
  expect_survives(scan);
  const Scan back = import_of(export_of(scan)).scan;
  EXPECT_EQ(back.tree.mtime(find_node(back.tree, tree.path("old"))), -86'400);
}

TEST(NcduRoundTrip, PreservesTargetsOfLinks) {
  TempTree tree;
  tree.symlink("\xff\n", "dangling");
  tree.symlink(".", "here");
  const Scan scan = scanned(tree.path(), true);
  expect_survives(scan);
  const Scan back = import_of(export_of(scan)).scan;
  const auto target = back.tree.link_target(find_node(back.tree, tree.path("dangling")));
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->path, "\xff\n");
  EXPECT_EQ(target->end, LinkEnd::missing);
}

TEST(NcduRoundTrip, PreservesReadErrors) {
  TempTree tree;
  tree.file("closed/file", 10);
  tree.file("listed only/file", 10);
  tree.file("open/file", 10);
  tree.chmod("closed", 0);
  tree.chmod("listed only", 0444);
  const auto checked = [&] {
    const Scan scan = scanned(tree.path());
    if (scan.errors.size() != 2) throw base::Error("errors: " + described(scan.errors));
    expect_survives(scan);
    if (::testing::Test::HasFailure()) throw base::Error("it was not preserved");
  };
  EXPECT_EQ(testing::as_nobody(checked), 0);
  tree.chmod("listed only", 0755);
}

TEST(NcduRoundTrip, PreservesThatAScanWasInterrupted) {
  const rt::CancelSource source;
  ScanOptions options;
  options.roots = {filled().path()};
  options.engine = Engine::serial;
  options.cancel = source.token();
  options.max_operations_per_second = 20;  // so that it cannot finish before it is cancelled
  options.progress_interval = std::chrono::milliseconds(1);
  options.progress = [&](const Progress& known) {
    if (known.entries > 0) source.cancel();
  };
  const Scan scan = fs::scan(options);
  ASSERT_TRUE(scan.cancelled);
  ASSERT_TRUE(scan.errors.empty());
  expect_survives(scan);
  const Scan back = import_of(export_of(scan)).scan;
  EXPECT_TRUE(back.cancelled);
  EXPECT_TRUE(back.errors.empty()) << described(back.errors);
  EXPECT_TRUE(Totals(back.tree).lower_bound(directory_at(back.tree, back.tree.roots().front())));
}

TEST(NcduRoundTrip, ReadsADescriptor) {
  const Scan scan = scanned(filled().path());
  const std::string text = export_of(scan);
  TempTree folder;
  folder.write("export", text);
  const int descriptor = ::open(folder.path("export").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  EXPECT_TRUE(export_of(read_ncdu(descriptor_source(descriptor)).scan) == text);
  ::close(descriptor);
}

TEST(Ncdu, ReadsOurExportAndWritesTheSameTree) {
  if (!is_installed("ncdu")) GTEST_SKIP() << "ncdu is not installed";
  const std::string ours = export_of(scanned(filled().path()));
  TempTree folder;
  folder.write("ours", ours);
  const auto result = testing::run({"ncdu", "-0", "-e", "-f", folder.path("ours"), "-o", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const NcduImport theirs = import_of(result.out);
  EXPECT_EQ(theirs.program, "ncdu");
  EXPECT_TRUE(export_of(theirs.scan) == ours);
}

TEST(Ncdu, FindsTheSameTree) {
  if (!is_installed("ncdu")) GTEST_SKIP() << "ncdu is not installed";
  const auto result = testing::run({"ncdu", "-0", "-e", "-o", "-", filled().path()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(export_of(import_of(result.out).scan) == export_of(scanned(filled().path())));
}

TEST(Ncdu, WithoutExtendedModeHasTheSameSums) {
  if (!is_installed("ncdu")) GTEST_SKIP() << "ncdu is not installed";
  const auto result = testing::run({"ncdu", "-0", "-o", "-", filled().path()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(sums_of(import_of(result.out).scan), sums_of(scanned(filled().path())));
}

TEST(Gdu, ExportsWhatWeReadExceptForDirectories) {
  if (!is_installed("gdu")) GTEST_SKIP() << "gdu is not installed";
  TempTree tree;
  tree.file("a/file", 1000);
  tree.file("a/b/file", 5000);
  tree.symlink("file", "a/link");
  TempTree folder;
  const auto result = testing::run({"gdu", "-n", "-o", folder.path("export"), tree.path()},
                                   {"HOME=" + folder.path()});
  ASSERT_EQ(result.status, 0) << result.err;
  const int descriptor = ::open(folder.path("export").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  const NcduImport found = read_ncdu(descriptor_source(descriptor));
  ::close(descriptor);
  EXPECT_EQ(found.program, "gdu");
  const Scan live = scanned(tree.path());
  EXPECT_EQ(all_paths(found.scan.tree), all_paths(live.tree));
  const Counts whole = Totals(found.scan.tree).whole();
  EXPECT_EQ(whole.files, 2U);
  EXPECT_EQ(whole.symlinks, 1U);
  EXPECT_EQ(whole.apparent_bytes, 6004U);
}

TEST(Gdu, ReadsOurExport) {
  if (!is_installed("gdu")) GTEST_SKIP() << "gdu is not installed";
  TempTree folder;
  folder.write("ours", export_of(scanned(filled().path())));
  const auto result =
      testing::run({"gdu", "-n", "-c", "-f", folder.path("ours")}, {"HOME=" + folder.path()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("sparse"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace fathom::fs
