// The text of differences between snapshots.

#include "view/diff_view.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "columns.h"
#include "written.h"

namespace fathom::cli {
namespace {

using store::DiffDirectory;
using State = store::DiffDirectory::State;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::int64_t kMinuteNs = 60'000'000'000;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A difference in which everything occurs.
struct Sample {
  Sample() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    from.id = "d5d97e4c349b4988";
    from.started_ns = 1'763'625'600 * std::int64_t{1'000'000'000};  // 2025-11-20 08:00
    from.ended_ns = from.started_ns + 12 * kMinuteNs;
    to.id = "c425be8c9b33a492";
    to.started_ns = to.ended_ns = from.started_ns + 3 * 24 * 60 * kMinuteNs;
    diff.before = 588 * kMiB;
    diff.after = 612 * kMiB;
    diff.balance = {.created = 30 * kMiB,
                    .grown = 5 * kMiB,
                    .removed = 10 * kMiB,
                    .shrunk = kMiB,
                    .moved_in = 0,
                    .moved_out = 0,
                    .reattributed = 0};
    add("/usr", DiffDirectory::kNoParent, State::kept, 588, 612);
    add("lib", 0, State::kept, 100, 134);
    add("share", 0, State::kept, 50, 40);
    add("doc", 2, State::removed, 10, 0);
    add("python", 1, State::created, 0, 30);
    add("x\xff\n", 1, State::kept, 10, 14);
    diff.changed = {{item("/usr/lib/x\xff\n/file", 10, 14), item("/usr/bin/less", 2, 1)}, 9};
    diff.created = {{item("/usr/lib/python", 0, 30, fs::Kind::directory)}, 1};
    diff.removed = {{item("/usr/share/doc", 10, 0, fs::Kind::directory)}, 1};
    diff.moved = {{item("/usr/lib/new/" + std::string(60, 'n'), 7, 7)}, 1};
    diff.moved.items[0].from = "/usr/old";
    diff.owners = {{.id = 0, .name = "root", .added = 35 * kMiB, .taken = 11 * kMiB},
                   {.id = 1234, .name = "", .added = 0, .taken = 0}};
    diff.extensions = {{.id = 0, .name = "", .added = 0, .taken = kMiB}};
    diff.notes = {"another filesystem is at /usr now"};
  }

  void add(const std::string& name, std::size_t parent, State state, std::uint64_t before,
           std::uint64_t after) {
    diff.directories.push_back({.name = name,
                                .parent = parent,
                                .state = state,
                                .before = before * kMiB,
                                .after = after * kMiB});
  }
  static store::DiffItem item(const std::string& path, std::uint64_t before, std::uint64_t after,
                              fs::Kind kind = fs::Kind::file) {
    return {.path = path, .kind = kind, .before = before * kMiB, .after = after * kMiB};
  }

  [[nodiscard]] std::string text(const View& view, bool kept = true) const {
    const store::DiffReport report{
        .diff = diff,
        .from = from,
        .to = to,
        .to_is_kept = kept,
        .by = {store::DiffBy::directory, store::DiffBy::owner, store::DiffBy::extension}};
    return written_by([&](fs::Blocks& blocks) { write_diff_view(report, view, blocks); });
  }

  store::Diff diff;
  store::SnapshotMeta from;
  store::SnapshotMeta to;
};

TEST(DiffView, ShowsEverythingOnAWideTerminal) {
  EXPECT_EQ(Sample().text(view_of_width(100)),
            R"(588 MiB  2025-11-20 08:00 to 08:12, d5d97e4c
612 MiB  2025-11-23 08:00, c425be8c
+24 MiB  created +30 MiB, grown +5.0 MiB, removed -10 MiB, shrunk -1.0 MiB

Another filesystem is at /usr now.

Changes by directory
 +24 MiB            │███████     612 MiB  /usr/
 +34 MiB            │██████████  134 MiB  ├─ lib/
 +30 MiB            │████████▉    30 MiB  │  ├─ python/ (new)
+4.0 MiB            │█▏           14 MiB  │  └─ x\xff\n/
 -10 MiB         ███│             40 MiB  └─ share/doc/ (gone)

Grown and shrunk
+4.0 MiB  /usr/lib/x\xff\n/file
-1.0 MiB  /usr/bin/less
          and 7 more

New
+30 MiB  /usr/lib/python/

Gone
-10 MiB  /usr/share/doc/

Moved
7.0 MiB  /usr/old -> /usr/lib/new/nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn

Changes by owner
+24 MiB  root
    0 B  1234

Changes by extension
-1.0 MiB  (no extension)
)");
}

