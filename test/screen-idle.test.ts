import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createVirtualTerminal } from "../soak/virtual-terminal.mjs";
import { screenKeys } from "../packages/palimpsest/src/cli/screen/input/key-names.js";
import { glyphs } from "../packages/palimpsest/src/cli/screen/lines/glyphs.js";
import type { Status } from "../packages/palimpsest/src/cli/screen/state/status.js";
import { themeNamed } from "../packages/palimpsest/src/cli/screen/theme.js";
import { ScreenWriter } from "../packages/palimpsest/src/cli/screen/writer/screen-writer.js";
import { DrawnSurface } from "../packages/palimpsest/src/cli/screen/surface/drawn-surface.js";
import type { KeySource } from "../packages/palimpsest/src/cli/screen/surface/terminal-mode.js";

beforeEach(
  () =>
    void vi.useFakeTimers({
      now: 1_000_000,
      toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "Date"],
    }),
);
afterEach(() => void vi.useRealTimers());

function stage() {
  const terminal = createVirtualTerminal({ columns: 80, rows: 20 });
  let written = "";
  const sink = { write: (text: string) => void (written += text) };
  const size = () => ({ columns: terminal.columns(), rows: terminal.rows() });
  const keys = Object.assign(new EventEmitter(), {
    resume: () => {},
    pause: () => {},
  }) as unknown as KeySource;
  const surface = new DrawnSurface({
    sink,
    keys,
    size,
    onResize: () => () => {},
    drawer: new ScreenWriter({ sink, size, reflows: true }),
    theme: themeNamed("dark", { env: {}, hasColours: true }),
    glyphs,
    bindings: screenKeys,
    verbosity: "normal",
    hasMotion: true,
    bell: "bell",
    handlers: {
      onSubmit: () => {},
      onInterrupt: () => false,
      onRewind: () => {},
      onMode: () => {},
      onLeave: () => {},
      takeQueued: () => undefined,
      onPaste: () => undefined,
      earlierPrompts: async () => [],
    },
    now: Date.now,
    suspend: () => {},
  });
  const take = (): string => {
    const now = written;
    written = "";
    return now;
  };
  return { surface, take };
}

const status: Status = {
  model: "claude-sonnet-5",
  mode: "default",
  tokens: 10_000,
  limit: 167_000,
  pressure: "none",
  warmUntil: 1_030_000,
  isWarm: true,
  spent: 0.1,
};

it("writes nothing for a minute in which nothing happens, but once when the cache goes cold", () => {
  const { surface, take } = stage();
  surface.dispatch({ kind: "status", status });
  vi.advanceTimersByTime(100);
  expect(take()).toContain("warm until");
  vi.advanceTimersByTime(29_000);
  expect(take()).toBe("");
  vi.advanceTimersByTime(31_000);
  expect(take().match(/\u001b\[\?2026h/g)).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  expect(take()).toBe("");
  surface.close();
});

it("counts seconds only while something is under way", () => {
  const { surface, take } = stage();
  surface.dispatch({ kind: "turn-began", at: Date.now() });
  vi.advanceTimersByTime(3100);
  expect(take().match(/\u001b\[\?2026h/g)?.length).toBeGreaterThanOrEqual(3);
  surface.dispatch({ kind: "turn-ended", text: "", tone: "plain" });
  vi.advanceTimersByTime(100);
  take();
  vi.advanceTimersByTime(60_000);
  expect(take()).toBe("");
  surface.close();
});
