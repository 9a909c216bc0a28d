#include "net/client/json_report.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace fathom::bench {

namespace {

class Writer {
 public:
  std::string write(const Plan& plan, const std::vector<Block>& blocks) {
    json_.SetIndent(' ', 1);
    json_.StartObject();
    text("program", "fathom-echo");
    text("version", FATHOM_VERSION);
    text("client", plan.crowd == Crowd::Kind::epoll ? "epoll" : "threads");
    count("messages", plan.messages);
    count("size", plan.size);
    count("rounds", plan.rounds);
    json_.Key("pinned");
    json_.Bool(plan.pin);
    json_.Key("blocks");
    json_.StartArray();
    for (const Block& block : blocks) add(block);
    json_.EndArray();
    json_.EndObject();
    return std::string(buffer_.GetString(), buffer_.GetSize()) + '\n';
  }

 private:
  void add(const Block& block) {
    json_.StartObject();
    count("clients", block.clients);
    json_.Key("servers");
    json_.StartArray();
    for (const Row& row : block.rows) add(block, row);
    json_.EndArray();
    json_.EndObject();
  }

  void add(const Block& block, const Row& row) {
    json_.StartObject();
    text("server", row.server);
    count("disconnections", row.disconnections());
    count("wrong_bytes", row.wrong_bytes());
    if (row.syscalls_per_message) number("syscalls_per_message", *row.syscalls_per_message);
    if (!row.rounds.empty()) add_medians(block, row);
    json_.Key("rounds");
    json_.StartArray();
    for (const Measurement& round : row.rounds) add(round);
    json_.EndArray();
    json_.EndObject();
  }

  void add_medians(const Block& block, const Row& row) {
    json_.Key("median");
    json_.StartObject();
    number("mean", row.median([](const Measurement& m) { return m.round_trips.mean; }));
    number("p50", row.median([](const Measurement& m) { return m.round_trips.p50; }));
    number("p99", row.median([](const Measurement& m) { return m.round_trips.p99; }));
    number("max", row.median([](const Measurement& m) { return m.round_trips.max; }));
    number("messages_per_second", row.median(&Measurement::messages_per_second));
    json_.EndObject();
    const Row* const floor = block.floor();
    if (floor == nullptr) return;
    add_ratio("ratio_to_raw", ratio_to(*floor, row, mean_round_trip));
    if (row.rounds.front().server) {
      add_ratio("processor_ratio_to_raw", ratio_to(*floor, row, server_cost));
    }
  }

  void add_ratio(const char* key, const Spread& ratio) {
    json_.Key(key);
    json_.StartObject();
    number("median", ratio.median);
    number("low", ratio.low);
    number("high", ratio.high);
    json_.Key("is_95_percent_interval");
    json_.Bool(ratio.sure);
    json_.EndObject();
  }

  void add(const Measurement& round) {
    json_.StartObject();
    count("messages", round.messages);
    number("seconds", round.seconds);
    number("mean", round.round_trips.mean);
    number("p50", round.round_trips.p50);
    number("p99", round.round_trips.p99);
    number("max", round.round_trips.max);
    count("disconnections", round.disconnections);
    count("wrong_bytes", round.wrong_bytes);
    number("client_processor_seconds", round.client_seconds);
    if (round.server) add(*round.server);
    json_.EndObject();
  }

  void add(const ProcessCost& server) {
    number("server_processor_seconds",
           std::chrono::duration<double>(server.processor_time).count());
    json_.Key("server_threads");
    json_.StartArray();
    for (const ThreadSwitches& thread : server.threads) {
      json_.StartObject();
      text("name", thread.name);
      count("voluntary", thread.voluntary);
      count("involuntary", thread.involuntary);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void text(const char* key, const std::string& value) {
    json_.Key(key);
    json_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void count(const char* key, std::uint64_t value) {
    json_.Key(key);
    json_.Uint64(value);
  }
  void number(const char* key, double value) {
    json_.Key(key);
    json_.Double(value);
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json_{buffer_};
};

}  // namespace

std::string json_report(const Plan& plan, const std::vector<Block>& blocks) {
  return Writer().write(plan, blocks);
}

}  // namespace fathom::bench
