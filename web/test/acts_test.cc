// Tests of Acts: what a one-time code allows.

#include "api/acts.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::web {
namespace {

act::Plan plan_of(std::size_t items, act::Action action = act::Action::quarantine) {
  act::Plan plan;
  plan.roots = {"/srv"};
  plan.totals.emplace().held = 4096;
  for (std::size_t i = 0; i < items; ++i) {
    act::PlanItem& item = plan.items.emplace_back();
    item.action = action;
    item.path = "f" + std::to_string(i);
  }
  return plan;
}

// Acts whose notices the test reads as the user would.
class ToldActs {
 public:
  explicit ToldActs(bool allowed = true, bool of_saved_scan = false)
      : acts_(acting(allowed), of_saved_scan) {}

  Acts& acts() { return acts_; }
  [[nodiscard]] const std::vector<ActNotice>& told() const { return told_; }
  [[nodiscard]] std::string code() const { return told_.back().code; }

  // "moved N items", or the status and code of the refusal.
  std::string take(std::string_view digest, std::uint64_t items, std::string_view code) {
    const std::variant<act::Plan, Answer> taken = acts_.take(digest, items, code);
    if (const auto* const plan = std::get_if<act::Plan>(&taken)) {
      return "plan of " + std::to_string(plan->items.size());
    }
    return refusal(std::get<Answer>(taken));
  }

  static std::string refusal(const Answer& answer) {
    const std::size_t code = answer.body.find("\"code\":\"") + 8;
    return std::to_string(answer.status) + ' ' +
           answer.body.substr(code, answer.body.find('"', code) - code);
  }

 private:
  Acting acting(bool allowed) {
    Acting acting;
    acting.allowed = allowed;
    acting.keep = [](const act::Plan&) { return "/journal"; };
    acting.tell = [this](const ActNotice& notice) { told_.push_back(notice); };
    return acting;
  }

