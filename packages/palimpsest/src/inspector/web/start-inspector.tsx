import { render } from "preact";
import { startTheme } from "../../web/theme.js";
import { App } from "./app.js";
import { readEmbeddedSource } from "./embedded-source.js";
import { createInspectorState } from "./inspector-state.js";
import { startKeys } from "./keys.js";
import { NoToken } from "./no-token.js";
import { conversationRoute, startRoute } from "./route.js";
import { createServerSource } from "./server-source.js";
import { takeOpening } from "./token.js";

function start(place: HTMLElement): void {
  startTheme();
  const exported = readEmbeddedSource();
  const opening = exported === null ? takeOpening() : { token: null, conversation: exported.conversation };
  // Whoever loads an export again stays where they were.
  const isElsewhere = exported !== null && location.hash !== "";
  startRoute(opening.conversation === null || isElsewhere ? null : conversationRoute(opening.conversation));
  if (exported === null && opening.token === null) {
    render(<NoToken />, place);
    return;
  }
  startKeys();
  const state = createInspectorState(exported ?? createServerSource(opening.token ?? ""));
  render(<App state={state} />, place);
}

const place = document.getElementById("page");
if (place !== null) start(place);
