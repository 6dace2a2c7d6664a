import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { SearchHits } from "../contract.js";
import { fileIn, inspectorOf, scriptedFile } from "../testing/asked-inspector.js";

it("finds words in any case and spelling, in pages", async () => {
  const path = scriptedFile(false);
  const { get, only } = inspectorOf([path]);
  const base = await only();
  const found = await get<SearchHits>(
    `${base}/search?q=${encodeURIComponent("GRÖSSE.TS".replace("SS", "ß"))}`,
  );
  expect(found.hits).toHaveLength(1);
  const [hit] = found.hits;
  expect(hit?.text.slice(hit.start, hit.end)).toBe("Größe.ts");
  expect(found).toMatchObject({ cursor: null, share: 1 });
  const many = await get<SearchHits>(`${base}/search?q=Words`);
  expect(many.hits.map(({ request }) => request)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
  expect((await get<SearchHits>(`${base}/search?q=nowhere`)).hits).toEqual([]);
});

it("marks where a text goes on, and lets the words stand near its beginning", async () => {
  const path = fileIn("long.jsonl");
  const content = `${"before ".repeat(100)}the needle${" after".repeat(100)}`;
  const message = { role: "user", content };
  const line = { type: "user", uuid: "u1", parentUuid: null, sessionId: "s", timestamp: "", message };
  writeFileSync(path, `${JSON.stringify(line)}\n`);
  const { get, only } = inspectorOf([path]);
  const [hit] = (await get<SearchHits>(`${await only()}/search?q=needle`)).hits;
  expect(hit?.text).toMatch(/^….+ the needle after.+…$/);
  expect(hit?.text.slice(hit.start, hit.end)).toBe("needle");
  expect(hit?.start).toBeLessThan(50);
  expect(hit?.text.length).toBeLessThanOrEqual(300);
});

it("finds what another program wrote as \\u escapes", async () => {
  const path = fileIn("escaped.jsonl");
  const line = JSON.stringify({
    type: "user",
    uuid: "u1",
    parentUuid: null,
    sessionId: "s",
    timestamp: "",
    message: { role: "user", content: "Die Größe" },
  });
  writeFileSync(path, `${line.replaceAll("ö", "\\u00F6").replaceAll("ß", "\\u00df")}\n`);
  const { get, only } = inspectorOf([path]);
  expect((await get<SearchHits>(`${await only()}/search?q=gr%C3%B6%C3%9Fe`)).hits).toHaveLength(1);
});
