// Tests of the rows of the report of threads.

#include "view/threads_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fathom::cli {
namespace {

using std::chrono::milliseconds;

diag::ThreadFigures figures_of(int processor, std::uint64_t waits) {
  diag::ThreadFigures figures;
  figures.processor = milliseconds(processor);
  figures.voluntary_switches = waits;
  return figures;
}

// A thread that lived from `began` to `until`.
diag::RecordedThread thread(const std::string& name, long id, int processor, std::uint64_t waits,
                            int began = 0, int until = 100) {
  diag::RecordedThread thread;
  static_cast<diag::ThreadFigures&>(thread) = figures_of(processor, waits);
  thread.name = name;
  thread.process = 7;
  thread.id = id;
  thread.began = milliseconds(began);
  thread.until = milliseconds(until);
  return thread;
}

diag::ThreadRecording recording_of(std::vector<diag::RecordedThread> threads) {
  diag::ThreadRecording recording;
  recording.elapsed = milliseconds(100);
  recording.threads = std::move(threads);
  for (const diag::RecordedThread& one : recording.threads) recording.total += one;
  recording.total.voluntary_switches = recording.total.voluntary_switches.value_or(0) + 3;
  recording.unseen.voluntary_switches = 3;
  return recording;
}

std::vector<std::string> names_of(const ThreadsSlice& slice) {
  std::vector<std::string> names;
  for (const ThreadsRow& row : slice.rows) {
    names.push_back(row.kind == ThreadsRow::Kind::threads ? row.name : "");
  }
  return names;
}

TEST(ThreadsRows, ThreadsWithOneNameAreOneRow) {
  const auto recording = recording_of(
      {thread("main", 7, 5, 1), thread("worker", 8, 10, 20), thread("worker", 9, 30, 40)});
  const ThreadsSlice whole = whole_of(recording, {});
  ASSERT_EQ(names_of(whole), (std::vector<std::string>{"worker", "main", "", ""}));
  EXPECT_EQ(whole.rows[0].threads, 2U);
  EXPECT_EQ(whole.rows[0].figures.processor, milliseconds(40));
  EXPECT_EQ(whole.rows[0].figures.voluntary_switches, 60U);
  EXPECT_EQ(whole.rows[2].kind, ThreadsRow::Kind::rest);
  EXPECT_EQ(whole.rows[2].figures.voluntary_switches, 3U);
  EXPECT_EQ(whole.rows[3].kind, ThreadsRow::Kind::all);
  EXPECT_EQ(whole.rows[3].threads, 3U);
  EXPECT_EQ(whole.rows[3].figures.voluntary_switches, 64U);
}

TEST(ThreadsRows, NamesThatDifferInTheirLastNumberAreOneRow) {
  const auto recording =
      recording_of({thread("worker-1", 7, 1, 1), thread("worker-22", 8, 2, 2),
                    thread("x86", 9, 3, 3), thread("42", 10, 0, 0), thread("43", 11, 0, 0)});
  const ThreadsSlice whole = whole_of(recording, {});
  EXPECT_EQ(names_of(whole), (std::vector<std::string>{"worker-*", "x86", "42", "43", "", ""}));
  EXPECT_EQ(whole.rows[0].threads, 2U);
  ThreadsRequest request;
  request.by = ThreadsBy::name;
  EXPECT_EQ(names_of(whole_of(recording, request)),
            (std::vector<std::string>{"x86", "worker-22", "worker-1", "42", "43", "", ""}));
}

TEST(ThreadsRows, EachThreadHasARowIfRequested) {
  const auto recording = recording_of({thread("worker", 8, 10, 20), thread("worker", 9, 30, 40)});
  ThreadsRequest request;
  request.by = ThreadsBy::thread;
  const ThreadsSlice whole = whole_of(recording, request);
  ASSERT_EQ(whole.rows.size(), 4U);
  EXPECT_EQ(whole.rows[0].thread, 9);
  EXPECT_EQ(whole.rows[1].thread, 8);
  EXPECT_EQ(whole.rows[1].process, 7);
}

TEST(ThreadsRows, AreSortedAsRequested) {
  const auto recording = recording_of(
      {thread("a", 7, 1, 9), thread("b", 8, 9, 1), thread("c", 9, 5, 5), thread("d", 10, 5, 5)});
  const auto sorted_by = [&](ThreadsOrder order) {
    ThreadsRequest request;
    request.order = order;
    std::string names;
    for (const ThreadsRow& row : whole_of(recording, request).rows) names += row.name;
    return names;
  };
  EXPECT_EQ(sorted_by(ThreadsOrder::processor), "bcda");
  EXPECT_EQ(sorted_by(ThreadsOrder::waits), "acdb");
  EXPECT_EQ(sorted_by(ThreadsOrder::name), "abcd");
  EXPECT_EQ(sorted_by(ThreadsOrder::migrations), "abcd");  // unknown
}

TEST(ThreadsRows, BeyondTheTopAreSummedUp) {
  const auto recording =
      recording_of({thread("a", 7, 9, 1), thread("b", 8, 8, 2), thread("c", 9, 7, 3)});
  ThreadsRequest request;
  request.top = 1;
  const ThreadsSlice whole = whole_of(recording, request);
  ASSERT_EQ(whole.rows.size(), 4U);
  EXPECT_EQ(whole.rows[1].kind, ThreadsRow::Kind::others);
  EXPECT_EQ(whole.rows[1].threads, 2U);
  EXPECT_EQ(whole.rows[1].figures.processor, milliseconds(15));
  request.top = 3;
  EXPECT_EQ(names_of(whole_of(recording, request)),
            (std::vector<std::string>{"a", "b", "c", "", ""}));
}

TEST(ThreadsRows, SlicesAddUpToTheWhole) {
  auto recording = recording_of({thread("main", 7, 60, 30), thread("late", 8, 10, 6, 60, 90)});
  recording.threads[0].samples = {{milliseconds(20), figures_of(10, 4)},
                                  {milliseconds(45), figures_of(35, 10)},
                                  {milliseconds(80), figures_of(50, 20)}};
  recording.threads[1].samples = {{milliseconds(80), figures_of(8, 5)}};
  ThreadsRequest request;
  request.slices = 2;
  const auto slices = slices_of(recording, request);
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].to, milliseconds(50));
  ASSERT_EQ(names_of(slices[0]), std::vector<std::string>{"main"});
  EXPECT_EQ(slices[0].rows[0].figures.voluntary_switches, 10U);
  ASSERT_EQ(names_of(slices[1]), (std::vector<std::string>{"main", "late"}));
  EXPECT_EQ(slices[1].rows[0].figures.voluntary_switches, 20U);
  EXPECT_EQ(slices[1].rows[0].figures.processor, milliseconds(25));
  EXPECT_EQ(slices[1].rows[1].figures.voluntary_switches, 6U);
}

