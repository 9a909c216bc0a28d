// A command as text, with a button that copies it and says so.

import { button, element, setText } from "../dom";
import { copyText } from "./entry_actions";

const shownFor = 2000; // ms

export function commandLine(command: string): HTMLElement {
  const said = element("span", { role: "status" });
  const copy = async () => {
    const text = await copyText(command).then(
      () => "Copied",
      () => "The browser does not allow copying: select the text.",
    );
    setText(said, text);
    window.setTimeout(() => setText(said, ""), shownFor);
  };
  return element(
    "p",
    { class: "command" },
    element("code", {}, command),
    button("Copy", () => void copy(), { "aria-label": `Copy ${command}` }),
    said,
  );
}
