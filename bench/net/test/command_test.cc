// The two programs as they are called.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
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

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(FathomEcho, tells_every_measurement_in_json) {
  const RunResult result =
      run_beside("fathom-echo", {"--clients", "4,8", "--messages", "10", "--rounds", "2",
                                 "--servers", "raw,thread-per-client", "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.err;
  rapidjson::Document json;
  json.Parse(result.out.c_str());
  ASSERT_FALSE(json.HasParseError());
  const auto& blocks = json["blocks"];
  ASSERT_EQ(blocks.Size(), 2U);
  EXPECT_EQ(blocks[1]["clients"].GetInt(), 8);
  const auto& row = blocks[1]["servers"][1];
  EXPECT_STREQ(row["server"].GetString(), "thread-per-client");
  EXPECT_EQ(row["disconnections"].GetInt(), 0);
  EXPECT_EQ(row["wrong_bytes"].GetInt(), 0);
  EXPECT_GT(row["ratio_to_raw"]["median"].GetDouble(), 0);
  ASSERT_EQ(row["rounds"].Size(), 2U);
  const auto& round = row["rounds"][0];
  EXPECT_EQ(round["messages"].GetInt(), 80);
  EXPECT_GT(round["mean"].GetDouble(), 0);
  EXPECT_GE(round["max"].GetDouble(), round["p99"].GetDouble());
  std::size_t clients = 0;
  std::size_t acceptors = 0;
  std::uint64_t sleeps = 0;
  for (const auto& thread : round["server_threads"].GetArray()) {
    const std::string name = thread["name"].GetString();
    acceptors += name == "acceptor";
    if (!name.starts_with("client-")) continue;
    ++clients;
    sleeps += thread["voluntary"].GetUint64();
  }
  EXPECT_EQ(clients, 8U);
  EXPECT_GT(sleeps, 0U);
  EXPECT_GE(acceptors, 1U);  // a thread of ThreadSanitizer's has that name, too
}

TEST(FathomEcho, prints_both_tables_of_the_article) {
  const RunResult result = run_beside(
      "fathom-echo", {"--tables", "--messages", "2", "--rounds", "1", "--servers", "raw"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "4 clients          128 clients        1,024 clients"));
  EXPECT_TRUE(holds(result.out, "Context switches of the servers' threads with 32 clients"));
  EXPECT_TRUE(holds(result.out, "disconnections: 0, wrong bytes: 0"));
}

TEST(FathomEcho, measures_a_server_that_is_there_already) {
  const ServerProcess server("raw", 0, {});
  const RunResult result =
      run_beside("fathom-echo", {"--connect", std::to_string(server.port()), "--clients", "3",
                                 "--messages", "5", "--rounds", "1", "--client", "threads"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "port " + std::to_string(server.port()))) << result.out;
}

TEST(FathomEcho, says_what_is_wrong_with_a_request) {
  EXPECT_EQ(run_beside("fathom-echo", {"--clients", "0"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"--client", "magic"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"--format", "xml"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo", {"--nonsense"}).status, 2);
  const RunResult unknown = run_beside("fathom-echo", {"--servers", "nobody"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(holds(unknown.err, "there is no server 'nobody'")) << unknown.err;
  const RunResult many = run_beside("fathom-echo", {"--clients", "1000000"});
  EXPECT_EQ(many.status, 2);
  EXPECT_TRUE(holds(many.err, "1000000 clients need more descriptors than")) << many.err;
}

TEST(FathomEchoServer, says_what_is_wrong_with_a_request) {
  EXPECT_EQ(run_beside("fathom-echo-server", {}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo-server", {"nobody"}).status, 2);
  EXPECT_EQ(run_beside("fathom-echo-server", {"raw", "--threads", "0"}).status, 2);
}

}  // namespace
}  // namespace fathom::bench
