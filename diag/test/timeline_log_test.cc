// Tests of texts on the timeline.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fathom/diag/span.h"
#include "fathom/diag/timeline.h"
#include "parsed_trace.h"
#include "timeline_fixture.h"

namespace fathom::diag {
namespace {

class TimelineLog : public TimelineFixture {
 protected:
  // The texts that were logged, without quotation marks in them.
  static std::vector<std::string> logged(const ParsedTrace& trace) {
    std::vector<std::string> texts;
    for (const ParsedEvent& event : trace.events) {
      if (event.category == "log") texts.push_back(event.name);
    }
    return texts;
  }
  // What becomes of one text.
  std::string logged_as(std::string_view text) {
    json_.clear();
    Timeline timeline(sink());
    log(text);
    const std::vector<std::string> texts = logged(trace_of(timeline));
    return texts.size() == 1 ? texts.front() : "logged " + std::to_string(texts.size()) + " texts";
  }
};

TEST_F(TimelineLog, IsAnInstantWithItsText) {
  Timeline timeline(sink());
  name_thread("loader");
  std::string text = "loaded 3 maps";
  log(text);
  text = "overwritten!!";  // the text was copied
  const ParsedTrace trace = trace_of(timeline);
  const auto events = trace.named("loaded 3 maps");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.front().phase, 'i');
  EXPECT_EQ(events.front().category, "log");
  EXPECT_EQ(events.front().track, trace.track_named("loader"));
  EXPECT_EQ(summary_.events, 1U);
}

TEST_F(TimelineLog, IsNothingWithoutATimeline) {
  log("nobody listens");
  Timeline timeline(sink());
  EXPECT_TRUE(logged(trace_of(timeline)).empty());
}

TEST_F(TimelineLog, KeepsTextsOfEveryLength) {
  for (std::size_t length = 0; length <= 256; ++length) {
    const std::string text(length, 'x');
    ASSERT_EQ(logged_as(text), text);
  }
}

TEST_F(TimelineLog, CutsALongTextWithAMark) {
  EXPECT_EQ(logged_as(std::string(257, 'x')), std::string(253, 'x') + "...");
  EXPECT_EQ(logged_as(std::string(100'000, 'x')), std::string(253, 'x') + "...");
}

TEST_F(TimelineLog, CutsBetweenCharacters) {
  const std::string rest(100, 'x');
  for (const std::string character : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xb3"}) {
    const std::string fits(253 - character.size(), 'x');
    EXPECT_EQ(logged_as(fits + character + rest), fits + character + "...");
    for (std::size_t inside = 1; inside < character.size(); ++inside) {
      const std::string before = fits + std::string(inside, 'x');
      EXPECT_EQ(logged_as(before + character + rest), before + "...");
    }
  }
}

TEST_F(TimelineLog, EscapesWhatJsonCannotContain) {
  Timeline timeline(sink());
  log("say \"no\" \\ \n\x01 \xff");
  trace_of(timeline);
  EXPECT_NE(json_.find(R"("name":"say \"no\" \\ \u000a\u0001 \ufffd")"), std::string::npos)
      << json_;
}

TEST_F(TimelineLog, KeepsItsPlaceAmongOtherEvents) {
  constexpr std::uint32_t kRounds = 3000;  // more slots than are read at a time
  Timeline timeline(sink());
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    record_span("numbered", begin_span(), i);
    log(std::to_string(i) + std::string(i % 97, 'x'));
  }
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(summary_.lost, 0U);
  ASSERT_EQ(trace.events.size(), 2 * kRounds);
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    ASSERT_EQ(trace.events[2 * i].number, i);
    ASSERT_EQ(trace.events[2 * i + 1].name, std::to_string(i) + std::string(i % 97, 'x'));
    ASSERT_LE(trace.events[2 * i].end(), trace.events[2 * i + 1].begin);
  }
}

TEST_F(TimelineLog, ComesFromAnyThread) {
  constexpr unsigned kLoggers = 4;
  constexpr unsigned kTexts = 2000;
  Timeline timeline(sink());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kLoggers; ++i) {
    threads.emplace_back([i] {
      name_thread("logger " + std::to_string(i));
      for (unsigned k = 0; k < kTexts; ++k) {
        log("logger " + std::to_string(i) + " has come to text " + std::to_string(k));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ParsedTrace trace = trace_of(timeline);
  EXPECT_EQ(summary_.lost, 0U);
  for (unsigned i = 0; i < kLoggers; ++i) {
    const std::string name = "logger " + std::to_string(i);
    unsigned k = 0;
    for (const ParsedEvent& event : trace.events) {
      if (event.track != trace.track_named(name)) continue;
      ASSERT_EQ(event.name, name + " has come to text " + std::to_string(k++));
    }
    EXPECT_EQ(k, kTexts);
  }
}

// The writer does not read meanwhile, so exactly so many slots are free.
TEST_F(TimelineLog, IsLostAsOneEventIfItDoesNotFit) {
  const ParsedTrace trace = trace_unread(5, [] {
    log(std::string(32 * 5, 'a'));      // would need 6 slots
    log(std::string(32 * 3 + 1, 'b'));  // needs all 5
    log("c");                           // no slot is left
    instant("d");
  });
  EXPECT_EQ(logged(trace), (std::vector<std::string>{std::string(32 * 3 + 1, 'b')}));
  EXPECT_EQ(summary_.lost, 3U);
}

}  // namespace
}  // namespace fathom::diag
