// What an experiment found, for programs: every measurement of every round, each thread by itself,
// and the medians and ratios that the text shows. Times are in seconds.

#pragma once

#include <string>
#include <vector>

#include "net/client/experiment.h"

namespace fathom::bench {

std::string json_report(const Plan& plan, const std::vector<Block>& blocks);

}  // namespace fathom::bench