  std::vector<ActNotice> told_;
  Acts acts_;
};

TEST(Acts, TellTheCodeOfAReviewedPlanAndAcceptItOnce) {
  ToldActs told;
  const std::string digest = told.acts().add(plan_of(3));
  EXPECT_EQ(digest.size(), 32U);
  ASSERT_EQ(told.told().size(), 1U);
  EXPECT_EQ(told.told()[0].step, ActNotice::Step::reviewed);
  EXPECT_EQ(told.told()[0].items, 3U);
  EXPECT_EQ(told.told()[0].held_bytes, 4096U);
  EXPECT_EQ(told.take(digest, 3, told.code()), "plan of 3");
  EXPECT_EQ(told.take(digest, 3, told.code()), "403 wrong_code") << "it was used";
}

TEST(Acts, AcceptACodeAsPeopleTypeIt) {
  ToldActs told;
  const std::string digest = told.acts().add(plan_of(1));
  std::string typed;
  for (const char byte : told.code()) {
    if (byte != '-') typed += static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
    typed += ' ';
  }
  EXPECT_EQ(told.take(digest, 1, typed), "plan of 1");
}

TEST(Acts, DoNotAcceptTheCodeOfAnotherPlan) {
  ToldActs told;
  const std::string first = told.acts().add(plan_of(1));
  const std::string code = told.code();
  const std::string second = told.acts().add(plan_of(2));
  EXPECT_NE(first, second);
  EXPECT_EQ(told.take(second, 2, code), "403 wrong_code");
  EXPECT_EQ(told.take(first, 1, code), "plan of 1");
}

TEST(Acts, ForgetACodeAfterFiveWrongGuesses) {
  ToldActs told;
  const std::string digest = told.acts().add(plan_of(1));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(told.take(digest, 1, "AAAA-AAAA"), "403 wrong_code");
  EXPECT_EQ(told.take(digest, 1, told.code()), "403 wrong_code");
  EXPECT_EQ(told.take(digest, 1, ""), "403 wrong_code") << "no code is not a code";
}

TEST(Acts, DoNotApplyMoreItemsThanWereReviewed) {
  ToldActs told;
  const std::string digest = told.acts().add(plan_of(2));
  EXPECT_EQ(told.take(digest, 3, told.code()), "409 conflict");
  EXPECT_EQ(told.take(digest, 1, told.code()), "409 conflict");
  EXPECT_EQ(told.take(digest, 2, told.code()), "plan of 2");
}

TEST(Acts, DoNotKnowAPlanThatWasNotReviewed) {
  ToldActs told;
  told.acts().add(plan_of(1));
  EXPECT_EQ(told.take("", 1, told.code()), "409 conflict");
  EXPECT_EQ(told.take(std::string(32, '0'), 1, told.code()), "409 conflict");
}

TEST(Acts, ANewReviewReplacesTheCodeOfTheSamePlan) {
  ToldActs told;
  const std::string digest = told.acts().add(plan_of(1));
  const std::string old = told.code();
  EXPECT_EQ(told.acts().add(plan_of(1)), digest);
  EXPECT_EQ(told.take(digest, 1, old), "403 wrong_code");
  EXPECT_EQ(told.take(digest, 1, told.code()), "plan of 1");
}

TEST(Acts, KeepOnlyTheLatestReviews) {
  ToldActs told;
  const std::string digest = told.acts().add(plan_of(1));
  const std::string code = told.code();
  for (std::size_t i = 2; i <= 17; ++i) told.acts().add(plan_of(i));
  EXPECT_EQ(told.take(digest, 1, code), "409 conflict");
}

TEST(Acts, HaveNoCodeForAPlanThatDeletesOrDoesNothing) {
  ToldActs told;
  act::Plan mixed = plan_of(2);
  mixed.items.back().action = act::Action::remove;
  for (const act::Plan& plan : {plan_of(1, act::Action::remove), mixed, plan_of(0)}) {
    EXPECT_FALSE(told.acts().accepts(plan));
    const std::string digest = told.acts().add(plan);
    EXPECT_EQ(told.take(digest, plan.items.size(), ""), "409 conflict");
  }
  EXPECT_TRUE(told.told().empty());
  EXPECT_TRUE(told.acts().accepts(plan_of(1, act::Action::trash)));
}

TEST(Acts, HaveNoCodesUnlessTheyAreAllowed) {
  ToldActs forbidden(false);
  EXPECT_FALSE(forbidden.acts().can_apply());
  forbidden.acts().add(plan_of(1));
  EXPECT_TRUE(forbidden.told().empty());
  EXPECT_FALSE(ToldActs(true, /*of_saved_scan=*/true).acts().can_apply());
}

TEST(Acts, LetARunBeUndoneOnce) {
  ToldActs told;
  Acts& acts = told.acts();
  acts.applied("/j1", plan_of(2), {.done = 2, .held = 4096});
  EXPECT_EQ(told.told().back().journal, "/j1");
  const std::string code = told.code();
  EXPECT_EQ(ToldActs::refusal(*acts.refuse_undo("/j1", "AAAA-AAAA")), "403 wrong_code");
  EXPECT_EQ(ToldActs::refusal(*acts.refuse_undo("/etc/passwd", code)), "404 not_found");
  EXPECT_EQ(acts.refuse_undo("/j1", code), std::nullopt);
  EXPECT_EQ(ToldActs::refusal(*acts.refuse_undo("/j1", code)), "403 wrong_code");
}

TEST(Acts, LetARunBeUndoneAgainIfSomethingIsLeft) {
  ToldActs told;
  told.acts().applied("/j", plan_of(2), {.done = 2});
  told.acts().undone("/j", 1, /*complete=*/false);
  EXPECT_EQ(told.acts().refuse_undo("/j", told.code()), std::nullopt);
  EXPECT_TRUE(told.told().back().can_undo);
  told.acts().undone("/j", 1, /*complete=*/true);
  EXPECT_EQ(told.code(), "");
  EXPECT_FALSE(told.told().back().can_undo);
}

// An item that was moved fails if the disk does not confirm it.
TEST(Acts, LetARunBeUndoneOfWhichAllItemsFailed) {
  ToldActs told;
  told.acts().applied("/j", plan_of(2), {.failed = 2});
  EXPECT_EQ(told.told().back().items, 0U);
  EXPECT_EQ(told.told().back().failed, 2U);
  EXPECT_TRUE(told.told().back().can_undo);
  EXPECT_EQ(told.acts().refuse_undo("/j", told.code()), std::nullopt);
}

// The code would be void before anybody could type it.
TEST(Acts, HaveNoCodeForARunThatEndsWithTheServer) {
  ToldActs told;
  told.acts().cancel();
  told.acts().applied("/j", plan_of(2), {.done = 1, .cancelled = true});
  EXPECT_TRUE(told.told().back().can_undo);
  EXPECT_EQ(told.code(), "");
  told.acts().undone("/j", 0, /*complete=*/false);
  EXPECT_TRUE(told.told().back().can_undo);
  EXPECT_EQ(told.code(), "");
}

TEST(Acts, HaveNothingToUndoIfEverythingWasRefused) {
  ToldActs told;
  told.acts().applied("/j", plan_of(2), {.refused = 2});
  EXPECT_EQ(told.told().back().journal, "/j");
  EXPECT_FALSE(told.told().back().can_undo);
  EXPECT_EQ(told.code(), "");
  EXPECT_EQ(ToldActs::refusal(*told.acts().refuse_undo("/j", "")), "404 not_found");
}

}  // namespace
}  // namespace fathom::web