TEST(DiffView, FitsEveryWidth) {
  Sample sample;
  std::size_t parent = 4;
  for (int level = 0; level < 60; ++level) {
    sample.add("level-" + std::to_string(level), parent, State::kept, 0, 30);
    sample.add("other-" + std::to_string(level), parent, State::kept, 1, 9);
    parent = sample.diff.directories.size() - 2;
  }
  for (unsigned width = kMinimumWidth; width <= 200; ++width) {
    for (const std::string& line : lines_of(sample.text(view_of_width(width)))) {
      EXPECT_LE(columns_of(line), width) << line;
    }
  }
}

TEST(DiffView, FitsTheHeight) {
  Sample sample;
  for (int i = 0; i < 100; ++i) {
    sample.add("directory-" + std::to_string(i), 0, State::kept, 1, 2);
    sample.diff.created.items.push_back(Sample::item("/usr/" + std::to_string(i), 0, 1));
  }
  sample.diff.created.count = 101;
  sample.diff.owners.clear();
  sample.diff.extensions.clear();
  sample.diff.notes.assign(3, std::string(100, 'n'));
  for (unsigned height = 30; height <= 80; ++height) {
    EXPECT_LT(lines_of(sample.text(view_of_width(80, height))).size(), height);
  }
  EXPECT_NE(sample.text(view_of_width(80, 40)).find("more directories"), std::string::npos);
}

TEST(DiffView, CutsNothingInAPipe) {
  View view = view_of_width(40);
  view.terminal.person = false;
  const std::string text = Sample().text(view);
  EXPECT_NE(text.find("/usr/old -> /usr/lib/new/" + std::string(60, 'n') + '\n'),
            std::string::npos);
}

TEST(DiffView, IsAsciiWithoutUnicode) {
  View view = view_of_width(60);
  view.terminal.unicode = false;
  const std::string text = Sample().text(view);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << text;
  EXPECT_NE(text.find("##|        `- share/doc/ (gone)"), std::string::npos) << text;
}

TEST(DiffView, ColoursOnlyIfItMay) {
  View view = view_of_width(80);
  EXPECT_EQ(Sample().text(view).find('\x1b'), std::string::npos);
  view.terminal.color = true;
  EXPECT_NE(Sample().text(view).find("\x1b[1;34m"), std::string::npos);
}

TEST(DiffView, HasOneFactPerLineIfPlain) {
  View view = view_of_width(80);
  view.plain = true;
  const std::string text = Sample().text(view, false);
  EXPECT_NE(text.find("After: 612 MiB, 2025-11-23 08:00, now\n"), std::string::npos) << text;
  EXPECT_LT(text.find("\n\nAnother filesystem is at /usr now.\n"), text.find("\ngrown by"));
  EXPECT_NE(text.find("\ngrown by 34 MiB to 134 MiB: /usr/lib\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnew, 30 MiB: /usr/lib/python\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\ngone, 10 MiB: /usr/share/doc\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n7.0 MiB, file from /usr/old to /usr/lib/new/"), std::string::npos);
  EXPECT_NE(text.find("\nand 7 more\n"), std::string::npos);
  EXPECT_EQ(text.find("│"), std::string::npos);
}

TEST(DiffView, SaysThatNoSizesChangedUnlessATableSaysOtherwise) {
  Sample sample;
  sample.diff = {};
  View plain = view_of_width(80);
  plain.plain = true;
  for (const View& view : {view_of_width(80), plain}) {
    sample.diff.owners = {};
    EXPECT_NE(sample.text(view).find("\nNo sizes changed.\n"), std::string::npos);
    sample.diff.owners = {{.id = 2, .name = "bin", .added = 8192},
                          {.id = 0, .name = "root", .taken = 8192}};
    const std::string text = sample.text(view);
    EXPECT_NE(text.find("\nChanges by owner\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("changed"), std::string::npos) << text;
  }
}

TEST(DiffView, ShowsAsManyLinesAsAsked) {
  View view = view_of_width(100);
  view.top = 1;
  const std::string text = Sample().text(view);
  EXPECT_NE(text.find("\n+4.0 MiB  /usr/lib/x\\xff\\n/file\n          and 8 more\n"),
            std::string::npos)
      << text;
  view.depth = 0;
  EXPECT_EQ(Sample().text(view).find("lib/\n"), std::string::npos);
}

}  // namespace
}  // namespace fathom::cli
