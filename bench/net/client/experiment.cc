#include "net/client/experiment.h"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "net/client/syscall_count.h"

namespace fathom::bench {

namespace {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// With --pin: this process on the first processor that it may use, servers on the others.
class Placement {
 public:
  explicit Placement(bool pin) {
    if (!pin) return;
    cpu_set_t all;
    ::sched_getaffinity(0, sizeof all, &all);
    if (CPU_COUNT(&all) < 2) throw base::Error("--pin needs two processors");
    cpu_set_t first;
    CPU_ZERO(&first);
    std::size_t number = 0;
    while (!CPU_ISSET(number, &all)) ++number;
    CPU_SET(number, &first);
    CPU_CLR(number, &all);
    ::sched_setaffinity(0, sizeof first, &first);
    servers_ = all;
  }

  const std::optional<cpu_set_t>& servers() const { return servers_; }

 private:
  std::optional<cpu_set_t> servers_;
};

class Experiment {
 public:
  Experiment(const Plan& plan, const std::function<void(const std::string&)>& progress)
      : plan_(plan), progress_(progress), pattern_(plan.size), placement_(plan.pin) {}

  Block run(std::size_t clients) {
    Block block;
    block.clients = clients;
    for (const ServerKind& server : plan_.servers) block.rows.push_back({server.name, {}, {}});
    for (std::size_t round = 0; round < plan_.rounds; ++round) {
      for (const std::size_t place : order(round)) {
        if (!can_have(plan_.servers[place], clients)) continue;
        Row& row = block.rows[place];
        progress_(row.server + " with " + std::to_string(clients) + " clients, round " +
                  std::to_string(round + 1) + " of " + std::to_string(plan_.rounds));
        row.rounds.push_back(measure(row.server, clients));
      }
    }
    if (plan_.count_syscalls) count_syscalls(block);
    return block;
  }

 private:
  static bool can_have(const ServerKind& server, std::size_t clients) {
    return server.most_clients == 0 || clients <= server.most_clients;
  }

  std::vector<std::size_t> order(std::size_t round) const {
    std::vector<std::size_t> places(plan_.servers.size());
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), std::mt19937_64(round));
    return places;
  }

  Measurement measure(const std::string& name, std::size_t clients) {
    std::optional<ServerProcess> server;
    if (!plan_.port) server.emplace(name, plan_.threads, placement_.servers());
    const auto crowd = connect(server, clients);
    // Nothing is started or ends between these two, so that the costs are those of the messages.
    const auto cost = [&] { return server ? ProcessCost::of(server->pid()) : ProcessCost(); };
    const ProcessCost before = cost();
    const auto client_before = base::processor_time();
    const Talk talk = crowd->talk(plan_.messages);
    const auto client_after = base::processor_time();
    Measurement measured;
    if (server) measured.server = cost() - before;
    measured.client_seconds = seconds(client_after - client_before);
    measured.messages = talk.round_trips.size();
    measured.seconds = seconds(talk.elapsed);
    measured.disconnections = talk.disconnections;
    measured.wrong_bytes = talk.wrong_bytes;
    measured.round_trips = summarize(talk.round_trips);
    return measured;
  }

  // With one answer to each client behind it: the server has accepted all.
  std::unique_ptr<Crowd> connect(const std::optional<ServerProcess>& server, std::size_t clients) {
    auto crowd = make_crowd(plan_.crowd, server ? server->port() : *plan_.port, clients, pattern_);
    crowd->talk(1);
    return crowd;
  }

  void count_syscalls(Block& block) {
    for (std::size_t place = 0; place < block.rows.size(); ++place) {
      if (!can_have(plan_.servers[place], block.clients)) continue;
      Row& row = block.rows[place];
      progress_(row.server + " with " + std::to_string(block.clients) +
                " clients, counting system calls");
      std::optional<ServerProcess> server;
      server.emplace(row.server, plan_.threads, placement_.servers());
      const auto crowd = connect(server, block.clients);
      SyscallCount count(server->pid());
      const Talk talk = crowd->talk(plan_.messages);
      const std::uint64_t calls = count.finish();
      if (talk.round_trips.empty()) continue;
      row.syscalls_per_message =
          static_cast<double>(calls) / static_cast<double>(talk.round_trips.size());
    }
  }

  const Plan& plan_;
  const std::function<void(const std::string&)>& progress_;
  const Pattern pattern_;
  const Placement placement_;
};

}  // namespace

double Measurement::messages_per_second() const {
  return seconds > 0 ? static_cast<double>(messages) / seconds : 0;
}

double Measurement::per_message(double amount) const {
  return messages > 0 ? amount / static_cast<double>(messages) : 0;
}

double Row::median(const std::function<double(const Measurement&)>& of) const {
  std::vector<double> values;
  for (const Measurement& round : rounds) values.push_back(of(round));
  return median_of(std::move(values));
}

std::size_t Row::disconnections() const {
  std::size_t sum = 0;
  for (const Measurement& round : rounds) sum += round.disconnections;
  return sum;
}

std::size_t Row::wrong_bytes() const {
  std::size_t sum = 0;
  for (const Measurement& round : rounds) sum += round.wrong_bytes;
  return sum;
}

const Row* Block::floor() const {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.server == "raw"; });
  return found == rows.end() ? nullptr : &*found;
}

Spread ratio_to(const Row& floor, const Row& row,
                const std::function<double(const Measurement&)>& of) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(row.rounds.size(), floor.rounds.size()); ++i) {
    const double of_floor = of(floor.rounds[i]);
    const double of_row = of(row.rounds[i]);
    if (of_floor > 0 && of_row > 0) ratios.push_back(of_row / of_floor);
  }
  return spread_of(std::move(ratios));
}

double mean_round_trip(const Measurement& measurement) {
  return measurement.round_trips.mean;
}

double server_cost(const Measurement& measurement) {
  if (!measurement.server) return 0;
  return measurement.per_message(seconds(measurement.server->processor_time));
}

std::vector<Block> run_experiment(const Plan& plan,
                                  const std::function<void(const std::string&)>& progress) {
  Experiment experiment(plan, progress);
  std::vector<Block> blocks;
  for (const std::size_t clients : plan.clients) blocks.push_back(experiment.run(clients));
  return blocks;
}

}  // namespace fathom::bench
