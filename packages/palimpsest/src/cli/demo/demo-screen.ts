import { join } from "node:path";
import { statusOf } from "../screen/talk/status-of.js";
import { createCompletions } from "../screen/input/completions.js";
import { createSurface } from "../screen/surface/create-surface.js";
import type { ScreenIo } from "../screen/surface/screen-io.js";
import type { DemoEvent } from "./demo-event.js";
import { dollars } from "./demo-text.js";
import type { DemoView } from "./demo-view.js";

export interface DemoScreenOptions {
  readonly io: Omit<ScreenIo, "signal" | "onInterrupt" | "demo">;
  /** Where the demo's files are; nothing of this person's settings is read. */
  readonly home: string;
  /** They want it to end. */
  readonly onLeave: () => void;
}

/** Every so many responses it says what the same work would have cost otherwise. */
const EVERY = 25;

/** The demo on the agent's own screen. Nobody types: what is typed is answered with a sentence. */
export async function createDemoScreen({ io, home, onLeave }: DemoScreenOptions): Promise<DemoView> {
  const surface = await createSurface({
    io: {
      ...io,
      signal: new AbortController().signal,
      onInterrupt: () => () => {},
      demo: () => Promise.resolve(0),
    },
    handlers: {
      onSubmit: () =>
        surface.dispatch({
          kind: "notice",
          text: "The demo plays by itself; ctrl-c ends it.",
          tone: "plain",
        }),
      onInterrupt() {
        onLeave();
        return true;
      },
      onRewind: () => {},
      onMode: () => {},
      onLeave,
      takeQueued: () => undefined,
      onPaste: () => undefined,
      earlierPrompts: () => Promise.resolve([]),
    },
    configDirectory: join(home, "no-settings"),
    wantsFullScreen: false,
    hide: (line) => line,
    completions: createCompletions({ cwd: home, commands: () => [], own: [] }),
  });
  surface.dispatch({ kind: "verbosity", verbosity: "quiet" });
  let opened: Extract<DemoEvent, { kind: "opened" }> | undefined;

  function showStatus(): void {
    if (opened === undefined) return;
    const { session, now } = opened;
    surface.dispatch({ kind: "status", status: statusOf(session, { now: now(), compacting: undefined }) });
  }

  return {
    hear(event) {
      switch (event.kind) {
        case "opened":
          opened = event;
          showStatus();
          return;
        case "person":
          surface.dispatch({ kind: "said", text: event.text });
          surface.dispatch({ kind: "turn-began", at: Date.now() });
          return;
        case "pause":
          surface.dispatch({
            kind: "notice",
            text: `… ${event.minutes} simulated minutes later`,
            tone: "plain",
          });
          return;
        case "agent":
          surface.dispatch({ kind: "agent", event: event.event });
          if (event.event.kind === "message") showStatus();
          return;
        case "answered":
          surface.dispatch({ kind: "turn-ended", text: "", tone: "plain" });
          return;
        case "meter": {
          const { responses, cost, withoutCaching, summariseAll } = event.meter;
          if (responses % EVERY !== 0) return;
          const text = `${responses} responses for ${dollars(cost)}; without caching ${dollars(withoutCaching)}, summarising everything ${dollars(summariseAll)}`;
          surface.dispatch({ kind: "notice", text, tone: "good" });
          return;
        }
        // The agent's own events tell these.
        case "action":
        case "step":
        case "trouble":
      }
    },
    end: () => surface.close(),
  };
}
