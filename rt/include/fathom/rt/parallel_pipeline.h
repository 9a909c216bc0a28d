// parallel_pipeline(): items pass through stages, a bounded number of them at a time.
//
//   struct Line { std::string text; std::uint64_t hash = 0; };
//   std::vector<Line> lines(16);                                       // at most 16 in flight
//   parallel_pipeline(executor, lines,
//       in_order([&](Line& line) { return !!std::getline(in, line.text); }),  // false: the end
//       in_parallel([](Line& line) { line.hash = hash(line.text); }),
//       in_order([&](Line& line) { out << line.hash << ' ' << line.text << '\n'; }));
//
// Guarantees: an item is what the first stage makes in a slot; the other stages are called with the
// same slot, one after another. A stage in order is called with one item at a time, in the order in
// which the first stage made them; a stage in parallel with any number of them. Each call sees what
// the calls for its item did before, and a stage in order what its own calls did before. A slot is
// used again, with what it contains by then, for the item that follows by as many as there are
// slots: so a slow item holds up the pipeline when all other slots have passed it.
//
// Returns when the first stage has returned false and all items have passed. If a stage throws, the
// first exception seen is rethrown after all calls that have begun are over, and no others begin;
// so it is when the token is cancelled or reaches its deadline, but then it returns false. The
// slots keep what they have.
//
// Work is started by the calls themselves: the thread that ends a call continues with the same item
// if it can, and lets other workers take the item that follows. The slots and the functions are the
// caller's; a run allocates about 128 bytes per slot, and nothing per item, except where the
// executor's queues have to grow. A worker that calls takes part and may run other tasks
// meanwhile: executor.h says which, and what that forbids. Other threads sleep. Throws base::Error
// if there are no slots, or if the executor has no thread and can start none.
//
// Each call waits for at most two others: that of the stage before for the same item, and, in
// order, that of the same stage for the item before (Chiu, Huang, Guo and Lin, "Pipeflow", HPDC
// 2022). Whichever of the two ends last starts it.

#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fathom/base/cache_line.h"
#include "fathom/base/error.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/detail/join_count.h"
#include "fathom/rt/detail/token_check.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt {

namespace detail {

template <bool in_order, class F>
struct PipelineStage {
  static constexpr bool kInOrder = in_order;
  F function;
};

template <class Item, class First, class... Others>
class PipelineRun {
  static_assert(First::kInOrder, "the first stage must be in order: it makes one item at a time");
  static constexpr std::size_t kStages = 1 + sizeof...(Others);
  static constexpr std::array<bool, kStages> kInOrder = {First::kInOrder, Others::kInOrder...};

 public:
  PipelineRun(Executor& executor, const CancelToken& token, std::span<Item> items, First& first,
              Others&... others)
      : token_(token),
        items_(items),
        stages_(first, others...),
        group_(executor),
        slots_(new Slot[items.size()]) {
    for (std::size_t i = 0; i != items_.size(); ++i) {
      slots_[i].owner = this;
      for (JoinCount& turn : slots_[i].turns) turn.expect(2);
      if (i != 0) slots_[i].turns[0].arrive();  // it is free
    }
    // Nothing precedes the first item.
    for (std::size_t stage = 1; stage != kStages; ++stage) slots_[0].turns[stage].arrive();
  }

  bool run() {
    group_.submit(slots_[0]);
    return token_.wait(group_) == TaskGroup::Ended::done;
  }

 private:
  // Carries an item through the stages, and then the next one.
  struct alignas(base::kCacheLine) Slot final : GroupTask {
    void run(unsigned /*worker*/) override { owner->carry(this); }

    PipelineRun* owner = nullptr;
    std::size_t stage = 0;  // which this slot waits for or is in
    // For each stage in order: that the slot has arrived there, and that the slot before has left.
    std::array<JoinCount, kStages> turns;
  };

  // Calls the stage that the slot is in, and those that become possible by that.
  void carry(Slot* slot) {
    while (slot != nullptr && !stopped()) {
      const std::size_t stage = slot->stage;
      if (!kCalls[stage](*this, item_of(*slot))) return;  // there are no more items
      Slot* const follower = kInOrder[stage] ? let_pass(next_of(*slot), stage) : nullptr;
      Slot* const same = move_on(*slot);
      if (same != nullptr && follower != nullptr) group_.submit(*follower);
      slot = same != nullptr ? same : follower;
    }
  }

  bool stopped() {
    if (token_.is_cancelled()) group_.cancel();
    return group_.cancelled();
  }

  // The slot if it has arrived at the stage: it is the caller's to carry. Otherwise null.
  static Slot* let_pass(Slot& slot, std::size_t stage) noexcept {
    return slot.turns[stage].arrive() ? &slot : nullptr;
  }

  // The slot if it may enter the next stage. Otherwise null: then it may belong to another thread.
  static Slot* move_on(Slot& slot) noexcept {
    const std::size_t stage = (slot.stage + 1) % kStages;
    slot.stage = stage;
    return !kInOrder[stage] || slot.turns[stage].arrive() ? &slot : nullptr;
  }

  Slot& next_of(Slot& slot) const noexcept {
    return &slot == &slots_[items_.size() - 1] ? slots_[0] : *(&slot + 1);
  }
  Item& item_of(const Slot& slot) const noexcept {
    return items_[static_cast<std::size_t>(&slot - slots_.get())];
  }

  // Calls a stage; returns whether there is an item.
  template <std::size_t stage>
  static bool call(PipelineRun& run, Item& item) {
    if constexpr (stage == 0) {
      return std::get<0>(run.stages_).function(item);
    } else {
      static_cast<void>(std::get<stage>(run.stages_).function(item));
      return true;
    }
  }
  template <std::size_t... stages>
  static constexpr auto calls_of(std::index_sequence<stages...> /*unused*/) {
    return std::array<bool (*)(PipelineRun&, Item&), kStages>{&call<stages>...};
  }
  static constexpr auto kCalls = calls_of(std::make_index_sequence<kStages>());

  const TokenCheck token_;
  const std::span<Item> items_;
  const std::tuple<First&, Others&...> stages_;
  TaskGroup group_;
  const std::unique_ptr<Slot[]> slots_;
};

}  // namespace detail

// A stage that is called with one item at a time, in their order.
template <class F>
[[nodiscard]] auto in_order(F&& function) {
  return detail::PipelineStage<true, std::decay_t<F>>{std::forward<F>(function)};
}

// A stage that is called with several items at the same time.
template <class F>
[[nodiscard]] auto in_parallel(F&& function) {
  return detail::PipelineStage<false, std::decay_t<F>>{std::forward<F>(function)};
}

// Runs items through the stages, which in_order() and in_parallel() make of functions of `Item&`.
// The first returns whether it has made an item; what others return is ignored. Returns whether all
// items have passed; false if the token was cancelled before, by its deadline too.
template <std::ranges::contiguous_range Slots, class... Stages>
requires(sizeof...(Stages) > 0) bool parallel_pipeline(Executor& executor, const CancelToken& token,
                                                       Slots&& slots, Stages... stages) {
  const std::span items(slots);
  if (items.empty()) throw base::Error("a pipeline needs at least one slot");
  using Item = typename decltype(items)::element_type;
  return detail::PipelineRun<Item, Stages...>(executor, token, items, stages...).run();
}

template <std::ranges::contiguous_range Slots, class... Stages>
void parallel_pipeline(Executor& executor, Slots&& slots, Stages... stages) {
  static_cast<void>(parallel_pipeline(executor, CancelToken(), slots, std::move(stages)...));
}

}  // namespace fathom::rt
