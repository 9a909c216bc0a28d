// The two programs, called as commands.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

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

TEST(FathomEcho, ReportsInvalidArguments) {
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--clients", "0"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--client", "magic"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"raw", "--nonsense"}).status, 2);
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
}

}  // namespace
}  // namespace fathom::bench
