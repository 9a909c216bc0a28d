// ErrorChain: following std::nested_exception, and trimming the stacks.

#include "error_chain.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <typeinfo>

#include "fathom/base/trace.h"
#include "source_name.h"

namespace fathom::base {

namespace {

// A program that wraps errors in a loop may produce more causes than anyone reads.
constexpr std::size_t kMaxLinks = 16;

// The wrappers that add a trace or a cause to an exception.
constexpr std::string_view kWrappers[] = {"fathom::base::Thrown<", "fathom::base::ThrownNested<",
                                          "std::_Nested_exception<"};

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  std::string_view name = demangled ? demangled.get() : type.name();
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view wrapper : kWrappers) {
      if (!name.starts_with(wrapper) || !name.ends_with('>')) continue;
      name = name.substr(wrapper.size(), name.size() - wrapper.size() - 1);
      again = true;
    }
  }
  while (name.ends_with(' ')) name.remove_suffix(1);  // as in "> >"
  return std::string(name);
}

bool is_part_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Whether the function, possibly with scopes, template arguments and parameters, has this bare
// name.
bool is_called(std::string_view function, std::string_view name) {
  for (std::size_t at = function.find(name); at != std::string_view::npos;
       at = function.find(name, at + 1)) {
    const std::string_view rest = function.substr(at + name.size());
    const bool begins = at == 0 || !is_part_of_name(function[at - 1]);
    if (begins && (rest.empty() || rest[0] == '(' || rest[0] == '<' || rest[0] == '[')) return true;
  }
  return false;
}

// Whether the function constructs an exception or its trace and was not inlined into its caller.
bool takes_traces(std::string_view function) {
  constexpr std::string_view kNames[] = {"fathom::base::Error::Error(",
                                         "fathom::base::SystemError::SystemError(",
                                         "fathom::base::Trace::Trace(",
                                         "fathom::base::Stack::here(",
                                         "fathom::base::Thrown<",
                                         "fathom::base::ThrownNested<",
                                         "void fathom::base::throw_traced<",
                                         "void fathom::base::throw_traced_nested<",
                                         "void std::throw_with_nested<"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [function](std::string_view name) { return function.starts_with(name); });
}

// Whether the function calls main() or a thread's function.
bool starts_threads(std::string_view function) {
  constexpr std::string_view kNames[] = {"_start",
                                         "__libc_start_main",
                                         "__libc_start_call_main",
                                         "start_thread",
                                         "clone",
                                         "clone3",
                                         "__clone",
                                         "__clone3",
                                         "execute_native_thread_routine"};
  return std::find(std::begin(kNames), std::end(kNames),
                   function.substr(0, function.find_first_of("(@"))) != std::end(kNames);
}

// The constructors of an exception are among this many innermost frames.
constexpr std::size_t kDeepest = 12;

// The number of innermost frames that constructed the exception.
std::size_t makers(const std::vector<Frame>& frames, const SourceLocation& place) {
  const std::size_t end = std::min(frames.size(), kDeepest);
  std::size_t known = 0;
  while (known < end && takes_traces(frames[known].function)) ++known;
  // A constructor of a class derived from Error can be recognised only by its place. The paths of
  // debug information are absolute, that of the place is not.
  const std::string_view file = source_name(place.file());
  for (std::size_t i = known; i < end; ++i) {
    const Frame& frame = frames[i];
    if (frame.file.ends_with(file) && is_called(frame.function, place.function())) return i;
  }
  return known;
}

// The number of innermost frames that end the program.
std::size_t enders(const std::vector<Frame>& frames) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < std::min(frames.size(), kDeepest); ++i) {
    const std::string& function = frames[i].function;
    if (function == "std::terminate()" || function == "__cxa_throw") end = i + 1;
  }
  return end;
}

struct Next {
  ErrorLink link;
  std::exception_ptr cause;
};

Next next_of(const std::exception& error, std::size_t frames) {
  Next next;
  next.link.type = name_of(typeid(error));
  if (const char* const what = error.what()) next.link.message = what;
  if (const Trace* trace = trace_of(error)) {
    next.link.where = trace->where();
    next.link.calls = calls_of(trace->stack(), frames, &*next.link.where);
  }
  if (const auto* nested = dynamic_cast<const std::nested_exception*>(&error)) {
    next.cause = nested->nested_ptr();
  }
  return next;
}

Next next_of(const std::exception_ptr& error, std::size_t frames) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return next_of(known, frames);
  } catch (...) {
    Next next;
    const std::type_info* type = abi::__cxa_current_exception_type();
    next.link.type = type != nullptr ? name_of(*type) : "a foreign exception";
    if (const Trace* trace = trace_of(error)) {
      next.link.where = trace->where();
      next.link.calls = calls_of(trace->stack(), frames, &*next.link.where);
    }
    try {
      throw;
    } catch (const std::nested_exception& nested) {
      next.cause = nested.nested_ptr();
    } catch (...) {  // NOLINT(bugprone-empty-catch): it does not have a cause
    }
    return next;
  }
}

ErrorChain chain_from(Next next, std::size_t frames) {
  ErrorChain chain;
  chain.links.push_back(std::move(next.link));
  while (next.cause && !chain.cut) {
    if (chain.links.size() == kMaxLinks) {
      chain.cut = true;
    } else {
      next = next_of(std::exception_ptr(std::move(next.cause)), frames);
      chain.links.push_back(std::move(next.link));
    }
  }
  return chain;
}

// Whether the function calls std::terminate() because of an exception: the throw itself if nothing
// handles it, or the guard of a noexcept function.
bool gives_up(std::string_view function) {
  constexpr std::string_view kNames[] = {"__cxa_throw",           "__cxa_rethrow",
                                         "__gxx_personality_v0",  "__cxa_call_terminate",
                                         "__cxa_call_unexpected", "__clang_call_terminate",
                                         "std::rethrow_exception"};
  return std::find(std::begin(kNames), std::end(kNames),
                   function.substr(0, function.find_first_of("(@"))) != std::end(kNames);
}

}  // namespace

bool ends_for_other_reason(const Stack& stack) {
  bool named = false;
  const std::vector<Frame> frames = frames_of(stack);
  for (std::size_t i = 0; i < std::min(frames.size(), kDeepest); ++i) {
    if (gives_up(frames[i].function)) return false;
    named = named || frames[i].function == "std::terminate()";
  }
  return named;
}

Calls calls_of(const Stack& stack, std::size_t frames, const SourceLocation* place) {
  Calls calls;
  calls.frames = frames_of(stack);
  calls.left_out = stack.left_out();
  calls.more = stack.left_out() >= Stack::kMaxCounted - Stack::kMaxFrames;
  if (calls.left_out == 0) {
    while (!calls.frames.empty() && starts_threads(calls.frames.back().function)) {
      calls.frames.pop_back();
    }
  }
  const std::size_t own = place != nullptr ? makers(calls.frames, *place) : enders(calls.frames);
  const auto inner = static_cast<std::ptrdiff_t>(own);
  calls.frames.erase(calls.frames.begin(), calls.frames.begin() + inner);
  if (calls.frames.size() > frames) {
    calls.left_out += calls.frames.size() - frames;
    calls.frames.resize(frames);
  }
  return calls;
}

ErrorChain chain_of(const std::exception_ptr& error, std::size_t frames) {
  if (!error) return {};
  return chain_from(next_of(error, frames), frames);
}

ErrorChain chain_of(const std::exception& error, std::size_t frames) {
  return chain_from(next_of(error, frames), frames);
}

}  // namespace fathom::base
