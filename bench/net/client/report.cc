// Report: the list of figures, the switches of threads by name, and both formats.

#include "net/client/report.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::bench {

namespace {

struct Figure {
  std::string name;
  std::string value;  // a number in decimal notation
  std::string_view unit = {};
};

// The switches of all threads with one name.
struct Family {
  std::string name;
  std::vector<std::uint64_t> voluntary;  // by thread
  std::vector<std::uint64_t> involuntary;
};

struct Listing {
  std::vector<Figure> figures;
  std::vector<Family> families;

  void count(std::string name, std::uint64_t value) {
    figures.push_back({std::move(name), fmt::format("{}", value)});
  }
  void amount(std::string name, double value) {
    figures.push_back({std::move(name), fmt::format("{:.3f}", value)});
  }
  void time(std::string name, double seconds) {
    figures.push_back({std::move(name), fmt::format("{:.9f}", seconds), " s"});
  }
};

std::string error_name(int error) {
  const char* const name = ::strerrorname_np(error);
  return name == nullptr ? fmt::format("errno_{}", error) : name;
}

void add_faults(Listing& listing, const Measurement& measured) {
  const Disconnections& lost = measured.disconnections;
  listing.count("messages", measured.messages);
  listing.count("disconnections", lost.total());
  listing.count("disconnections_closed", lost.closed);
  listing.count("disconnections_reset", lost.reset);
  listing.count("disconnections_timed_out", lost.timed_out);
  listing.count("disconnections_other", lost.other());
  for (const auto& [error, count] : lost.others) {
    listing.count("disconnections_" + error_name(error), count);
  }
  listing.count("wrong_bytes", measured.wrong_bytes);
}

void add_buffers(Listing& listing, const std::string& whose, const SocketBuffers& buffers) {
  listing.count(whose + "_send_buffer", static_cast<std::uint64_t>(buffers.send));
  listing.count(whose + "_receive_buffer", static_cast<std::uint64_t>(buffers.receive));
}

void add_all_buffers(Listing& listing, const Measurement& measured) {
  if (measured.socket_buffer == 0) return;
  listing.count("socket_buffer", static_cast<std::uint64_t>(measured.socket_buffer));
  add_buffers(listing, "client", measured.client_buffers);
  if (measured.server) add_buffers(listing, "server", measured.server->buffers);
}

void add_times(Listing& listing, const Measurement& measured) {
  const RoundTrips& trips = measured.round_trips;
  listing.time("per_op", measured.per_message(measured.seconds));
  listing.time("round_trip", trips.mean);
  listing.time("round_trip_p50", trips.p50);
  listing.time("round_trip_p99", trips.p99);
  listing.time("round_trip_max", trips.max);
  listing.time("client_cpu", measured.per_message(measured.client_seconds));
}

// "client-17" belongs to the threads "client".
std::string family(const std::string& thread) {
  const std::size_t end = thread.find_last_not_of("0123456789");
  const bool numbered = end != std::string::npos && end + 1 < thread.size() && thread[end] == '-';
  return numbered ? thread.substr(0, end) : thread;
}

std::vector<Family> families_of(const std::vector<ThreadSwitches>& threads) {
  std::map<std::string, Family> by_name;
  for (const ThreadSwitches& thread : threads) {
    Family& one = by_name[family(thread.name)];
    one.voluntary.push_back(thread.voluntary);
    one.involuntary.push_back(thread.involuntary);
  }
  std::vector<Family> families;
  for (auto& [name, one] : by_name) {
    one.name = name;
    families.push_back(std::move(one));
  }
  return families;
}

void add_costs(Listing& listing, const Measurement& measured) {
  const ServerCost& server = *measured.server;
  const ProcessCost& work = server.work;
  const auto each = [&](std::uint64_t total) {
    return measured.per_message(static_cast<double>(total));
  };
  const double processor_time = std::chrono::duration<double>(work.processor_time).count();
  listing.time("server_cpu", measured.per_message(processor_time));
  listing.amount("voluntary_switches", each(work.voluntary()));
  listing.amount("involuntary_switches", each(work.involuntary()));
  listing.count("server_peak_memory", server.peak_memory);
  listing.amount("server_memory_per_client", server.memory_per_client);
  listing.families = families_of(work.threads);
}

Listing list(const Measurement& measured) {
  Listing listing;
  add_faults(listing, measured);
  add_all_buffers(listing, measured);
  if (measured.messages == 0) return listing;
  if (measured.server && measured.server->calls) {
    const auto calls = static_cast<double>(*measured.server->calls);
    listing.amount("syscalls", measured.per_message(calls));
    return listing;
  }
  add_times(listing, measured);
  if (measured.server) add_costs(listing, measured);
  return listing;
}

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  std::uint64_t all = 0;
  for (const std::uint64_t value : values) all += value;
  return all;
}

std::uint64_t middle(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string text_of(const Listing& listing) {
  std::string text;
  for (const Figure& one : listing.figures) {
    text += fmt::format("{} {}{}\n", one.name, one.value, one.unit);
  }
  for (const Family& one : listing.families) {
    text += fmt::format("threads {} {} voluntary {} each {} involuntary {} each {}\n", one.name,
                        one.voluntary.size(), sum(one.voluntary), middle(one.voluntary),
                        sum(one.involuntary), middle(one.involuntary));
  }
  return text;
}

using Json = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void write_family(Json& json, const Family& one) {
  const auto member = [&](const char* name, std::uint64_t value) {
    json.Key(name);
    json.Uint64(value);
  };
  json.StartObject();
  json.Key("name");
  json.String(one.name.c_str());
  member("threads", one.voluntary.size());
  member("voluntary", sum(one.voluntary));
  member("voluntary_each", middle(one.voluntary));
  member("involuntary", sum(one.involuntary));
  member("involuntary_each", middle(one.involuntary));
  json.EndObject();
}

std::string json_of(const Listing& listing) {
  rapidjson::StringBuffer text;
  Json json(text);
  json.SetIndent(' ', 2);
  json.StartObject();
  for (const Figure& one : listing.figures) {
    json.Key(one.name.c_str());
    json.RawValue(one.value.data(), one.value.size(), rapidjson::kNumberType);
  }
  if (!listing.families.empty()) {
    json.Key("threads");
    json.StartArray();
    for (const Family& one : listing.families) write_family(json, one);
    json.EndArray();
  }
  json.EndObject();
  return text.GetString() + std::string("\n");
}

}  // namespace

std::string report(const Measurement& measured, Format format) {
  const Listing listing = list(measured);
  return format == Format::json ? json_of(listing) : text_of(listing);
}

}  // namespace fathom::bench
