#include "net/client/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fathom::bench {

namespace {

// Three digits that count: "18.3 us", "1.24 ms", "3.05 s".
std::string time_text(double seconds) {
  double value = seconds * 1e6;
  const char* unit = "us";
  // What rounds up to 1000 is one of the next unit.
  if (value >= 999.5) value /= 1000, unit = "ms";
  if (value >= 999.5) value /= 1000, unit = "s";
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

std::string grouped(double value) {
  std::string digits = std::to_string(std::llround(value));
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

std::string crowd_text(const Plan& plan) {
  return plan.crowd == Crowd::Kind::epoll ? "one epoll loop for all" : "a thread for each";
}

std::string rounds_text(const Plan& plan) {
  return plan.rounds == 1 ? "1 round" : fmt::format("medians of {} rounds", plan.rounds);
}

// What is in front of the tables.
std::string conditions(const Plan& plan) {
  return fmt::format("{} message{} of {} byte{} from each client, {}\nclients: {}{}\n",
                     grouped(static_cast<double>(plan.messages)), plan.messages == 1 ? "" : "s",
                     grouped(static_cast<double>(plan.size)), plan.size == 1 ? "" : "s",
                     rounds_text(plan), crowd_text(plan),
                     plan.pin ? " on one processor; servers: on the others" : "");
}

std::string ratio_cells(const Block& block, const Row& row) {
  const Row* const floor = block.floor();
  if (floor == nullptr) return fmt::format("{:>6}{:>12}", "-", "-");
  if (floor == &row) return fmt::format("{:>6}", "1.00");
  const Spread ratio = ratio_to(*floor, row, mean_round_trip);
  return fmt::format("{:>6.2f}{:>12}", ratio.median,
                     fmt::format("{:.2f}..{:.2f}", ratio.low, ratio.high));
}

std::string round_trip_table(const Block& block) {
  std::string text = fmt::format("{:<17}{:>8}{:>8}{:>8}{:>8}{:>10}{:>6}{:>12}\n", "server", "mean",
                                 "p50", "p99", "max", "msgs/s", "ratio", "to raw");
  for (const Row& row : block.rows) {
    if (row.rounds.empty()) {
      text += fmt::format("{:<17} cannot have so many clients\n", row.server);
      continue;
    }
    const auto time = [&row](double RoundTrips::*which) {
      return time_text(row.median([which](const Measurement& m) { return m.round_trips.*which; }));
    };
    text += fmt::format("{:<17}{:>8}{:>8}{:>8}{:>8}{:>10}{}\n", row.server, time(&RoundTrips::mean),
                        time(&RoundTrips::p50), time(&RoundTrips::p99), time(&RoundTrips::max),
                        grouped(row.median(&Measurement::messages_per_second)),
                        ratio_cells(block, row));
  }
  return text;
}

std::string per_message(const Row& row, const std::function<double(const Measurement&)>& amount) {
  return fmt::format("{:.2f}",
                     row.median([&](const Measurement& m) { return m.per_message(amount(m)); }));
}

std::string server_cells(const Block& block, const Row& row) {
  if (!row.rounds.front().server) {
    return fmt::format("{:>7}{:>7}{:>11}{:>6}", "-", "-", "-", "-");
  }
  const auto voluntary = [](const Measurement& m) {
    return static_cast<double>(m.server->voluntary());
  };
  const auto involuntary = [](const Measurement& m) {
    return static_cast<double>(m.server->involuntary());
  };
  const Row* const floor = block.floor();
  const std::string ratio =
      floor == nullptr ? "-" : fmt::format("{:.2f}", ratio_to(*floor, row, server_cost).median);
  return fmt::format("{:>7}{:>7}{:>11}{:>6}", per_message(row, voluntary),
                     per_message(row, involuntary), time_text(row.median(server_cost)), ratio);
}

// Each for one message, but for what must be 0.
std::string cost_table(const Block& block) {
  std::string text =
      fmt::format("{:<17}{:>7}{:>7}{:>11}{:>6}{:>11}{:>9}{:>5}{:>7}\n", "each message", "wakes",
                  "ousted", "server cpu", "ratio", "client cpu", "syscalls", "lost", "wrong");
  for (const Row& row : block.rows) {
    if (row.rounds.empty()) continue;
    const auto client_time = [](const Measurement& m) { return m.per_message(m.client_seconds); };
    const std::string syscalls =
        row.syscalls_per_message ? fmt::format("{:.2f}", *row.syscalls_per_message) : "-";
    text += fmt::format("{:<17}{}{:>11}{:>9}{:>5}{:>7}\n", row.server, server_cells(block, row),
                        time_text(row.median(client_time)), syscalls, row.disconnections(),
                        row.wrong_bytes());
  }
  return text;
}

std::string legend(const Plan& plan) {
  return fmt::format(
      "\nratio to raw: of the mean round trips of one round each, the median and\n"
      "{}\n"
      "wakes, ousted: how often a thread of the server gave up its processor to wait,\n"
      "or for another thread; cpu: the processor time of the server, of the clients\n"
      "syscalls: of the server, by strace in a run that is not timed{}\n"
      "lost, wrong: clients that were disconnected, bytes that differed; in all rounds\n",
      plan.rounds >= 6 ? "its 95 % interval" : "all that was seen",
      plan.count_syscalls ? "" : " (--syscalls)");
}

std::string seed_head(const std::vector<Block>& blocks) {
  std::string counts = fmt::format("{:<17}", "");
  std::string names = fmt::format("{:<17}", "server");
  for (const Block& block : blocks) {
    counts += fmt::format("{:>21}", grouped(static_cast<double>(block.clients)) + " clients");
    names += fmt::format("{:>8}{:>8}{:>5}", "trip", "each", "x");
  }
  return counts + '\n' + names + '\n';
}

std::string seed_cells(const Block& block, const Row& row) {
  if (row.rounds.empty()) return fmt::format("{:>8}{:>8}{:>5}", "-", "-", "-");
  const auto each = [](const Measurement& m) { return m.per_message(m.seconds); };
  const Row* const floor = block.floor();
  const std::string ratio =
      floor == nullptr ? "-" : fmt::format("{:.2f}", ratio_to(*floor, row, mean_round_trip).median);
  return fmt::format("{:>8}{:>8}{:>5}", time_text(row.median(mean_round_trip)),
                     time_text(row.median(each)), ratio);
}

// "client-17" is one of the threads "client-*".
std::string family(const std::string& thread) {
  const std::size_t dash = thread.find_last_of('-');
  if (dash == std::string::npos || dash + 1 == thread.size()) return thread;
  const bool number = std::all_of(thread.begin() + static_cast<std::ptrdiff_t>(dash) + 1,
                                  thread.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? thread.substr(0, dash) + "-*" : thread;
}

// Of the threads of one family in all rounds.
struct Switches {
  std::size_t threads = 0;                             // in a round
  std::vector<double> voluntary, involuntary;          // of each thread
  std::vector<double> all_voluntary, all_involuntary;  // of all threads in a round
};

std::map<std::string, Switches> switches_of(const Row& row) {
  std::map<std::string, Switches> families;
  for (const Measurement& round : row.rounds) {
    if (!round.server) continue;
    std::map<std::string, Switches> of_round;
    for (const ThreadSwitches& thread : round.server->threads) {
      Switches& sum = of_round[family(thread.name)];
      ++sum.threads;
      sum.voluntary.push_back(static_cast<double>(thread.voluntary));
      sum.involuntary.push_back(static_cast<double>(thread.involuntary));
    }
    for (const auto& [name, found] : of_round) {
      Switches& all = families[name];
      double voluntary = 0;
      double involuntary = 0;
      for (const double count : found.voluntary) voluntary += count;
      for (const double count : found.involuntary) involuntary += count;
      all.threads = std::max(all.threads, found.threads);
      all.voluntary.insert(all.voluntary.end(), found.voluntary.begin(), found.voluntary.end());
      all.involuntary.insert(all.involuntary.end(), found.involuntary.begin(),
                             found.involuntary.end());
      all.all_voluntary.push_back(voluntary);
      all.all_involuntary.push_back(involuntary);
    }
  }
  return families;
}

std::string switches_table(const Block& block) {
  std::string text = fmt::format("{:<17} {:<15}{:>7}{:>10}{:>10}{:>10}{:>10}\n", "server", "thread",
                                 "threads", "voluntary", "each", "involunt.", "each");
  for (const Row& row : block.rows) {
    std::string server = row.server;
    for (const auto& [name, found] : switches_of(row)) {
      text += fmt::format(
          "{:<17} {:<15}{:>7}{:>10}{:>10}{:>10}{:>10}\n", server, name, found.threads,
          grouped(median_of(found.all_voluntary)), grouped(median_of(found.voluntary)),
          grouped(median_of(found.all_involuntary)), grouped(median_of(found.involuntary)));
      server.clear();
    }
  }
  return text;
}

std::string faults(const std::vector<Block>& blocks) {
  std::size_t lost = 0;
  std::size_t wrong = 0;
  for (const Block& block : blocks) {
    for (const Row& row : block.rows) {
      lost += row.disconnections();
      wrong += row.wrong_bytes();
    }
  }
  return fmt::format("disconnections: {}, wrong bytes: {}\n", lost, wrong);
}

}  // namespace

std::string text_report(const Plan& plan, const std::vector<Block>& blocks) {
  std::string text = conditions(plan);
  for (const Block& block : blocks) {
    text += fmt::format("\n{} client{}\n\n", grouped(static_cast<double>(block.clients)),
                        block.clients == 1 ? "" : "s");
    text += round_trip_table(block) + '\n' + cost_table(block);
  }
  return text + legend(plan);
}

std::string seed_tables(const Plan& plan, const std::vector<Block>& blocks, const Block& switches) {
  std::string text = "Round trips\n" + conditions(plan) + '\n' + seed_head(blocks);
  for (std::size_t place = 0; place < plan.servers.size(); ++place) {
    text += fmt::format("{:<17}", plan.servers[place].name);
    for (const Block& block : blocks) text += seed_cells(block, block.rows[place]);
    text += '\n';
  }
  text +=
      "\ntrip: from a client's sending to its answer, the mean; each: the whole time by\n"
      "the number of all messages; x: how often as long a trip takes as with raw\n" +
      faults(blocks);
  text += fmt::format(
      "\nContext switches of the servers' threads with {} clients\n{}\n{}"
      "\nof all threads of a name, and of each (the median thread)\n",
      switches.clients, conditions(plan), switches_table(switches));
  return text + faults({switches});
}

}  // namespace fathom::bench
