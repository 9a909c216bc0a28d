// Measures how long keys take in one directory with many entries:
//
//   build/release/bin/time_keys 1000000
//
// Prints, for each key, the least, the median and the longest time of several presses on a fresh
// state, from the key to the bytes for the terminal, in milliseconds; and the memory of the browser
// per entry.

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "grid/frame.h"
#include "model/press.h"
#include "model/prompts.h"
#include "model/sums.h"
#include "model/update.h"
#include "sample.h"
#include "screen/screen.h"

namespace fathom::tui {
namespace {

struct Measured {
  const char* what;
  const char* before;  // keys that are not measured
  const char* keys;    // each is measured by itself, and the longest counts
};

constexpr Measured kMeasured[] = {
    {"one row down", "", "j"},
    {"a page down", "", "<PgDn>"},
    {"ten pages down", "", "<PgDn><PgDn><PgDn><PgDn><PgDn><PgDn><PgDn><PgDn><PgDn><PgDn>"},
    {"to the end", "", "G"},
    {"sort by name", "", "n"},
    {"sort by name, from row 100", "<PgDn><PgDn><PgDn><PgDn>", "n"},
    {"reverse by name", "n", "n"},
    {"sort by time", "", "M"},
    {"directories first", "", "t"},
    {"apparent sizes", "", "a"},
    {"without hidden", "", "e"},
    {"with hidden again", "e", "e"},
    {"filter: first letter", "/", "1"},
    {"filter: second letter", "/1", "2"},
    {"filter: third letter", "/12", "3"},
    {"filter: letter removed", "/123", "<Backspace>"},
    {"search: first letter", "//", "1"},
    {"search: second letter", "//1", "2"},
    {"mark", "", " "},
    {"mark, with sums", " ", " "},
    {"into the plan", "", "d"},
    {"invert all marks", "", "*"},
    {"info", "", "i"},
};

// The key, or with no key what it left to do.
double pressed(State& state, const Key* key) {
  Capabilities terminal;
  terminal.move = standard_move;
  const Grid before = draw(state);
  const auto start = std::chrono::steady_clock::now();
  if (key != nullptr) {
    static_cast<void>(press(state, *key));
  } else if (state.filter_waits) {
    finish_filter(state);
  } else {
    finish_sums(state);
  }
  const std::string bytes = frame(before, draw(state), terminal);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

void print(const char* what, std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  std::printf("%-28s %7.2f %7.2f %7.2f\n", what, times.front(), times[times.size() / 2],
              times.back());
}

void measure(const std::shared_ptr<const Facts>& facts, const std::shared_ptr<const Extras>& extras,
             const Measured& what) {
  std::vector<double> times;
  std::vector<double> later;
  for (int round = 0; round < 7; ++round) {
    State state = initial_state({}, facts, fs::Measure::disk);
    take_size(state, 200, 60);
    state.extras = extras;
    for (const Key& key : keys_of(what.before)) {
      static_cast<void>(press(state, key));
      if (state.filter_waits) finish_filter(state);
    }
    double longest = 0;
    for (const Key& key : keys_of(what.keys)) longest = std::max(longest, pressed(state, &key));
    times.push_back(longest);
    if (state.filter_waits || state.sums_wait) later.push_back(pressed(state, nullptr));
  }
  print(what.what, times);
  if (!later.empty()) print("  ... when no key waits", later);
}

std::size_t used() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

void run(std::uint32_t entries) {
  const auto facts = flat_facts(entries);
  const auto extras = std::make_shared<const Extras>(facts, fs::Measure::disk);
  std::printf("%-28s %7s %7s %7s  (ms, %u entries)\n", "key", "least", "median", "most", entries);
  for (const Measured& what : kMeasured) measure(facts, extras, what);
  const std::size_t before = used();
  auto* const children = new fs::Children(facts->tree());
  auto* const listing = new Listing(*facts, facts->in(facts->top()), {});
  listing->show(0, 60);
  std::printf("memory of children and rows: %.2f bytes per entry\n",
              static_cast<double>(used() - before) / entries);
  delete listing;
  delete children;
}

}  // namespace
}  // namespace fathom::tui

int main(int argc, char** argv) {
  const long entries = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1'000'000;
  fathom::tui::run(static_cast<std::uint32_t>(entries));
  return 0;
}
