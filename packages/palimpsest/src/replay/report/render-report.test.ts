import { createHash } from "node:crypto";
import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { HOSTILE, madeUpReport } from "../testing/made-up-report.js";
import { createFormats } from "./page/formats.js";
import { createPolicyStyles } from "./page/policy-styles.js";
import { pageScript } from "./page-script.js";
import { renderReport } from "./render-report.js";

const between = (text: string, start: string, end: string): string =>
  text.slice(text.indexOf(start) + start.length, text.indexOf(end, text.indexOf(start)));

describe("renderReport", () => {
  const html = renderReport(madeUpReport({ seed: 4, turns: [12, 7], hostile: true }), {
    title: HOSTILE,
    generatedAt: Date.UTC(2026, 10, 3, 9, 5),
  });

  it("is one file: its policy allows its own script and style and nothing else", () => {
    const policy = between(html, 'Content-Security-Policy" content="', '">');
    const hash = (text: string): string => createHash("sha256").update(text).digest("base64");
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${hash(between(html, "<script>", "</script>"))}'`,
      `style-src 'sha256-${hash(between(html, "<style>", "</style>"))}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(html).not.toMatch(/\ssrc=["']|\shref=|@import|url\(/);
    expect(html).toContain("2026-11-03 09:05 UTC");
  });

  it("has no tag that comes from the report's texts", () => {
    expect(html).not.toContain("<img");
    expect(html.match(/<script/g)).toHaveLength(4);
    expect(html.match(/<\/script>/g)).toHaveLength(4);
    expect(html).not.toContain("<!--");
    expect(html.slice(html.indexOf("<script"))).not.toMatch(/[\u2028\u2029]/);
  });

  it("can be asked for without title and time, and with figures that are no numbers", () => {
    const report = madeUpReport({ seed: 4, turns: [3] });
    const text = renderReport({ ...report, total: { ...report.total, unlimitedCost: Number.NaN } });
    expect(text).toContain("<title>Replay</title>");
    expect(between(text, "<main>", "<section")).not.toMatch(/NaN|UTC/);
  });
});

describe("pageScript", () => {
  it("is a script on its own", () => {
    const script = pageScript();
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(
      /__vi_|\bimport\b|\brequire\(|<\/script|<!--|innerHTML|outerHTML|document\.write/i,
    );
  });
});

describe("createFormats", () => {
  const formats = createFormats();
  it("says figures the way people do", () => {
    expect([0, 940, 21_400, 999_400, 999_700, 1_250_000].map(formats.tokens)).toEqual([
      "0",
      "940",
      "21.4k",
      "999k",
      "1M",
      "1.25M",
    ]);
    expect([0, 0.00001, 0.0042, 1.5, 12_345].map(formats.dollars)).toEqual([
      "$0",
      "<$0.0001",
      "$0.0042",
      "$1.50",
      "$12,345",
    ]);
    expect(formats.ratio(1.234)).toBe("1.23×");
    expect(formats.dollars(null as unknown as number)).toBe("–");
  });

  it("never rounds a share to all or to nothing", () => {
    expect([1, 0.99999, 0.5, 0.00001, 0].map(formats.share)).toEqual([
      "100%",
      "99.9%",
      "50.0%",
      "<0.1%",
      "0%",
    ]);
  });
});

describe("createPolicyStyles", () => {
  it("gives a policy one hue, dashed with other lifetimes", () => {
    const names = ["a", "a@1h", ...Array.from({ length: 9 }, (_, index) => `b${index}`)];
    const styleOf = createPolicyStyles(names);
    expect(styleOf("a")).toEqual({ hue: "hue-0", dash: "dash-0" });
    expect(styleOf("a@1h")).toEqual({ hue: "hue-0", dash: "dash-1" });
    const looks = names.map((name) => JSON.stringify(styleOf(name)));
    expect(new Set(looks).size).toBe(names.length);
  });
});
