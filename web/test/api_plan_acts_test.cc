// Tests of plan/draft, plan/review, plan/apply and plan/undo, on real trees.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <sys/file.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/acts.h"
#include "api_made_tree.h"
#include "fathom/act/plan.h"
#include "fathom/base/fd.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/source.h"
#include "fathom/fs/utf8.h"
#include "fathom/rt/cancel.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::web {
namespace {

using testing::TempTree;

// A tree that was scanned, with acts as the server has them.
class Acted {
 public:
  explicit Acted(bool allowed = true, bool of_saved_scan = false)
      : allowed_(allowed), of_saved_scan_(of_saved_scan) {}

  TempTree& tree() { return tree_; }
  // Scans the tree, by that path if it is given.
  void scan(const std::string& root = "") { scan_roots({root.empty() ? tree_.path() : root}); }
  void scan_roots(std::vector<std::string> roots) {
    fs::ScanOptions options;
    options.roots = std::move(roots);
    snapshot_ = std::make_unique<const Snapshot>(fs::scan(options), 0, 1, false);
    Acting acting;
    acting.allowed = allowed_;
    acting.quarantine = away_.path();
    acting.real_root = [](const std::string& root) {
      return std::filesystem::canonical(root).string();
    };
    acting.keep = [this](const act::Plan&) {
      const std::string journal = state_.path("journal" + std::to_string(++journals_));
      if (before_run_) before_run_(journal);
      return journal;
    };
    acting.tell = [this](const ActNotice& notice) {
      told_ = notice;
      if (on_notice_) on_notice_(notice);
    };
    acts_ = std::make_unique<Acts>(std::move(acting), of_saved_scan_);
  }

  Answer post(std::string_view name, const std::string& body) {
    Question question{.path = name, .snapshot = snapshot_.get()};
    question.method = Method::post;
    question.body = body;
    question.cancel = cancel_.token();
    question.acts = acts_.get();
    return answer(question);
  }
  rapidjson::Document review(const std::string& paths, const std::string& more = "") {
    return parsed(post("plan/review", "{\"paths\":[" + paths + "]" + more + "}").body);
  }
  Answer apply(const rapidjson::Value& review) {
    return post("plan/apply", R"({"digest":")" + std::string(review["digest"].GetString()) +
                                  R"(","items":)" + std::to_string(review["items"].Size()) +
                                  R"(,"code":")" + told_.code + "\"}");
  }
  Answer undo() {
    return post("plan/undo",
                R"({"journal":")" + told_.journal + R"(","code":")" + told_.code + "\"}");
  }

  [[nodiscard]] bool has(const std::string& rel) const {
    return std::filesystem::exists(std::filesystem::symlink_status(tree_.path(rel)));
  }
  [[nodiscard]] std::string quoted(const std::string& rel) const {
    return '"' + tree_.path(rel) + '"';
  }
  [[nodiscard]] const ActNotice& told() const { return told_; }
  [[nodiscard]] const std::string& quarantine() const { return away_.path(); }
  // Called with the journal of a run that is about to begin.
  void before_run(std::function<void(const std::string&)> function) {
    before_run_ = std::move(function);
  }
  void on_notice(std::function<void(const ActNotice&)> function) {
    on_notice_ = std::move(function);
  }
  rt::CancelSource& cancel() { return cancel_; }
  Acts& acts() { return *acts_; }

 private:
  const bool allowed_;
  const bool of_saved_scan_;
  TempTree tree_;
  TempTree state_;
  TempTree away_;
  int journals_ = 0;
  std::function<void(const std::string&)> before_run_;
  std::function<void(const ActNotice&)> on_notice_;
  ActNotice told_;
  rt::CancelSource cancel_;
  std::unique_ptr<const Snapshot> snapshot_;
  std::unique_ptr<Acts> acts_;
};

std::string error_in(const Answer& answer) {
  return std::to_string(answer.status) + ' ' + parsed(answer.body)["error"]["code"].GetString();
}

std::vector<std::string> reasons_in(const rapidjson::Value& review) {
  std::vector<std::string> reasons;
  for (const auto& one : review["refused"].GetArray()) {
    reasons.emplace_back(one["reason"].GetString());
  }
  return reasons;
}

TEST(PlanDraft, IsThePlanThatApplyReads) {
  Acted acted;
  acted.tree().file("a/f", 5000);
  acted.tree().file("b", 10);
  acted.scan();
  const Answer said = acted.post("plan/draft", "{\"paths\":[" + acted.quoted("a") + "," +
                                                   acted.quoted("a/f") + "],\"do\":\"delete\"}");
  EXPECT_EQ(said.status, 200);
  EXPECT_EQ(said.type, "application/x-ndjson");
  const act::Plan plan = act::read_plan(fs::text_source(said.body));
  ASSERT_EQ(plan.items.size(), 1U);
  EXPECT_EQ(plan.path_of(plan.items[0]), acted.tree().path("a"));
  EXPECT_EQ(plan.items[0].action, act::Action::remove);
  EXPECT_EQ(plan.items[0].entries, 2U);
}

