// ReadyChannels: which channels may have ready tasks, so that a search skips the others.
//
// One bit per channel. It is set when a push ends, and cleared only if the channel was empty in
// between: no later search misses a task. A bit may remain set after the last task was taken; it
// costs a look at that channel.
//
// To clear bits, a thread first doubts their word, then looks at the channels again, and clears
// those that are empty unless somebody has removed the doubt or doubted anew. A push that finds
// its bit set and no doubt changes nothing, so a channel that is seldom empty costs its producers
// one load of a word that nobody writes. The bits of up to four channels are always set.
//
//   ReadyChannels channels(words, count);
//   tasks_of(channel).push_in_order(first, last);
//   channels.note(channel);
//   channels.find(first, [&](unsigned channel) { return take_from(channel); });
//   channels.forget([&](unsigned channel) { return tasks_of(channel).empty_in_order(); });

#pragma once

#include <bit>
#include <cstdint>

#include "fathom/base/atomic.h"

namespace fathom::sched {

class ReadyChannels {
 public:
  using Word = base::atomic<std::uint64_t>;
  static constexpr unsigned kPerWord = 32;

  ReadyChannels(Word* words, unsigned channels) noexcept : words_(words), channels_(channels) {}

  // Any thread, after each push to the channel.
  void note(unsigned channel) noexcept {
    if (channels_ > kFew) set_bit(channel);  // those of few are always set
  }

  // Any thread. Calls f(channel) for each channel that may have ready tasks, from `first` to the
  // last one and then from 0 on, until it returns true; returns whether it did.
  template <class F>
  bool find(unsigned first, const F& f) const noexcept {
    if (none()) return false;
    const unsigned words = number_of_words();
    const unsigned begin = first / kPerWord;
    const std::uint32_t from_first = ~0U << first % kPerWord;
    unsigned at = begin;
    std::uint32_t among = from_first;
    for (unsigned looked = 0; looked <= words; ++looked) {
      std::uint32_t bits = bits_of(words_[at].load(base::memory_order_relaxed)) & among;
      for (; bits != 0; bits &= bits - 1) {
        if (f(at * kPerWord + static_cast<unsigned>(std::countr_zero(bits)))) return true;
      }
      if (++at == words) at = 0;
      among = at == begin ? ~from_first : ~0U;
    }
    return false;
  }

  // Any thread. Clears the bits of channels for which is_empty(channel) is true; it must load with
  // seq_cst. Clears none in words that other threads change meanwhile, and none of few channels.
  template <class IsEmpty>
  void forget(const IsEmpty& is_empty) noexcept {
    if (channels_ <= kFew) return;
    for (unsigned at = 0; at < number_of_words(); ++at) {
      std::uint64_t seen = words_[at].load(base::memory_order_relaxed);
      if (bits_of(seen) == 0) continue;
      std::uint64_t doubted = (seen | kDoubt) + kOneDoubt;
      // [K7] seq_cst: before the looks.
      if (!words_[at].compare_exchange_strong(seen, doubted, base::memory_order_seq_cst,
                                              base::memory_order_relaxed)) {
        continue;
      }
      std::uint64_t kept = doubted & ~kDoubt;
      for (std::uint32_t bits = bits_of(seen); bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(bits));
        if (is_empty(at * kPerWord + bit)) kept &= ~(std::uint64_t{1} << bit);
      }
      words_[at].compare_exchange_strong(doubted, kept, base::memory_order_relaxed,
                                         base::memory_order_relaxed);
    }
  }

  // Before the first call, and whenever no other thread is in one: there are no ready tasks.
  void reset() noexcept {
    for (unsigned at = 0; at < number_of_words(); ++at) {
      words_[at].store(0, base::memory_order_relaxed);
    }
    if (channels_ <= kFew) words_[0].store((1U << channels_) - 1, base::memory_order_relaxed);
  }

 private:
  // A word: 32 bits for channels, whether they are doubted, and the number of doubts so far. It
  // would take 2^31 doubts during one call to mistake one for another.
  static constexpr std::uint64_t kDoubt = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kOneDoubt = std::uint64_t{1} << 33;

  // To look at so many channels costs less than to set and clear their bits.
  static constexpr unsigned kFew = 4;

  // Not inlined, so that its callers are.
  [[gnu::noinline]] void set_bit(unsigned channel) noexcept {
    Word& word = words_[channel / kPerWord];
    const std::uint64_t bit = std::uint64_t{1} << channel % kPerWord;
    // [K7] seq_cst, like the push before it: pairs with the doubt and the looks in forget(). Either
    // they see the push, or this sees the doubt.
    std::uint64_t seen = word.load(base::memory_order_seq_cst);
    while ((seen & (bit | kDoubt)) != bit) {
      // [K7]
      if (word.compare_exchange_weak(seen, (seen | bit) & ~kDoubt, base::memory_order_seq_cst,
                                     base::memory_order_seq_cst)) {
        return;
      }
    }
  }

  [[nodiscard]] bool none() const noexcept {
    std::uint64_t all = 0;
    for (unsigned at = 0; at < number_of_words(); ++at) {
      all |= words_[at].load(base::memory_order_relaxed);
    }
    return bits_of(all) == 0;
  }

  static std::uint32_t bits_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word);
  }
  [[nodiscard]] unsigned number_of_words() const noexcept {
    return (channels_ + kPerWord - 1) / kPerWord;
  }

  Word* const words_;
  const unsigned channels_;
};

}  // namespace fathom::sched
