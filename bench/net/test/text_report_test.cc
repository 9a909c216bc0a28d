#include "net/client/text_report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace fathom::bench {
namespace {

Measurement measured(double mean) {
  Measurement round;
  round.messages = 102'400;
  round.round_trips = {mean, mean, 2 * mean, 3 * mean};
  round.seconds = 100 * mean;
  round.client_seconds = 0.5;
  round.server = ProcessCost{std::chrono::milliseconds(700), {}};
  round.server->threads.push_back({1, "acceptor", 3, 4});
  for (int i = 0; i < 32; ++i) {
    round.server->threads.push_back({2 + i, "client-" + std::to_string(i), 100, 7});
  }
  return round;
}

Plan plan_of(std::size_t rounds) {
  Plan plan;
  plan.servers = {{"raw", 0, ""}, {"thread-per-client", 0, ""}, {"select", 1000, ""}};
  plan.rounds = rounds;
  return plan;
}

Block block_of(std::size_t clients, std::size_t rounds) {
  Block block;
  block.clients = clients;
  block.rows = {{"raw", {}, {}}, {"thread-per-client", {}, 2.03}, {"select", {}, {}}};
  for (std::size_t i = 0; i < rounds; ++i) {
    block.rows[0].rounds.push_back(measured(0.0001));
    block.rows[1].rounds.push_back(measured(0.00015));
  }
  return block;
}

void expect_narrow(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 80U) << line;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TextReport, says_how_long_round_trips_took_beside_the_floor) {
  const std::string text = text_report(plan_of(9), {block_of(1024, 9)});
  EXPECT_TRUE(holds(text, "1,024 clients")) << text;
  EXPECT_TRUE(holds(text, "100 us  100 us  200 us  300 us")) << text;
  EXPECT_TRUE(holds(text, "1.50  1.50..1.50")) << text;
  EXPECT_TRUE(holds(text, "95 % interval")) << text;
  EXPECT_TRUE(holds(text, "2.03")) << text;
  EXPECT_TRUE(holds(text, "cannot have so many clients")) << text;
  expect_narrow(text);
}

TEST(TextReport, does_not_call_the_range_of_a_few_rounds_an_interval) {
  EXPECT_FALSE(holds(text_report(plan_of(3), {block_of(4, 3)}), "95 %"));
}

TEST(TextReport, fits_with_values_of_any_size) {
  for (const double mean : {0.0, 2e-6, 9.9999e-5, 0.0009999, 0.9999, 12'345.6}) {
    Block block = block_of(4, 0);
    block.rows[0].rounds.push_back(measured(mean));
    block.rows[1].rounds.push_back(measured(mean * 3));
    expect_narrow(text_report(plan_of(1), {block}));
    expect_narrow(seed_tables(plan_of(1), {block, block, block}, block));
  }
}

TEST(TextReport, sets_what_messages_cost_below_its_name) {
  std::istringstream lines(text_report(plan_of(9), {block_of(4, 9)}));
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("each message")) continue;
  EXPECT_EQ(line,
            "each message       wakes ousted server cpu ratio client cpu syscalls lost  wrong");
  std::getline(lines, line);
  EXPECT_EQ(line,
            "raw                 0.03   0.00    6.84 us  1.00    4.88 us        -    0      0");
}

TEST(TextReport, counts_what_was_lost_and_wrong_in_all_rounds) {
  Block block = block_of(4, 3);
  block.rows[1].rounds[0].disconnections = 3;
  block.rows[1].rounds[2].disconnections = 4;
  block.rows[1].rounds[1].wrong_bytes = 99;
  EXPECT_TRUE(holds(text_report(plan_of(3), {block}), "7     99"));
  EXPECT_TRUE(holds(seed_tables(plan_of(3), {block}, block_of(32, 3)),
                    "disconnections: 7, wrong bytes: 99"));
}

TEST(SeedTables, sum_up_the_threads_of_one_name) {
  const std::string text = seed_tables(plan_of(9), {block_of(4, 9)}, block_of(32, 9));
  EXPECT_TRUE(holds(text, "acceptor             1         3         3         4         4"))
      << text;
  EXPECT_TRUE(holds(text, "client-*            32     3,200       100       224         7"))
      << text;
  expect_narrow(text);
}

}  // namespace
}  // namespace fathom::bench
