// Acts: codes, and what they allow.

#include "api/acts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "access/token.h"

namespace fathom::web {

namespace {

constexpr std::size_t kMostPermits = 16;  // of each kind
constexpr unsigned kMostWrong = 5;

std::string digest_of(const act::Plan& plan) {
  std::string text;
  act::write_plan(plan, [&text](std::string_view block) {
    text += block;
    return true;
  });
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::array<char, 33> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits.data();
}

bool is_to_trash(const act::Plan& plan) {
  return !plan.items.empty() && plan.items.front().action == act::Action::trash;
}

// As the user may type it.
std::string plain(std::string_view code) {
  std::string text;
  for (const char byte : code) {
    if (byte == '-' || byte == ' ') continue;
    text += byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
  }
  return text;
}

}  // namespace

Acts::Acts(Acting acting, bool of_saved_scan)
    : acting_(std::move(acting)), of_saved_scan_(of_saved_scan) {}

bool Acts::accepts(const act::Plan& plan) const {
  return can_apply() && !plan.items.empty() &&
         std::none_of(plan.items.begin(), plan.items.end(),
                      [](const act::PlanItem& item) { return item.action == act::Action::remove; });
}

// Replaces an earlier permit of the same name.
std::string Acts::permit(Permits& permits, std::string name, act::Plan plan) {
  std::string code = make_code();
  std::erase_if(permits, [&](const Permit& known) { return known.name == name; });
  permits.push_back({std::move(name), plain(code), 0, std::move(plan)});
  if (permits.size() > kMostPermits) permits.pop_front();
  return code;
}

Acts::Permit* Acts::find(Permits& permits, std::string_view name) {
  const auto found = std::find_if(permits.begin(), permits.end(),
                                  [&](const Permit& permit) { return permit.name == name; });
  return found == permits.end() ? nullptr : &*found;
}

std::optional<Answer> Acts::refuse_code(Permit& permit, std::string_view code) {
  if (permit.code.empty()) {
    return error_answer(403, "wrong_code", "the code was used, or guessed wrong too often");
  }
  if (is_same_secret(plain(code), permit.code)) {
    permit.code.clear();
    return std::nullopt;
  }
  if (++permit.wrong == kMostWrong) permit.code.clear();
  return error_answer(403, "wrong_code", "this is not the code that the terminal shows");
}

std::string Acts::permit_undo(const std::string& journal) {
  return cancel_.cancelled() ? "" : permit(runs_, journal, {});
}

std::string Acts::add(const act::Plan& plan) {
  std::string digest = digest_of(plan);
  if (!accepts(plan)) return digest;
  const std::lock_guard lock(mutex_);
  ActNotice notice{.step = ActNotice::Step::reviewed, .to_trash = is_to_trash(plan)};
  notice.code = permit(reviews_, digest, plan);
  notice.items = plan.items.size();
  notice.held_bytes = plan.totals ? plan.totals->held : 0;
  acting_.tell(notice);
  return digest;
}

std::variant<act::Plan, Answer> Acts::take(std::string_view digest, std::uint64_t items,
                                           std::string_view code) {
  const std::lock_guard lock(mutex_);
  Permit* const review = find(reviews_, digest);
  if (review == nullptr) {
    return error_answer(409, "conflict", "no review has this digest; review the plan again");
  }
  if (!review->code.empty() && review->plan.items.size() != items) {
    return error_answer(409, "conflict",
                        "the reviewed plan has another number of items; review it again");
  }
  if (auto refused = refuse_code(*review, code)) return *std::move(refused);
  return std::exchange(review->plan, {});
}

void Acts::begun(const std::string& journal, const act::Plan& plan) {
  const std::lock_guard lock(mutex_);
  acting_.tell({.step = ActNotice::Step::begun,
                .items = plan.items.size(),
                .to_trash = is_to_trash(plan),
                .journal = journal});
}

void Acts::applied(const std::string& journal, const act::Plan& plan, const act::Applied& ran) {
  const std::lock_guard lock(mutex_);
  ActNotice notice{.step = ActNotice::Step::applied,
                   .items = ran.done,
                   .failed = ran.failed,
                   .held_bytes = ran.held,
                   .to_trash = is_to_trash(plan),
                   .journal = journal,
                   .can_undo = ran.done + ran.failed > 0};
  if (notice.can_undo) notice.code = permit_undo(journal);
  acting_.tell(notice);
}

std::optional<Answer> Acts::refuse_undo(std::string_view journal, std::string_view code) {
  const std::lock_guard lock(mutex_);
  Permit* const run = find(runs_, journal);
  if (run == nullptr) {
    return error_answer(404, "not_found",
                        "this server has written no such journal; use fathom undo");
  }
  return refuse_code(*run, code);
}

void Acts::undone(const std::string& journal, std::uint64_t done, bool complete) {
  const std::lock_guard lock(mutex_);
  ActNotice notice{
      .step = ActNotice::Step::undone, .items = done, .journal = journal, .can_undo = !complete};
  if (notice.can_undo) notice.code = permit_undo(journal);
  acting_.tell(notice);
}

}  // namespace fathom::web
