// refusal_page: what a browser shows for a request that is not allowed, such as one without the
// token.
//
// Without scripts, without anything that is loaded, and the same for everybody: it contains nothing
// of the request and nothing about the scan.

#pragma once

#include <string>
#include <string_view>

namespace fathom::web {

// For a response with that status, as HTML.
[[nodiscard]] std::string refusal_page(int status);

// The source of its style for the Content-Security-Policy.
inline constexpr std::string_view kRefusalStyles =
    "'sha256-bnmj3G8iH8uFFTRmxo61VXyjFeuxbMFBDA/43KZYoKM='";

}  // namespace fathom::web