TEST(ThreadsRows, ASliceCountsTheSleepInIt) {
  auto recording = recording_of({thread("main", 7, 20, 0)});
  recording.threads[0].run_delay = milliseconds(5);
  diag::ThreadFigures first = figures_of(15, 0);
  first.run_delay = milliseconds(5);
  recording.threads[0].samples = {{milliseconds(50), first}};
  ThreadsRequest request;
  request.slices = 2;
  const auto slices = slices_of(recording, request);
  EXPECT_EQ(slices.at(0).rows.at(0).asleep, milliseconds(50 - 15 - 5));
  EXPECT_EQ(slices.at(1).rows.at(0).asleep, milliseconds(50 - 5));
  EXPECT_EQ(whole_of(recording, {}).rows.at(0).asleep, milliseconds(100 - 20 - 5));
}

TEST(ThreadsTable, OmitsARestOfNothing) {
  auto recording = recording_of({thread("main", 7, 20, 0)});
  const ThreadsSlice with_rest = whole_of(recording, {});
  EXPECT_EQ(short_table(with_rest, ThreadsBy::family, "Threads").rows(), 3U);
  recording.unseen = {};
  recording.unseen.processor = std::chrono::microseconds(900);  // read at different times
  const ThreadsSlice without_rest = whole_of(recording, {});
  EXPECT_EQ(short_table(without_rest, ThreadsBy::family, "Threads").rows(), 2U);
  EXPECT_EQ(full_table({without_rest}, ThreadsBy::family, false).rows(), 3U);
}

}  // namespace
}  // namespace fathom::cli
