// The setters and checks of the flags of shards.

#include "flags/shard_flags.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <system_error>

#include "term/message.h"

namespace fathom::cli {

void set_budget(ScanRequest& request, const Flag& flag, std::string_view argument) {
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  std::uint64_t number = 0;
  const char* const end = argument.data() + argument.size();
  const auto [stop, error] = std::from_chars(argument.data(), end, number);
  if (error != std::errc() || number == 0 || number > kMost) refuse(flag, argument);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  fs::Shard& budget = request.shard.budget;
  if (unit.empty()) {
    budget.most_entries = number;
  } else if (unit == "ms" && number <= kMost / 1000) {
    budget.most_time = std::chrono::milliseconds(number);
  } else if (unit == "s" && number <= kMost / 1'000'000) {
    budget.most_time = std::chrono::seconds(number);
  } else {
    refuse(flag, argument);
  }
}

void set_rest(ScanRequest& request, const Flag& flag, std::string_view argument) {
  const auto work = store::PartWork::parse(argument);
  if (!work) refuse(flag, argument);
  request.shard.work = *work;
}

void check_shard(const ScanRequest& request, std::span<const Flag> flags, const Arguments& given) {
  const bool shard = request.shard.wanted;
  for (const Arguments::Given& each : given.flags) {
    const Flag& flag = flags[each.flag];
    if (flag.group == FlagGroup::shard && !shard) {
      throw UsageError("option '" + spellings(flag).front() + "' needs '--shard'");
    }
    const bool shows = flag.group == FlagGroup::report || flag.group == FlagGroup::output;
    if (shard && (shows || flag.name == "from" || flag.name == "store")) {
      throw UsageError("options '" + spellings(flag).front() +
                       "' and '--shard' exclude each other");
    }
  }
  if (shard && !request.shard.into) throw UsageError("option '--shard' needs '--into FOLDER'");
}

}  // namespace fathom::cli
