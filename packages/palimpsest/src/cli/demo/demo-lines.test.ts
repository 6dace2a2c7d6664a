import { describe, expect, it } from "vitest";
import type { DemoEvent, DemoMeter } from "./demo-event.js";
import { eventLines, meterLines } from "./demo-lines.js";
import { createPaint } from "./demo-text.js";

const meter: DemoMeter = {
  tokens: 126_000,
  window: 200_000,
  responses: 40,
  cost: 123.45,
  withoutCaching: 1234.56,
  summariseAll: 234.56,
  subagentCost: 0,
  cacheHit: 0.931,
  inputTokens: 7_800_000,
  outputTokens: 20_000,
  calls: 44,
};

const events: readonly DemoEvent[] = [
  { kind: "person", text: "A long wish ".repeat(30) },
  { kind: "pause", minutes: 75 },
  { kind: "action", text: "Read ×4 core/engine/clear/api-native.ts ".repeat(5) },
  { kind: "trouble", text: "Bash failed" },
  {
    kind: "step",
    step: {
      tier: "full",
      tokensBefore: 131_000,
      tokensAfter: 33_000,
      text: "",
      afterResponses: 30,
      writer: "fork",
      mended: { sectionsAdded: [], messagesAdded: 4, pathsUnknown: [] },
      restored: ["2 files", "todos", "plan", "skill", "background agent", "agent types"],
    },
  },
];

const plain = createPaint(false);

describe("what the demo shows", () => {
  it.each([40, 60, 100])("fits into %i columns", (columns) => {
    const lines = [
      ...events.flatMap((event) => eventLines(event, { columns, paint: plain })),
      ...meterLines(meter, { columns, paint: plain }),
    ];
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("says everything on a terminal of 60 columns", () => {
    const cheap = { ...meter, cost: 3.25, withoutCaching: 15.67, summariseAll: 4.09 };
    const text = meterLines(cheap, { columns: 60, paint: plain }).join("\n");
    for (const figure of ["63%", "126K of 200K", "93.1%", "$3.25", "$15.67", "$4.09"])
      expect(text).toContain(figure);
  });

  it("lets no text of the agent steer the terminal", () => {
    const [line = ""] = eventLines(
      { kind: "action", text: "Read \u001b[2Jx" },
      { columns: 80, paint: plain },
    );
    expect(line).toBe("  Read \\u001b[2Jx");
  });
});
