// Report: formatting lines, and the switches of threads by name.

#include "net/client/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace fathom::bench {

namespace {

std::string count(std::string_view name, std::uint64_t value) {
  return fmt::format("{} {}\n", name, value);
}

std::string amount(std::string_view name, double value) {
  return fmt::format("{} {:.3f}\n", name, value);
}

std::string time(std::string_view name, double seconds) {
  return fmt::format("{} {:.9f} s\n", name, seconds);
}

std::string faults(const Measurement& measured) {
  const Disconnections& lost = measured.disconnections;
  return count("messages", measured.messages) + count("disconnections", lost.total()) +
         count("disconnections_closed", lost.closed) + count("disconnections_reset", lost.reset) +
         count("disconnections_other", lost.other) + count("wrong_bytes", measured.wrong_bytes);
}

std::string times(const Measurement& measured) {
  const RoundTrips& trips = measured.round_trips;
  return time("per_op", measured.per_message(measured.seconds)) + time("round_trip", trips.mean) +
         time("round_trip_p50", trips.p50) + time("round_trip_p99", trips.p99) +
         time("round_trip_max", trips.max) +
         time("client_cpu", measured.per_message(measured.client_seconds));
}

// "client-17" belongs to the threads "client".
std::string family(const std::string& thread) {
  const std::size_t end = thread.find_last_not_of("0123456789");
  const bool numbered = end != std::string::npos && end + 1 < thread.size() && thread[end] == '-';
  return numbered ? thread.substr(0, end) : thread;
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

// The totals of all threads with one name, and the median thread.
std::string thread_lines(const std::vector<ThreadSwitches>& threads) {
  struct Family {
    std::vector<std::uint64_t> voluntary;
    std::vector<std::uint64_t> involuntary;
  };
  std::map<std::string, Family> families;
  for (const ThreadSwitches& thread : threads) {
    Family& one = families[family(thread.name)];
    one.voluntary.push_back(thread.voluntary);
    one.involuntary.push_back(thread.involuntary);
  }
  std::string text;
  for (const auto& [name, one] : families) {
    text += fmt::format("threads {} {} voluntary {} each {} involuntary {} each {}\n", name,
                        one.voluntary.size(), sum(one.voluntary), middle(one.voluntary),
                        sum(one.involuntary), middle(one.involuntary));
  }
  return text;
}

std::string costs(const Measurement& measured) {
  const ServerCost& server = *measured.server;
  const ProcessCost& work = server.work;
  const auto each = [&](std::uint64_t total) {
    return measured.per_message(static_cast<double>(total));
  };
  const double processor_time = std::chrono::duration<double>(work.processor_time).count();
  return time("server_cpu", measured.per_message(processor_time)) +
         amount("voluntary_switches", each(work.voluntary())) +
         amount("involuntary_switches", each(work.involuntary())) +
         count("server_peak_memory", server.peak_memory) +
         amount("server_memory_per_client", server.memory_per_client) + thread_lines(work.threads);
}

}  // namespace

std::string report(const Measurement& measured) {
  std::string text = faults(measured);
  if (measured.messages == 0) return text;
  if (measured.server && measured.server->calls) {
    const auto calls = static_cast<double>(*measured.server->calls);
    return text + amount("syscalls", measured.per_message(calls));
  }
  text += times(measured);
  if (measured.server) text += costs(measured);
  return text;
}

}  // namespace fathom::bench
