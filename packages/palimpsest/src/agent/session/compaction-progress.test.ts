import { afterEach, expect, it, vi } from "vitest";
import { createCompactionProgress, type CompactionProgress } from "./compaction-progress.js";

afterEach(() => vi.useRealTimers());

it("tells phases and signs of life, not every piece of a summary, and that it is over", () => {
  vi.useFakeTimers({ now: 1000 });
  const told: (CompactionProgress | undefined)[] = [];
  const { onStatus, every } = createCompactionProgress({
    now: Date.now,
    contextTokens: () => 900,
    tell: (progress) => told.push(progress),
  });
  let characters = 0;
  const show = (phase: CompactionProgress["phase"]): void =>
    onStatus({ phase, text: phase, isResponding: characters > 0, characters });
  const stop = every(30_000, () => show("summarising"));
  show("hooks");
  show("summarising");
  for (let piece = 0; piece < 100; piece += 1) {
    characters += 10;
    show("summarising");
  }
  expect(told).toHaveLength(2);
  vi.advanceTimersByTime(60_000);
  show("restoring");
  onStatus(undefined);
  stop();
  vi.advanceTimersByTime(60_000);
  const common = { contextTokens: 900 };
  expect(told).toEqual([
    { ...common, phase: "hooks", text: "hooks", milliseconds: 0, summaryTokens: 0, isSignOfLife: false },
    {
      ...common,
      phase: "summarising",
      text: "summarising",
      milliseconds: 0,
      summaryTokens: 0,
      isSignOfLife: false,
    },
    ...[30_000, 60_000].map((milliseconds) => ({
      ...common,
      phase: "summarising",
      text: "summarising",
      milliseconds,
      summaryTokens: 250,
      isSignOfLife: true,
    })),
    {
      ...common,
      phase: "restoring",
      text: "restoring",
      milliseconds: 60_000,
      summaryTokens: 250,
      isSignOfLife: false,
    },
    undefined,
  ]);
});
