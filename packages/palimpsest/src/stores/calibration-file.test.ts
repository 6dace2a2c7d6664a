import type { Calibration, CalibrationStore } from "@palimpsest/core";
import { createMemoryCalibrationStore } from "@palimpsest/core/engine";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCalibrationFile } from "./calibration-file.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-calibration-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const calibration: Calibration = { scale: 1.1, errors: [0.01, 0.2] };
const stores: readonly [string, () => CalibrationStore][] = [
  ["memory", createMemoryCalibrationStore],
  ["file", () => createCalibrationFile(join(directory, "deep", "estimator.json"))],
];

describe.each(stores)("a calibration store in %s", (_, create) => {
  it("gives back what was saved, per model", async () => {
    const store = create();
    expect(await store.load("claude-opus-5")).toBeUndefined();
    await Promise.all([
      store.save("claude-opus-5", calibration),
      store.save("gpt-5.5", { scale: 0.9, errors: [] }),
    ]);
    expect(await store.load("claude-opus-5")).toEqual(calibration);
    expect(await store.load("gpt-5.5")).toEqual({ scale: 0.9, errors: [] });
    expect(await store.load("__proto__")).toBeUndefined();
  });
});

it("a damaged file is an empty one, and nonsense in it is no calibration", async () => {
  const path = join(directory, "estimator.json");
  const store = createCalibrationFile(path);
  await writeFile(path, '{"claude-opus-5": {"scale": 900, "errors": "no"}');
  expect(await store.load("claude-opus-5")).toBeUndefined();
  await writeFile(path, '{"claude-opus-5": {"scale": 900, "errors": "no"}}');
  expect(await store.load("claude-opus-5")).toEqual({ scale: 1, errors: [] });
  await store.save("claude-opus-5", calibration);
  expect(await store.load("claude-opus-5")).toEqual(calibration);
  expect(await readdir(directory)).toEqual(["estimator.json"]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
