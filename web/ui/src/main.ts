// The page of fathom serve begins here.

import { Page } from "./page";

// The token has become a cookie by now. It goes before anything else, so that nobody reads it over a
// shoulder, and no bookmark and no history keeps it.
const address = new URL(window.location.href);
if (address.searchParams.has("token")) {
  address.searchParams.delete("token");
  window.history.replaceState(null, "", address);
}

new Page().start();
