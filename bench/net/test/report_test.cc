// Tests of the lines that a measurement is reported as.

#include "net/client/report.h"

#include <gtest/gtest.h>

namespace fathom::bench {
namespace {

Measurement measured() {
  Measurement one;
  one.messages = 1000;
  one.round_trips = {0.0001, 0.00009, 0.0002, 0.0003};
  one.seconds = 0.005;
  one.client_seconds = 0.003;
  one.server.emplace();
  one.server->work.processor_time = std::chrono::milliseconds(4);
  one.server->work.threads.push_back({1, "acceptor", 3, 4});
  for (int i = 0; i < 5; ++i) {
    one.server->work.threads.push_back({2 + i, "client-" + std::to_string(i), 100, 7});
  }
  one.server->peak_memory = 8192;
  one.server->memory_per_client = 433.5;
  return one;
}

TEST(Report, ListsTimesAndCostsPerMessage) {
  EXPECT_EQ(report(measured()),
            "messages 1000\n"
            "disconnections 0\n"
            "disconnections_closed 0\n"
            "disconnections_reset 0\n"
            "disconnections_other 0\n"
            "wrong_bytes 0\n"
            "per_op 0.000005000 s\n"
            "round_trip 0.000100000 s\n"
            "round_trip_p50 0.000090000 s\n"
            "round_trip_p99 0.000200000 s\n"
            "round_trip_max 0.000300000 s\n"
            "client_cpu 0.000003000 s\n"
            "server_cpu 0.000004000 s\n"
            "voluntary_switches 0.503\n"
            "involuntary_switches 0.039\n"
            "server_peak_memory 8192\n"
            "server_memory_per_client 433.500\n"
            "threads acceptor 1 voluntary 3 each 3 involuntary 4 each 4\n"
            "threads client 5 voluntary 500 each 100 involuntary 35 each 7\n");
}

TEST(Report, OmitsTimesWhileSystemCallsAreCounted) {
  Measurement one = measured();
  one.server->calls = 2030;
  const std::string text = report(one);
  EXPECT_TRUE(text.ends_with("wrong_bytes 0\nsyscalls 2.030\n")) << text;
}

TEST(Report, ListsOnlyFailuresIfNoMessageWasAnswered) {
  Measurement one = measured();
  one.messages = 0;
  one.disconnections = {.closed = 3, .reset = 2, .other = 1};
  one.wrong_bytes = 99;
  EXPECT_EQ(report(one),
            "messages 0\n"
            "disconnections 6\n"
            "disconnections_closed 3\n"
            "disconnections_reset 2\n"
            "disconnections_other 1\n"
            "wrong_bytes 99\n");
}

TEST(Report, OmitsTheCostsOfAServerThatWasRunningBefore) {
  Measurement one = measured();
  one.server.reset();
  EXPECT_TRUE(report(one).ends_with("client_cpu 0.000003000 s\n")) << report(one);
}

}  // namespace
}  // namespace fathom::bench
