// The flags of `fathom scan` that belong to shards.

#pragma once

#include <array>
#include <span>
#include <string_view>

#include "flags/arguments.h"
#include "flags/flag.h"
#include "flags/scan_request.h"
#include "flags/values.h"

namespace fathom::cli {

// Stores a budget: "2s", "250ms" or a number of entries. Throws UsageError.
void set_budget(ScanRequest& request, const Flag& flag, std::string_view argument);

// Stores "ID/rest-3". Throws UsageError.
void set_rest(ScanRequest& request, const Flag& flag, std::string_view argument);

inline constexpr std::array kShardFlags = {
    FlagOf<ScanRequest>{
        {.name = "shard",
         .help = "scan a part, and leave the rest to other processes: `fathom fleet` does this; "
                 "prints a line of JSON about the part, and `fathom snapshot --parts` joins all",
         .group = FlagGroup::shard},
        turn_on<&ScanRequest::shard, &ShardRequest::wanted>},
    FlagOf<ScanRequest>{
        {.name = "into",
         .arg = Arg::directory,
         .metavar = "FOLDER",
         .help = "the directory to which the part is added; it is created if necessary",
         .group = FlagGroup::shard},
        set_file<&ScanRequest::shard, &ShardRequest::into>},
    FlagOf<ScanRequest>{
        {.name = "rest",
         .arg = Arg::text,
         .metavar = "BATCH",
         .help = "continue with this batch of what a part has left, such as root/rest-0 (default: "
                 "begin at the PATHs)",
         .group = FlagGroup::shard,
         .takes = "a batch of a part, such as root/rest-0"},
        set_rest},
    FlagOf<ScanRequest>{{.name = "budget",
                         .arg = Arg::text,
                         .metavar = "BUDGET",
                         .help = "scan for about this long (2s, 250ms) or about this many entries "
                                 "(100000), and leave the rest (default: no limit)",
                         .group = FlagGroup::shard,
                         .takes = "a time such as 2s or 250ms, or a number of entries"},
                        set_budget},
    FlagOf<ScanRequest>{{.name = "batches",
                         .arg = Arg::number,
                         .metavar = "N",
                         .help = "divide the rest into at most N batches (default: 8)",
                         .group = FlagGroup::shard,
                         .range = {1, 1000}},
                        set_number<&ScanRequest::shard, &ShardRequest::batches>},
    FlagOf<ScanRequest>{{.name = "die-with-parent",
                         .help = "be killed when the thread that started this process ends",
                         .group = FlagGroup::shard},
                        turn_on<&ScanRequest::shard, &ShardRequest::dies_with_parent>},
};

// Throws UsageError if the flags do not fit --shard, or need it.
void check_shard(const ScanRequest& request, std::span<const Flag> flags, const Arguments& given);

}  // namespace fathom::cli