TEST(PlanDraft, OfARootBehindALinkHasTheRealPath) {
  Acted acted;
  TempTree elsewhere;
  acted.tree().file("a", 10);
  elsewhere.symlink(acted.tree().path(), "link");
  const std::string root = elsewhere.path("link/");
  acted.scan(root);
  const Answer said = acted.post("plan/draft", "{\"paths\":[\"" + root + "a\"]}");
  const act::Plan plan = act::read_plan(fs::text_source(said.body));
  ASSERT_EQ(plan.items.size(), 1U) << said.body;
  EXPECT_EQ(plan.path_of(plan.items[0]), acted.tree().path("a"));
  const auto review = acted.review("\"" + root + "a\"");
  EXPECT_EQ(bytes_in(review["items"][0], "path"), root + "a");
}

TEST(PlanReview, SaysWhatItWouldDoAndWhatIsRefused) {
  Acted acted;
  acted.tree().file("a/f", 5000);
  acted.tree().file("repository/.git/HEAD", 10);
  acted.tree().file("gone", 10);
  acted.scan();
  std::filesystem::remove(acted.tree().path("gone"));
  const auto json = acted.review(acted.quoted("a") + "," + acted.quoted("repository") + "," +
                                 acted.quoted("gone") + "," + acted.quoted("never"));
  ASSERT_EQ(json["items"].Size(), 1U);
  EXPECT_STREQ(json["items"][0]["do"].GetString(), "quarantine");
  EXPECT_EQ(json["items"][0]["entries"].GetUint64(), 2U);
  EXPECT_EQ(json["entries"].GetUint64(), 2U);
  EXPECT_EQ(json["held_bytes"].GetUint64(), json["items"][0]["used_bytes"].GetUint64());
  EXPECT_EQ(json["freed_bytes"].GetUint64(), 0U);
  ASSERT_EQ(json["refused"].Size(), 2U);
  EXPECT_EQ(bytes_in(json["refused"][0], "path"), acted.tree().path("gone"));
  EXPECT_EQ(bytes_in(json["refused"][1], "path"), acted.tree().path("repository"));
  EXPECT_STREQ(json["unknown"][0].GetString(), acted.tree().path("never").c_str());
  EXPECT_EQ(json["quarantine"].GetString(), acted.quarantine());
  EXPECT_TRUE(json["can_apply"].GetBool());
  EXPECT_TRUE(acted.has("a")) << "a review changes nothing";
}

TEST(PlanReview, RefusesARoot) {
  Acted acted;
  acted.tree().file("a", 1);
  acted.scan();
  const auto json = acted.review("\"" + acted.tree().path() + "\"");
  EXPECT_EQ(json["items"].Size(), 0U);
  EXPECT_STREQ(json["refused"][0]["reason"].GetString(), "it is a root of the scan");
  EXPECT_FALSE(json["can_apply"].GetBool());
}

TEST(PlanReview, RefusesARootAlsoByAnotherPath) {
  Acted acted;
  acted.tree().file("e/x/f/a", 1);
  acted.tree().symlink("x", "e/link");
  const std::string e = acted.tree().path("e");
  acted.scan_roots({e, e + "/link/f/", e + "/link/../x/"});
  EXPECT_EQ(reasons_in(acted.review(acted.quoted("e/x"))),
            std::vector<std::string>{"it is a root of the scan"});
  acted.scan_roots({e, e + "/link/f/"});
  EXPECT_EQ(reasons_in(acted.review(acted.quoted("e/x"))),
            std::vector<std::string>{"it contains a root of the scan"});
  EXPECT_EQ(reasons_in(acted.review(acted.quoted("e/x/f"))),
            std::vector<std::string>{"it is a root of the scan"});
  EXPECT_EQ(acted.review(acted.quoted("e/link"))["items"].Size(), 1U);
}

TEST(PlanReview, PlansWhatIsInARootThatIsChosenToo) {
  Acted acted;
  acted.tree().file("r1/a/f", 1);
  acted.tree().file("r2/b", 1);
  acted.scan_roots({acted.tree().path("r1"), acted.tree().path("r2")});
  const auto json = acted.review(acted.quoted("r1") + "," + acted.quoted("r1/a") + "," +
                                 acted.quoted("r1/a/f") + "," + acted.quoted("r2/b"));
  ASSERT_EQ(json["items"].Size(), 2U);
  EXPECT_EQ(bytes_in(json["items"][0], "path"), acted.tree().path("r1/a"));
  EXPECT_EQ(bytes_in(json["items"][1], "path"), acted.tree().path("r2/b"));
  EXPECT_EQ(reasons_in(json), std::vector<std::string>{"it is a root of the scan"});
}

