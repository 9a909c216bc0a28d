// Arguments: a command line split into flags and paths, without interpreting them.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flags/common_request.h"
#include "flags/flag.h"
#include "term/message.h"

namespace fathom::cli {

struct Arguments {
  struct Given {
    std::size_t flag;      // index in the table of flags
    std::string argument;  // empty if the flag takes none
  };
  std::vector<Given> flags;        // in the order given
  std::vector<std::string> paths;  // in the order given
  // How many of the paths precede "--"; none if it was not given.
  std::optional<std::size_t> before_dashes;
};

// An argument that looks like an option, and may be a path.
class UnknownOption : public UsageError {
 public:
  // The hint follows the sentence.
  UnknownOption(const std::string& sentence, const std::string& hint, const std::string& argument,
                base::SourceLocation where = base::SourceLocation::current())
      : UsageError(sentence + hint, where),
        hint_at_(sentence.size()),
        argument_(std::make_shared<const std::string>(argument)) {}
  [[nodiscard]] std::size_t hint_at() const { return hint_at_; }  // where it begins in what()
  [[nodiscard]] const std::string& argument() const { return *argument_; }

 private:
  std::size_t hint_at_;
  std::shared_ptr<const std::string> argument_;  // shared, because copying must not throw
};

// Accepts the forms of getopt_long(): --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -xn VALUE, and
// "--". Names cannot be abbreviated, so that a new flag cannot break a script. Messages name the
// command. Only one thread at a time may call it. Throws UsageError, in particular UnknownOption.
[[nodiscard]] Arguments split_arguments(std::string_view command, std::span<const Flag> flags,
                                        const std::vector<std::string>& arguments);

// The option that a misspelt one, such as "--sumary" or "--sumary=1", probably means: "--summary".
// Of "--hidden", it is "--no-hidden".
[[nodiscard]] std::optional<std::string> similar_option(std::string_view option,
                                                        std::span<const Flag> flags);

// Moves the paths into the request, and resolves dependencies between the common flags. Throws
// UsageError.
void finish(CommonRequest& request, const Arguments& given);

// Stores the flags in the request, in the order given. Throws UsageError.
template <class Request, std::size_t N>
void apply_flags(Request& request, const std::array<FlagOf<Request>, N>& table,
                 const Arguments& given) {
  for (const auto& [flag, argument] : given.flags) {
    table[flag].apply(request, table[flag].flag, argument);
  }
}

// Makes the request of a command that takes paths. Throws UsageError.
template <class Request, std::size_t N>
[[nodiscard]] Request request_of(const std::array<FlagOf<Request>, N>& table,
                                 const Arguments& given) {
  Request request;
  apply_flags(request, table, given);
  finish(request, given);
  return request;
}

// Throws UsageError if --from is combined with a path, or with a flag that only a scan supports.
void check_from(const CommonRequest& request, std::span<const Flag> flags, const Arguments& given);

// Throws UsageError if --store is given to a command that only reads snapshots, and reads none.
void check_from_store(const CommonRequest& request);

// Throws UsageError if an option is about CSV, which is not the format.
void check_csv(const CommonRequest& request, bool is_csv);

}  // namespace fathom::cli
