// Golden grids: every view and every dialog, in five sizes, in UTF-8 and in ASCII.
//
//   FATHOM_UPDATE_GOLDEN=1 TZ=UTC build/release/bin/test_tui --gtest_filter='Golden.*'
//
// writes tui/test/golden again. Read the difference as a user would before you keep it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "model/applying.h"
#include "model/update.h"
#include "sample.h"
#include "screen/questions.h"
#include "screen/screen.h"

namespace fathom::tui {
namespace {

struct Scene {
  const char* name;
  const char* keys;
};

constexpr Scene kScenes[] = {
    {"tree", ""},
    {"tree-marks", "j jd k "},
    {"tree-range", "jjVjj"},
    {"tree-exclusive", "u"},
    {"tree-names", "njjjjt"},
    {"odd-names", "/odd<Enter><Esc><Enter>"},
    {"links", "/backup<Enter><Esc><Enter>"},
    {"file-info", "G<Enter>"},
    {"filter", "/o"},
    {"filtered", "/o<Enter>j"},
    {"found", "//mail"},
    {"nothing-found", "/zzz"},
    {"largest", "2j"},
    {"types", "3"},
    {"types-filtered", "3/.r<Enter>"},
    {"types-nothing", "3/zzz"},
    {"ages", "4"},
    {"owners", "5j"},
    {"found-by-type", "3<Enter>"},
    {"clean", "6jX"},
    {"clean-info", "6ji"},
    {"clean-filter", "6/o"},
    {"clean-filtered", "6/web<Enter>j"},
    {"clean-heading", "6i"},
    {"clean-skipped", "6G<Enter>Gi"},
    {"duplicates", "8jG<Enter>gd<Enter>jj"},
    {"duplicates-last", "8<Enter>djd"},
    {"duplicates-filtered", "8/lib<Enter>"},
    {"grew", "7jd"},
    {"plan-trash", "djDjjjdP"},
    {"map", "Tj"},
    {"what-if", "IjjI"},
    {"where", ":size > 1GiB and age > 30d<Enter>"},
    {"where-error", ":size > 1GiB and agee > 30d<Enter>"},
    {"where-tree", "::links > 1<Enter>"},
    {"tree-ruled", "61jl"},
    {"info", "ji"},
    {"info-scrolled", "ji<PgDn><PgDn><PgDn>"},
    {"info-unreadable", "/photos<Enter><Esc><Enter>G/secret<Enter>i"},
    {"unreadable", "/photos<Enter>d<Esc><Enter>G/secret<Enter><Esc><Enter>"},
    {"info-excluded", "/mnt<Enter>i"},
    {"plan-pane", "djdjjjdP"},
    {"plan-empty", "P"},
    {"write", "dW"},
    {"help", "?"},
    {"quit", "dq"},
    {"message", "U"},
    {"filtered-and-chosen", ":size > 1GiB<Enter>/a<Enter>"},
};

struct Size {
  unsigned width;
  unsigned height;
};

constexpr Size kSizes[] = {{40, 12}, {60, 10}, {80, 24}, {132, 43}, {200, 60}};

void expect_golden(const std::string& name, const std::string& shown) {
  const std::filesystem::path path = std::filesystem::path(FATHOM_GOLDEN_FOLDER) / name;
  if (const char* update = std::getenv("FATHOM_UPDATE_GOLDEN");
      update != nullptr && *update == '1') {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << shown;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(shown, expected.str()) << "differs from " << path;
}

// The text, and in one size the styles.
std::string shown(const State& state) {
  const Grid grid = draw(state);
  std::string text = text_of(grid);
  if (state.width == 80 && state.settings.unicode) text += "---- styles\n" + styles_of(grid);
  return text;
}

std::string file_name(const char* scene, Size size, bool unicode) {
  return std::string(scene) + '/' + std::to_string(size.width) + 'x' + std::to_string(size.height) +
         (unicode ? ".utf8" : ".ascii");
}

class Golden : public testing::Test {
 protected:
  // Dates are local.
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
};

TEST_F(Golden, EveryScreen) {
  for (const Scene& scene : kScenes) {
    for (const Size size : kSizes) {
      for (const bool unicode : {true, false}) {
        State state = sample_state(unicode);
        take_size(state, size.width, size.height);
        type(state, scene.keys);
        expect_golden(file_name(scene.name, size, unicode), shown(state));
      }
    }
  }
}

TEST_F(Golden, TheQuestionBeforeAPlanIsApplied) {
  for (const Size size : kSizes) {
    for (const bool unicode : {true, false}) {
      State state = sample_state(unicode);
      state.settings.can_apply = true;
      take_size(state, size.width, size.height);
      type(state, "djdjjjDPA");
      expect_golden(file_name("apply", size, unicode), shown(state));
      type(state, "Ddel");
      expect_golden(file_name("delete", size, unicode), shown(state));
    }
  }
}

// A reason that has several lines of a panel, and more than there are below the list.
constexpr const char* kWhyLeft =
    "it has changed since the scan: shop/target/debug/incremental/shop-1qz8x4k2b7c3d/"
    "s-h3a8q1v5xk-0f9m2ty-working/query-cache.bin is 4,096 bytes larger than what was seen, and "
    "shop/target/debug/.fingerprint/shop-8c1f4e7b2a9d6035/bin-shop.json is new";

TEST_F(Golden, WhyAnEntryOfThePlanWasNotMoved) {
  for (const Size size : kSizes) {
    for (const bool unicode : {true, false}) {
      State state = sample_state(unicode);
      take_size(state, size.width, size.height);
      type(state, "djdP");
      take_applied(state, {.moved = 1, .left = {{1, kWhyLeft}}});
      type(state, "P");
      expect_golden(file_name("plan-left", size, unicode), shown(state));
      type(state, "i");
      expect_golden(file_name("plan-info", size, unicode), shown(state));
    }
  }
}

TEST_F(Golden, WhileTheScanRuns) {
  for (const Size size : kSizes) {
    for (const bool unicode : {true, false}) {
      State state = sample_state(unicode);
      take_size(state, size.width, size.height);
      take_facts(state, sample_facts(true));
      state.progress = {.running = true, .entries = 312'000, .seconds = 1};
      expect_golden(file_name("scanning", size, unicode), shown(state));
    }
  }
}

TEST_F(Golden, WhileSomethingIsSearched) {
  State state = sample_state();
  static_cast<void>(press(state, {Key::Kind::text, "6"}));
  begin_search(state, *wanted_search(state));
  expect_golden("searching/80x24.utf8", shown(state));
}

TEST_F(Golden, WithoutASnapshot) {
  State state = sample_state();
  static_cast<void>(press(state, {Key::Kind::text, "7"}));
  fail_search(state, Search::growth,
              "no snapshot of /home/ada/code is kept; `fathom snapshot` keeps one");
  expect_golden("no-snapshot/80x24.utf8", shown(state));
}

TEST_F(Golden, TheQuestionBeforeAPlanIsMovedBack) {
  State state = sample_state();
  state.undoable = Undoable::last;
  take_size(state, 40, 12);
  type(state, "U");
  expect_golden("undo/40x12.utf8", shown(state));
}

TEST_F(Golden, ALongMessageHasSeveralLines) {
  State state = sample_state();
  take_size(state, 40, 12);
  state.message = applied_text(state, {.moved = 1, .left = {{1, kWhyLeft}}}, "U", "P");
  expect_golden("message-long/40x12.utf8", shown(state));
  state.message = written_text({.items = 0, .left = {{0, kWhyLeft}}}, "");
  expect_golden("message-longest/40x12.utf8", shown(state));
}

// The last rows are the keys, whatever the sums are.
TEST_F(Golden, QuestionsOnTheSmallestScreen) {
  State state = sample_state();
  state.settings.can_apply = true;
  take_size(state, 40, 10);
  type(state, "djdjjjDP");
  state.planned_sums->entries = 1'204'331;
  state.layer = Layer::apply;
  expect_golden("apply/40x10.utf8", shown(state));
  state.layer = Layer::remove;
  expect_golden("delete/40x10.utf8", shown(state));
  state.layer = Layer::quit;
  expect_golden("quit/40x10.utf8", shown(state));
}

TEST_F(Golden, AScreenThatIsTooSmall) {
  State state = sample_state();
  take_size(state, 39, 12);
  expect_golden("too-small/39x12.utf8", shown(state));
}

}  // namespace
}  // namespace fathom::tui