TEST(PlanReview, FollowsALinkAboveTheRootAsTheScanDid) {
  Acted acted;
  acted.tree().file("one/cache", 1);
  acted.tree().file("two/cache", 1);
  acted.tree().symlink("one", "now");
  const std::string cache = '"' + acted.tree().path("now") + "/cache\"";
  const auto lead_to = [&](const char* name) {
    std::filesystem::remove(acted.tree().path("now"));
    acted.tree().symlink(name, "now");
  };
  acted.scan_roots({acted.tree().path("now") + '/'});
  lead_to("two");
  EXPECT_EQ(reasons_in(acted.review(cache)),
            std::vector<std::string>{"it has changed since the scan: scan it again"});
  acted.scan_roots({acted.tree().path("now") + '/'});
  const auto json = acted.review(cache);
  ASSERT_EQ(json["items"].Size(), 1U);
  EXPECT_EQ(acted.apply(json).status, 200);
  EXPECT_TRUE(acted.has("one/cache"));
  EXPECT_FALSE(acted.has("two/cache"));
}

TEST(PlanApply, MovesWhatWasReviewedAndUndoMovesItBack) {
  Acted acted;
  acted.tree().file("a/f", 5000);
  acted.tree().file("b\xff", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a") + R"(,{"path_b64":")" +
                                   fs::to_base64(acted.tree().path("b\xff")) + "\"}");
  const auto applied = parsed(acted.apply(review).body);
  EXPECT_STREQ(applied["schema"].GetString(), "fathom.applied/1");
  EXPECT_EQ(applied["done"].GetUint64(), 2U);
  EXPECT_EQ(applied["journal"].GetString(), acted.told().journal);
  EXPECT_TRUE(std::string_view(applied["items"][0]["moved_to"].GetString())
                  .starts_with(acted.quarantine()));
  EXPECT_FALSE(acted.has("a"));
  EXPECT_FALSE(acted.has("b\xff"));
  const auto undone = parsed(acted.undo().body);
  EXPECT_EQ(undone["done"].GetUint64(), 2U);
  EXPECT_TRUE(acted.has("a/f"));
  EXPECT_TRUE(acted.has("b\xff"));
  EXPECT_EQ(error_in(acted.undo()), "403 wrong_code");
}

// The server may be stopped before the run ends.
TEST(PlanApply, NamesItsJournalBeforeItMovesAnything) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a"));
  std::string journal;
  acted.on_notice([&](const ActNotice& notice) {
    if (notice.step != ActNotice::Step::begun) return;
    journal = notice.journal;
    EXPECT_TRUE(acted.has("a"));
    EXPECT_EQ(notice.items, 1U);
    EXPECT_EQ(notice.code, "");
  });
  acted.apply(review);
  EXPECT_FALSE(acted.has("a"));
  EXPECT_NE(journal, "");
  EXPECT_EQ(journal, acted.told().journal);
}

// An item that failed may have been moved.
TEST(PlanApply, OfWhichAllItemsFailCanBeUndone) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a"));
  acted.before_run([&](const std::string&) {
    std::filesystem::remove(acted.quarantine());
    const std::ofstream file(acted.quarantine());
  });
  const auto applied = parsed(acted.apply(review).body);
  EXPECT_EQ(applied["done"].GetUint64(), 0U);
  EXPECT_EQ(applied["failed"].GetUint64(), 1U);
  EXPECT_EQ(acted.told().step, ActNotice::Step::applied);
  EXPECT_EQ(acted.told().failed, 1U);
  EXPECT_EQ(acted.undo().status, 200);
  std::filesystem::remove(acted.quarantine());
  std::filesystem::create_directory(acted.quarantine());
}

