// Tests of the lines that a measurement is reported as.

#include "net/client/report.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cerrno>
#include <sstream>
#include <string>

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
            "disconnections_timed_out 0\n"
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

TEST(Report, SaysWhatTheKernelMadeOfARequestedBuffer) {
  Measurement one = measured();
  one.messages = 0;
  one.socket_buffer = 128;
  one.client_buffers = {.send = 4608, .receive = 2304};
  one.server->buffers = {.send = 4609, .receive = 2305};
  EXPECT_TRUE(
      report(one).ends_with("wrong_bytes 0\n"
                            "socket_buffer 128\n"
                            "client_send_buffer 4608\n"
                            "client_receive_buffer 2304\n"
                            "server_send_buffer 4609\n"
                            "server_receive_buffer 2305\n"))
      << report(one);
  one.server.reset();
  EXPECT_TRUE(report(one).ends_with("client_receive_buffer 2304\n")) << report(one);
}

// The lines as JSON would name them: "per_op 0.5 s" is "per_op": 0.5.
TEST(Report, HasTheSameFiguresInJson) {
  Measurement one = measured();
  one.disconnections.others[EHOSTUNREACH] = 2;
  rapidjson::Document json;
  json.Parse(report(one, Format::json).c_str());
  ASSERT_FALSE(json.HasParseError());
  std::istringstream lines(report(one));
  std::string name;
  double value = 0;
  std::size_t figures = 0;
  while (lines >> name && name != "threads") {
    lines >> value;
    ASSERT_TRUE(json.HasMember(name.c_str())) << name;
    EXPECT_DOUBLE_EQ(json[name.c_str()].GetDouble(), value) << name;
    std::getline(lines, name);
    ++figures;
  }
  EXPECT_EQ(json.MemberCount(), figures + 1) << "and the threads";
  const auto& clients = json["threads"][1];
  EXPECT_STREQ(clients["name"].GetString(), "client");
  EXPECT_EQ(clients["threads"].GetInt(), 5);
  EXPECT_EQ(clients["voluntary"].GetInt(), 500);
  EXPECT_EQ(clients["voluntary_each"].GetInt(), 100);
  EXPECT_EQ(clients["involuntary"].GetInt(), 35);
  EXPECT_EQ(clients["involuntary_each"].GetInt(), 7);
}

TEST(Report, OmitsTimesWhileSystemCallsAreCounted) {
  Measurement one = measured();
  one.server->calls = 2030;
  const std::string text = report(one);
  EXPECT_TRUE(text.ends_with("wrong_bytes 0\nsyscalls 2.030\n")) << text;
}

TEST(Report, ListsOnlyFailuresByReasonIfNoMessageWasAnswered) {
  Measurement one = measured();
  one.messages = 0;
  one.disconnections = {
      .closed = 3, .reset = 2, .timed_out = 4, .others = {{EHOSTUNREACH, 1}, {123456, 2}}};
  one.wrong_bytes = 99;
  EXPECT_EQ(report(one),
            "messages 0\n"
            "disconnections 12\n"
            "disconnections_closed 3\n"
            "disconnections_reset 2\n"
            "disconnections_timed_out 4\n"
            "disconnections_other 3\n"
            "disconnections_EHOSTUNREACH 1\n"
            "disconnections_errno_123456 2\n"
            "wrong_bytes 99\n");
}

TEST(Report, OmitsTheCostsOfAServerThatWasRunningBefore) {
  Measurement one = measured();
  one.server.reset();
  EXPECT_TRUE(report(one).ends_with("client_cpu 0.000003000 s\n")) << report(one);
}

}  // namespace
}  // namespace fathom::bench
