// bench_fs: the four engines on trees of different shapes, with the least work of any scanner as a
// floor. The cases are those of the Phanes benchmarks, and one_folder; the number of files of
// scaling is our own, because the article does not say.
//
// Names are fs/scan/CASE/ENGINE/threads:N. Time is wall time: a scan ends when its last thread
// does. It includes starting the threads, the totals, and freeing the tree; for the contender
// "floor" only the first. A contender with an incorrect result gets an error and no time.
//
// fs/ncdu/export/CASE and fs/ncdu/import/CASE write a scan in ncdu's format and read it back, in
// memory. Reading includes the totals and freeing the tree.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/ncdu_export.h"
#include "fathom/fs/ncdu_import.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/source.h"
#include "fathom/fs/totals.h"
#include "floor.h"
#include "generated_tree.h"
#include "temp_folder.h"

namespace {

using namespace fathom;
using bench::GeneratedTree;

struct Found {
  std::uint64_t entries;
  std::uint64_t apparent_bytes;
  bool complete;
};

struct Contender {
  std::string name;
  bool parallel;
  Found (*scan)(const std::string& path, unsigned threads);
};

template <fs::Engine engine>
Found scan_with(const std::string& path, unsigned threads) {
  fs::ScanOptions options;
  options.roots = {path};
  options.engine = engine;
  options.threads = threads;
  const fs::Scan scan = fs::scan(options);
  const fs::Totals totals(scan.tree);
  return {totals.whole().entries(), totals.whole().apparent_bytes, scan.complete()};
}

fs::Scan scanned(const std::string& path) {
  fs::ScanOptions options;
  options.roots = {path};
  return fs::scan(options);
}

// Exports into a string that keeps its capacity.
void export_to(std::string& text, const fs::Scan& scan) {
  text.clear();
  fs::write_ncdu(scan, {.root = {}, .version = "1", .taken = 1}, [&text](std::string_view block) {
    text += block;
    return true;
  });
}

Found import_of(std::string_view text) {
  const fs::NcduImport import = fs::read_ncdu(fs::text_source(text));
  const fs::Totals totals(import.scan.tree);
  return {totals.whole().entries(), totals.whole().apparent_bytes, import.scan.complete()};
}

Found scan_floor(const std::string& path, unsigned threads) {
  const bench::FloorSums sums = bench::scan_floor(path, threads);
  return {sums.entries, sums.apparent_bytes, sums.unreadable == 0};
}

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> all = {
      {"serial", false, scan_with<fs::Engine::serial>},
      {"pool", true, scan_with<fs::Engine::pool>},
      {"steal", true, scan_with<fs::Engine::steal>},
      {"lockfree", true, scan_with<fs::Engine::lockfree>},
      {"floor", true, scan_floor},
  };
  return all;
}

struct Case {
  std::string name;
  bench::Shape shape;
  std::vector<unsigned> threads;  // for parallel contenders
};

std::vector<Case> cases() {
  using bench::flat;
  // The same cases on every machine: the experiments in lab/ refer to them by name.
  const std::vector<unsigned> two = {2};
  std::vector<Case> cases;
  // Hardly any work: the cost of having threads at all.
  for (const std::size_t folders : {1, 5, 20, 100}) {
    cases.push_back({"overhead_" + std::to_string(folders), flat(folders, 1), two});
  }
  // The same number of files in a few large directories or in many small ones.
  cases.push_back({"granularity_10x200", flat(10, 200), two});
  cases.push_back({"granularity_100x20", flat(100, 20), two});
  cases.push_back({"granularity_500x4", flat(500, 4), two});
  cases.push_back({"granularity_1000x2", flat(1000, 2), two});
  // "balanced" has the same shape as "flat", so their difference is that of two equal trees.
  cases.push_back({"flat", flat(100, 100), two});
  cases.push_back({"nested", bench::nested(10, 10, 100), two});
  cases.push_back({"balanced", flat(100, 100), two});
  cases.push_back({"skewed", bench::skewed(800, 100, 2), two});
  // All files in one directory: the extreme case of "skewed".
  cases.push_back({"one_folder", flat(1, 20000), two});
  cases.push_back({"scaling", bench::nested(20, 20, 100), {1, 2, 4, 8, 16}});
  return cases;
}