TEST(PlanApply, ThatEndsInAnErrorNamesItsJournal) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a"));
  base::Fd held;
  acted.before_run([&](const std::string& journal) {
    held = base::Fd(::open(journal.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  });
  const Answer answer = acted.apply(review);
  EXPECT_EQ(error_in(answer), "409 conflict");
  EXPECT_EQ(acted.told().step, ActNotice::Step::applied);
  EXPECT_NE(acted.told().journal, "");
  EXPECT_EQ(parsed(answer.body)["error"]["journal"].GetString(), acted.told().journal);
  EXPECT_TRUE(acted.told().can_undo);
  EXPECT_NE(acted.told().code, "") << "what was moved before the error can be moved back";
}

TEST(PlanUndo, ThatCannotBeginHasAnotherCode) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.scan();
  acted.apply(acted.review(acted.quoted("a")));
  const std::string used = acted.told().code;
  {
    const base::Fd journal(::open(acted.told().journal.c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(journal.get(), LOCK_EX), 0);
    EXPECT_EQ(error_in(acted.undo()), "409 conflict") << "another program uses the journal";
  }
  EXPECT_EQ(acted.told().step, ActNotice::Step::undone);
  EXPECT_NE(acted.told().code, used);
  EXPECT_EQ(acted.undo().status, 200);
  EXPECT_TRUE(acted.has("a"));
}

TEST(PlanApply, RefusesAFileThatHasChangedSinceTheReview) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.tree().file("b", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a") + "," + acted.quoted("b"));
  acted.tree().write("a", "something else");
  const auto applied = parsed(acted.apply(review).body);
  EXPECT_EQ(applied["done"].GetUint64(), 1U);
  EXPECT_EQ(applied["refused"].GetUint64(), 1U);
  EXPECT_STREQ(applied["items"][0]["why"].GetString(), "it has changed since the plan was made");
  EXPECT_TRUE(acted.has("a"));
  EXPECT_FALSE(acted.has("b"));
}

TEST(PlanApply, NeverDeletes) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a"), R"(,"do":"delete")");
  EXPECT_EQ(review["items"].Size(), 1U);
  EXPECT_FALSE(review["can_apply"].GetBool());
  EXPECT_EQ(error_in(acted.apply(review)), "409 conflict");
  EXPECT_TRUE(acted.has("a"));
}

TEST(PlanApply, IsRefusedWithoutPermission) {
  Acted acted(/*allowed=*/false);
  acted.tree().file("a", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a"));
  EXPECT_FALSE(review["can_apply"].GetBool());
  EXPECT_EQ(error_in(acted.apply(review)), "403 not_allowed");
  EXPECT_EQ(error_in(acted.undo()), "403 not_allowed");
  EXPECT_TRUE(acted.has("a"));
}

TEST(PlanApply, EndsWhenTheServerStops) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.scan();
  const auto review = acted.review(acted.quoted("a"));
  acted.acts().cancel();
  EXPECT_TRUE(parsed(acted.apply(review).body)["cancelled"].GetBool());
  EXPECT_TRUE(acted.has("a"));
}

TEST(PlanReview, ThatIsCancelledHasNoCode) {
  Acted acted;
  acted.tree().file("a", 10);
  acted.scan();
  acted.cancel().cancel();
  EXPECT_EQ(acted.post("plan/review", "{\"paths\":[" + acted.quoted("a") + "]}").status, 503);
  EXPECT_EQ(acted.told().code, "");
}

TEST(Plan, OfASavedScanIsRefused) {
  Acted acted(/*allowed=*/true, /*of_saved_scan=*/true);
  acted.tree().file("a", 10);
  acted.scan();
  for (const char* const name : {"plan/draft", "plan/review"}) {
    EXPECT_EQ(error_in(acted.post(name, "{\"paths\":[" + acted.quoted("a") + "]}")),
              "409 conflict");
  }
  EXPECT_EQ(error_in(acted.post("plan/apply", R"({"digest":"","items":1,"code":""})")),
            "403 not_allowed");
  EXPECT_EQ(acted.post("plan/sums", "{\"paths\":[" + acted.quoted("a") + "]}").status, 200);
}

TEST(Plan, IsRefusedForInvalidBodies) {
  Acted acted;
  acted.scan();
  for (const char* const name : {"plan/draft", "plan/review"}) {
    for (const char* const body :
         {"", "{}", R"({"paths":[],"do":"shred"})", R"({"paths":[],"do":1})", R"({"paths":1})"}) {
      EXPECT_EQ(error_in(acted.post(name, body)), "400 bad_request") << body;
    }
  }
  for (const char* const body :
       {"", "{}", R"({"digest":"x","items":1})", R"({"digest":"x","items":"1","code":"x"})",
        R"({"digest":"x","items":-1,"code":"x"})",
        R"({"digest":"x","items":1,"code":"x","do":""})"}) {
    EXPECT_EQ(error_in(acted.post("plan/apply", body)), "400 bad_request") << body;
  }
  for (const char* const body : {"{}", R"({"journal":"x"})", R"({"journal_b64":"?","code":""})"}) {
    EXPECT_EQ(error_in(acted.post("plan/undo", body)), "400 bad_request") << body;
  }
}

}  // namespace
}  // namespace fathom::web
