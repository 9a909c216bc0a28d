// The two programs, called as commands.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/testing/subprocess.h"
#include "net/client/server_process.h"

namespace fathom::bench {
namespace {

using ::fathom::testing::RunResult;

RunResult run_beside(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   std::filesystem::read_symlink("/proc/self/exe").parent_path() / program);
  return ::fathom::testing::run(arguments);
}

// The first word of each line, and the rest. For lines about threads: "threads NAME".
std::map<std::string, std::string> lines_of(const std::string& output) {
  std::map<std::string, std::string> lines;
  std::istringstream rest(output);
  std::string name, value;
  while (rest >> name) {
    if (name == "threads" && rest >> value) name += ' ' + value;
    std::getline(rest >> std::ws, value);
    lines[name] = value;
  }
  return lines;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(FathomEcho, TheHelpIsText) {
  const RunResult result = run_beside("fathom-echo", {"--help"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::all_of(result.out.begin(), result.out.end(), [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << result.out;
  EXPECT_TRUE(holds(result.out, "--format WORD")) << result.out;
}

TEST(FathomEcho, PrintsTheCostPerMessage) {
  const RunResult result =
      run_beside("fathom-echo", {"thread-per-client", "--clients", "8", "--messages", "10"});
  ASSERT_EQ(result.status, 0) << result.err;
  auto lines = lines_of(result.out);
  EXPECT_EQ(lines["messages"], "80");
  EXPECT_EQ(lines["disconnections"], "0");
  EXPECT_EQ(lines["wrong_bytes"], "0");
  EXPECT_GT(std::stod(lines["per_op"]), 0);
  EXPECT_GE(std::stod(lines["round_trip_max"]), std::stod(lines["round_trip_p99"]));
  EXPECT_GT(std::stod(lines["client_cpu"]), 0);
  EXPECT_GT(std::stod(lines["server_cpu"]), 0);
  EXPECT_GT(std::stod(lines["voluntary_switches"]), 0);
  EXPECT_GT(std::stod(lines["server_peak_memory"]), 100'000);
  EXPECT_GT(std::stod(lines["server_memory_per_client"]), 0) << "each has a stack";
  EXPECT_TRUE(lines["threads client"].starts_with("8 voluntary ")) << result.out;
  EXPECT_TRUE(lines.contains("threads acceptor")) << result.out;
}

TEST(FathomEcho, RepeatsMessagesUntilTheTimeIsOver) {
  const RunResult result =
      run_beside("fathom-echo", {"raw", "--clients", "1", "--messages", "1", "--seconds", "0.01"});
  ASSERT_EQ(result.status, 0) << result.err;
  auto lines = lines_of(result.out);
  const double messages = std::stod(lines["messages"]);
  EXPECT_GE(messages * std::stod(lines["per_op"]), 0.0099);
}

TEST(FathomEcho, CountsTheSystemCallsOfTheServer) {
  const RunResult result =
      run_beside("fathom-echo", {"raw", "--clients", "4", "--messages", "100", "--syscalls"});
  if (holds(result.err, "strace")) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.status, 0) << result.err;
  auto lines = lines_of(result.out);
  EXPECT_GE(std::stod(lines["syscalls"]), 2) << "it receives and sends each message";
  EXPECT_LT(std::stod(lines["syscalls"]), 4);
  EXPECT_FALSE(lines.contains("per_op"));
}

TEST(FathomEcho, MeasuresARunningServer) {
  const ServerProcess server("raw", 0, {});
  const RunResult result =
      run_beside("fathom-echo", {"--connect", std::to_string(server.port()), "--clients", "3",
                                 "--messages", "5", "--client", "threads"});
  EXPECT_EQ(result.status, 0) << result.err;
  auto lines = lines_of(result.out);
  EXPECT_EQ(lines["messages"], "15");
  EXPECT_FALSE(lines.contains("server_cpu"));
}

TEST(FathomEcho, RequestsSocketBuffersOfBothSidesAndSaysWhatTheKernelMadeOfThem) {
  const RunResult result =
      run_beside("fathom-echo", {"raw", "--clients", "2", "--messages", "5", "--client", "threads",
                                 "--socket-buffer", "10240"});
  ASSERT_EQ(result.status, 0) << result.err;
  auto lines = lines_of(result.out);
  EXPECT_EQ(lines["socket_buffer"], "10240");
  for (const char* const name : {"client_send_buffer", "client_receive_buffer",
                                 "server_send_buffer", "server_receive_buffer"}) {
    EXPECT_EQ(lines[name], "20480") << name;
  }
  EXPECT_FALSE(holds(run_beside("fathom-echo", {"raw", "--messages", "1"}).out, "_buffer"));
}

TEST(FathomEcho, RequestsOnlyItsOwnBuffersOfARunningServer) {
  const ServerProcess server("raw", 0, {});
  const RunResult result =
      run_beside("fathom-echo", {"--connect", std::to_string(server.port()), "--clients", "1",
                                 "--messages", "1", "--socket-buffer", "10240"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "\nclient_receive_buffer 20480\n")) << result.out;
  EXPECT_FALSE(holds(result.out, "server_receive_buffer")) << result.out;
}

TEST(FathomEcho, CountsClientsThatWaitedInVain) {
  // Listens, so that the kernel connects clients, and never accepts one.
  const base::Fd silent(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(silent.get(), any, size), 0);
  ASSERT_EQ(::listen(silent.get(), 8), 0);
  ASSERT_EQ(::getsockname(silent.get(), any, &size), 0);
  const RunResult result =
      run_beside("fathom-echo", {"--connect", std::to_string(ntohs(address.sin_port)), "--clients",
                                 "3", "--patience", "0.02", "--format", "json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "{\n"
            "  \"messages\": 0,\n"
            "  \"disconnections\": 3,\n"
            "  \"disconnections_closed\": 0,\n"
            "  \"disconnections_reset\": 0,\n"
            "  \"disconnections_timed_out\": 3,\n"
            "  \"disconnections_other\": 0,\n"
            "  \"wrong_bytes\": 0\n"
            "}\n");
}

TEST(FathomEcho, ReportsInvalidArguments) {
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--clients", "0"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--client", "magic"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--nonsense"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--socket-buffer", "0"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--patience", "0"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--format", "csv"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--connect", "80"}).status, 2);
  const auto refusal = [](std::vector<std::string> arguments) {
    const RunResult result = run_beside("fathom-echo", std::move(arguments));
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_EQ(refusal({}),
            "fathom-echo: KIND is missing; fathom-echo-server --list lists the kinds\n");
  EXPECT_EQ(refusal({"nobody"}),
            "fathom-echo: unknown server 'nobody'; fathom-echo-server --list lists the kinds\n");
  EXPECT_EQ(refusal({"select", "--clients", "1024"}),
            "fathom-echo: the server 'select' supports at most 1000 clients\n");
  EXPECT_EQ(refusal({"--connect", "80", "--syscalls"}),
            "fathom-echo: --syscalls cannot be used with --connect\n");
  EXPECT_TRUE(holds(refusal({"raw", "--clients", "1000000"}),
                    "1000000 clients need more descriptors than"));
}

TEST(FathomEchoServer, ReportsInvalidArguments) {
  EXPECT_EQ(run_beside("fathom-echo-server", {}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo-server", {"nobody"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo-server", {"raw", "--threads", "0"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo-server", {"raw", "--socket-buffer", "-1"}).status, 2);
}

}  // namespace
}  // namespace fathom::bench
