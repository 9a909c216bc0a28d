// TimelineFixture: keeps what a timeline writes, and parses it.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/diag/timeline.h"
#include "parsed_trace.h"

namespace fathom::diag {

class TimelineFixture : public ::testing::Test {
 protected:
  Timeline::Sink sink() {
    return [this](std::string_view text) { json_ += text; };
  }
  // Stops the timeline and parses its output.
  ParsedTrace trace_of(Timeline& timeline) {
    summary_ = timeline.stop();
    EXPECT_EQ(summary_.bytes, json_.size());
    ParsedTrace trace(json_);
    EXPECT_TRUE(trace.whole);
    EXPECT_EQ(trace.told_events, summary_.events);
    EXPECT_EQ(trace.told_lost, summary_.lost);
    return trace;
  }
  // The trace of a call during which nothing is read from the ring.
  ParsedTrace trace_unread(std::size_t ring_events, const std::function<void()>& call) {
    base::atomic<bool> waits{false};
    base::atomic<bool> goes_on{false};
    Timeline timeline(
        [&](std::string_view text) {
          json_ += text;
          waits.store(true, base::memory_order_release);
          while (!goes_on.load(base::memory_order_acquire)) std::this_thread::yield();
        },
        {.ring_events = ring_events, .interval = std::chrono::milliseconds(1)});
    while (!waits.load(base::memory_order_acquire)) std::this_thread::yield();
    call();
    goes_on.store(true, base::memory_order_release);
    return trace_of(timeline);
  }

  std::string json_;
  Timeline::Summary summary_;
};

}  // namespace fathom::diag
