// The setters of the flags that select entries, for tables of flags.
//
// Each throws UsageError if the argument is not valid. None reads a file.

#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flags/arguments.h"
#include "flags/common_request.h"
#include "flags/flag.h"
#include "flags/values.h"

namespace fathom::cli {

// The long names of --type; the first letter of each is its short name.
inline constexpr std::array kTypes = {
    ChoiceOf<fs::Kind>{{"file"}, fs::Kind::file},
    ChoiceOf<fs::Kind>{{"dir"}, fs::Kind::directory},
    ChoiceOf<fs::Kind>{{"link"}, fs::Kind::symlink},
    ChoiceOf<fs::Kind>{{"other"}, fs::Kind::other},
};

void add_exclusion(SelectRequest& request, const Flag& flag, std::string_view rule);
void add_exclusions_of_file(SelectRequest& request, const Flag& flag, std::string_view file);
void add_only(SelectRequest& request, const Flag& flag, std::string_view rule);
void set_types(SelectRequest& request, const Flag& flag, std::string_view types);
// A condition with any field; on entries, without the fields of fathom clean; on entries while they
// are scanned, also without those that need sums.
void set_where(SelectRequest& request, const Flag& flag, std::string_view expression);
void set_found_where(SelectRequest& request, const Flag& flag, std::string_view expression);
void set_entry_where(SelectRequest& request, const Flag& flag, std::string_view expression);
void add_extensions(SelectRequest& request, const Flag& flag, std::string_view extensions);

// Adapts one of these functions to the request of a command.
template <auto kSet, class Request>
void select_with(Request& request, const Flag& flag, std::string_view argument) {
  kSet(request.select, flag, argument);
}

template <auto kField, class Request>
void set_moment(Request& request, const Flag& flag, std::string_view when) {
  request.select.*kField = parse_moment(flag, when);
}

// The flags that decide what counts, as they were given, but files with absolute paths:
// "--exclude=*.o".
[[nodiscard]] std::vector<std::string> selection_words(std::span<const Flag> flags,
                                                       const Arguments& given);

// Throws UsageError if nothing can match: an extension is requested of directories, which have
// none, or all rules of --only take something away.
void check_selection(const SelectRequest& request);

}  // namespace fathom::cli