// Trees are created once, when they are first needed.
class Trees {
 public:
  const GeneratedTree& of(const Case& wanted) {
    const auto known = trees_.find(wanted.name);
    if (known != trees_.end()) return known->second;
    const std::string path = folder_.path() + '/' + wanted.name;
    return trees_.try_emplace(wanted.name, path, wanted.shape).first->second;
  }

 private:
  bench::TempFolder folder_;
  std::map<std::string, GeneratedTree> trees_;
};

class Suite {
 public:
  void add_all() {
    for (const Case& each : cases_) {
      for (const Contender& contender : contenders()) {
        if (contender.parallel) {
          for (const unsigned threads : each.threads) add(each, contender, threads);
        } else {
          add(each, contender, 1);
        }
      }
    }
    for (const Case& each : cases_) {
      if (each.name != "nested" && each.name != "one_folder") continue;
      add_ncdu("export", each, &Suite::measure_export);
      add_ncdu("import", each, &Suite::measure_import);
    }
  }

  [[nodiscard]] bool all_right() const { return all_right_; }

 private:
  void add(const Case& on, const Contender& contender, unsigned threads) {
    const std::string name =
        "fs/scan/" + on.name + '/' + contender.name + "/threads:" + std::to_string(threads);
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=, this, &on, &contender](benchmark::State& state) {
                                   measure(state, on, contender, threads);
                                 })
        ->UseRealTime()
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMicrosecond);
  }

  void measure(benchmark::State& state, const Case& on, const Contender& contender,
               unsigned threads) {
    const GeneratedTree& tree = trees_.of(on);
    for (auto _ : state) {
      const Found found = contender.scan(tree.path(), threads);
      if (!check(state, found, tree)) break;
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tree.entries()));
  }

  void add_ncdu(const std::string& what, const Case& on,
                void (Suite::*run)(benchmark::State&, const GeneratedTree&)) {
    const std::string name = "fs/ncdu/" + what + '/' + on.name;
    benchmark::RegisterBenchmark(
        name.c_str(),
        [this, &on, run](benchmark::State& state) { (this->*run)(state, trees_.of(on)); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  }

  void measure_export(benchmark::State& state, const GeneratedTree& tree) {
    const fs::Scan scan = scanned(tree.path());
    std::string text;
    for (auto _ : state) {
      export_to(text, scan);
      benchmark::DoNotOptimize(text.data());
    }
    if (check(state, import_of(text), tree)) set_rates(state, tree, text);
  }

  void measure_import(benchmark::State& state, const GeneratedTree& tree) {
    std::string text;
    export_to(text, scanned(tree.path()));
    for (auto _ : state) {
      if (!check(state, import_of(text), tree)) return;
    }
    set_rates(state, tree, text);
  }

  static void set_rates(benchmark::State& state, const GeneratedTree& tree,
                        const std::string& text) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tree.entries()));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  }

  bool check(benchmark::State& state, const Found& found, const GeneratedTree& tree) {
    if (found.complete && found.entries == tree.entries() &&
        found.apparent_bytes == tree.apparent_bytes()) {
      return true;
    }
    all_right_ = false;
    const std::string message = "found " + std::to_string(found.entries) + " entries with " +
                                std::to_string(found.apparent_bytes) + " bytes, not " +
                                std::to_string(tree.entries()) + " with " +
                                std::to_string(tree.apparent_bytes());
    state.SkipWithError(message.c_str());
    return false;
  }

  const std::vector<Case> cases_ = cases();
  Trees trees_;
  bool all_right_ = true;
};

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Suite suite;
  suite.add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return suite.all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_fs: %s\n", error.what());
    return 1;
  }
}
