import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { previewText } from "./preview-text.js";
import { createSpill } from "./spill.js";

const base = mkdtempSync(join(tmpdir(), "palimpsest-spill-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const long = Array.from({ length: 5000 }, (_, line) => `line ${line} ✓`).join("\n");

describe("a text that fits", () => {
  it("is left alone, and no folder is made", async () => {
    const directory = join(base, "unused");
    expect(await createSpill({ directory }).fit("short", { name: "bash" })).toBe("short");
    expect(readdirSync(base)).not.toContain("unused");
  });
});

describe("a text that is too long", () => {
  it("stands whole in a private file, and its two ends are shown", async () => {
    const directory = join(base, "session", "outputs");
    const shown = await createSpill({ directory }).fit(long, { name: "bash-toolu_1" });
    const path = join(directory, "bash-toolu_1.txt");
    expect(shown).toContain(path);
    expect(shown).toContain(`${long.length.toLocaleString("en-US")} characters`);
    expect(shown).toContain("line 0 ✓\n");
    expect(shown.endsWith("line 4999 ✓")).toBe(true);
    expect(shown.length).toBeLessThan(9000);
    expect(readFileSync(path, "utf8")).toBe(long);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it("never takes the place of another, and never leaves the folder", async () => {
    const directory = join(base, "names");
    const { fit } = createSpill({ directory, maxCharacters: 100, previewCharacters: 20 });
    for (const name of ["../../evil", "../../evil", "/etc/x", "", "a\u0000b\n", "n".repeat(500)]) {
      await fit(long, { name });
    }
    expect(readdirSync(directory).length).toBe(6);
    expect(readdirSync(base)).not.toContain("evil.txt");
    const victim = join(base, "victim");
    writeFileSync(victim, "mine");
    symlinkSync(victim, join(directory, "trap.txt"));
    await fit(long, { name: "trap" });
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(readFileSync(join(directory, "trap-2.txt"), "utf8")).toBe(long);
  });

  it("is cut with a note where the disk fails", async () => {
    const file = join(base, "a-file");
    writeFileSync(file, "");
    const shown = await createSpill({ directory: join(file, "below") }).fit(long, { name: "x" });
    expect(shown).toContain("could not be saved");
    expect(shown).toContain("line 0 ✓");
    expect(shown).toContain("line 4999 ✓");
    expect(shown.length).toBeLessThan(31_000);
  });
});

describe("the preview", () => {
  it("shows beginning and end, whole characters only, and not much more than asked for", () => {
    checkProperty(
      "preview",
      fc.tuple(fc.string({ unit: "grapheme", maxLength: 400 }), fc.integer({ min: 2, max: 100 })),
      ([text, max]) => {
        const shown = previewText(text, max);
        expect(shown.isWellFormed()).toBe(text.isWellFormed());
        expect(shown.length).toBeLessThanOrEqual(Math.max(text.length, max + 60));
        if (text.length <= max) expect(shown).toBe(text);
      },
    );
  });
});
