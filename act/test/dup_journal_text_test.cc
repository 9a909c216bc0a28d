// The text of a journal: what is read from it wherever it ends, and what is refused.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "dups/journal_text.h"
#include "fathom/base/error.h"
#include "fathom/fs/source.h"
#include "text/journal_lines.h"

namespace fathom::act {
namespace {

const JournalHead kHead = {"0123456789abcdef", DupAction::quarantine, {"/srv", "/"}, "/away"};

JournalText read(std::string_view text) {
  return read_journal(fs::text_source(text));
}

std::string begun(std::uint64_t act, const std::string& path) {
  return begin_line(act, 0, path, {2049, 7, 5, -1, 0});
}

// The error of read_journal().
std::string refusal_of(std::string_view text) {
  try {
    (void)read(text);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(JournalText, IsReadAsItWasWritten) {
  const std::string text = head_line(kHead) + begun(0, "a") + begun(3, "deep/\xff\n") +
                           end_line(3, ActEnd::done) + end_line(0, ActEnd::done) +
                           end_line(0, ActEnd::undone);
  const JournalText journal = read(text);
  EXPECT_EQ(journal.head, kHead);
  EXPECT_EQ(journal.length, text.size());
  ASSERT_EQ(journal.entries.size(), 2U);
  EXPECT_EQ(journal.entries.at(0).stage, JournalStage::begun);
  EXPECT_EQ(journal.entries.at(3).stage, JournalStage::done);
  EXPECT_EQ(journal.entries.at(3).path, "deep/\xff\n");
  EXPECT_EQ(journal.entries.at(3).identity, (fs::FileIdentity{2049, 7, 5, -1, 0}));
}

// A run that could not be undone must not begin.
TEST(JournalText, HasRoomForThousandsOfRootsOrIsNotWritten) {
  JournalHead head = kHead;
  head.roots.push_back('/' + std::string(std::size_t{2} << 20, 'n'));
  EXPECT_EQ(read(head_line(head)).head, head);
  head.roots.push_back('/' + std::string(std::size_t{64} << 20, 'n'));
  EXPECT_THROW((void)head_line(head), base::Error);
}

TEST(JournalText, ARefusedActWasNeverBegun) {
  const std::string text =
      head_line(kHead) + begun(0, "a") + begun(1, "b") + end_line(0, ActEnd::refused);
  const JournalText journal = read(text);
  EXPECT_EQ(journal.length, text.size());
  ASSERT_EQ(journal.entries.size(), 1U);
  EXPECT_EQ(journal.entries.count(0), 0U);
}

TEST(JournalText, IsReadUpToTheLastCompleteLineWhereverItIsTruncated) {
  const std::string text =
      head_line(kHead) + begun(0, "a") + begun(1, "b") + end_line(0, ActEnd::done);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string part = text.substr(0, length);
    const JournalText journal = read(part);
    EXPECT_EQ(journal.length, part.rfind('\n') + 1);  // 0: there is none
    EXPECT_EQ(journal.head.has_value(), journal.length > 0);
    EXPECT_EQ(journal.torn_head, journal.head ? "" : part);
  }
}

// A filesystem may have allocated space for lines that a power cut prevented from being written.
TEST(JournalText, EndsAtZerosLeftByAPowerCut) {
  const std::string whole = head_line(kHead) + begun(0, "a");
  for (const std::string& behind : {std::string(100, '\0'), std::string(100, '\0') + '\n',
                                    std::string(9, '\0') + end_line(0, ActEnd::done),
                                    "{\"done" + std::string(9, '\0') + ":0}\n" + begun(1, "b"),
                                    std::string(3, '\0') + "\nno"}) {
    const JournalText journal = read(whole + behind);
    EXPECT_EQ(journal.length, whole.size());
    EXPECT_EQ(journal.entries.size(), 1U);
    EXPECT_EQ(journal.entries.at(0).stage, JournalStage::begun);
  }
}

TEST(JournalText, AHeadThatAPowerCutHasReplacedByZerosIsTorn) {
  const std::string start = head_line(kHead).substr(0, 20);
  EXPECT_EQ(read(start + std::string(100, '\0')).torn_head, start);
  EXPECT_EQ(read(std::string(100, '\0')).torn_head, "");
}

// It would be cut: an MP4 begins with zeros, and so does the image of a disk.
TEST(JournalText, AFileThatBeginsLikeATornHeadIsNotAJournal) {
  const std::string zeros(3, '\0');
  for (const std::string& text :
       {zeros + "\x18" + "ftypmp42", zeros + "\n", zeros + "x\n" + zeros, zeros + "\n" + zeros,
        head_line(kHead).substr(0, 20) + zeros + "x", std::string(100'000, '\0') + "ext4"}) {
    EXPECT_EQ(refusal_of(text), kNotAJournal);
  }
}

TEST(JournalText, ARootNumberOf2ToThe32IsNotTheFirstRoot) {
  std::string line = begun(0, "a");
  line.replace(line.find("\"root\":0"), 8, "\"root\":4294967296");
  EXPECT_EQ(refusal_of(head_line(kHead) + line), "line 2 of the journal: unknown root");
}

TEST(JournalText, APathThatLeadsOutOfTheRootIsRefused) {
  for (const char* path : {"../a", "a/../../b", "/a", "", "."}) {
    EXPECT_NE(refusal_of(head_line(kHead) + begun(0, path)).find("is not a path below a root"),
              std::string::npos);
  }
  JournalHead relative = kHead;
  relative.roots = {"srv"};
  EXPECT_NE(refusal_of(head_line(relative)).find("is not an absolute path"), std::string::npos);
}

TEST(JournalText, UnknownLinesAreRefused) {
  const std::string head = head_line(kHead);
  EXPECT_EQ(refusal_of(head + end_line(0, ActEnd::done)),
            "line 2 of the journal: this act was never begun");
  EXPECT_NE(refusal_of(head + head), "nothing");
  EXPECT_NE(refusal_of(head + "{\"begin\":0}\n"), "nothing");
  EXPECT_NE(refusal_of(head + "{}\n"), "nothing");
  EXPECT_NE(refusal_of(head + "\n"), "nothing");
  std::string later = head;
  later.replace(later.find("journal/1"), 9, "journal/2");
  EXPECT_NE(refusal_of(later).find("later version"), std::string::npos);
}

}  // namespace
}  // namespace fathom::act
