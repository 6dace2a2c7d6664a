import { createHash } from "node:crypto";
import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { readPage } from "../../pages/read-page.js";
import { HOSTILE, madeUpReport } from "../testing/made-up-report.js";
import { createPolicyStyles } from "./page/policy-styles.js";
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
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(html).not.toMatch(/<[^>]*\s(?:src|href)=["'](?!data:image\/svg)|@import|url\(/);
  });

  it("has no tag that comes from the report's texts", () => {
    expect(html).not.toContain("<img");
    expect(html.match(/<script[> ]/g)).toHaveLength(4);
    expect(html.match(/<\/script>/g)).toHaveLength(4);
    expect(html).not.toContain("<!--");
    const data = html.slice(html.indexOf("<script"), html.indexOf("<script>"));
    expect(data).not.toMatch(/[\u2028\u2029]/);
  });

  it("can be asked for without title and time, and with figures that are no numbers", () => {
    const report = madeUpReport({ seed: 4, turns: [3] });
    const text = renderReport({ ...report, total: { ...report.total, unlimitedCost: Number.NaN } });
    expect(text).toContain("<title>Replay</title>");
    expect(JSON.parse(between(text, 'id="report-overview">', "</script>"))).toMatchObject({
      unlimitedCost: null,
      generatedAt: null,
    });
  });

  it("has a script that stands on its own and never makes markup of a text", () => {
    const { script } = readPage("report");
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/<\/script|<!--|outerHTML|insertAdjacentHTML|document\.write/i);
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
