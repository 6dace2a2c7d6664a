import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as core from "@palimpsest/core";
import * as aiSdk from "@palimpsest/core/ai-sdk";
import * as anthropicSdk from "@palimpsest/core/anthropic-sdk";
import * as compaction from "@palimpsest/core/compaction";
import * as imports from "@palimpsest/core/import";
import * as engine from "@palimpsest/core/engine";
import * as langchain from "@palimpsest/core/langchain";
import * as notes from "@palimpsest/core/notes";
import * as protocols from "@palimpsest/core/protocols";
import * as testing from "@palimpsest/core/testing";
import * as recordings from "@palimpsest/core/recordings";
import * as restore from "@palimpsest/core/restore";
import * as validity from "@palimpsest/core/validity";
import * as agent from "../packages/palimpsest/src/agent/index.js";
import * as hooks from "../packages/palimpsest/src/agent/hooks/index.js";
import * as files from "../packages/palimpsest/src/files/index.js";
import * as providers from "../packages/palimpsest/src/providers/index.js";
import * as replay from "../packages/palimpsest/src/replay/index.js";
import * as simulator from "../packages/palimpsest/src/simulator/index.js";
import * as stores from "../packages/palimpsest/src/stores/index.js";

const manifest = (name: string): { exports: Record<string, unknown> } =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../packages/${name}/package.json`, import.meta.url)), "utf8"),
  );

/** What the packages promise: a change here is a change of the public API and belongs in CHANGELOG.md. */
describe("exports", () => {
  it.each([
    ["@palimpsest/core", core],
    ["@palimpsest/core/compaction", compaction],
    ["@palimpsest/core/import", imports],
    ["@palimpsest/core/engine", engine],
    ["@palimpsest/core/notes", notes],
    ["@palimpsest/core/protocols", protocols],
    ["@palimpsest/core/recordings", recordings],
    ["@palimpsest/core/restore", restore],
    ["@palimpsest/core/validity", validity],
    ["@palimpsest/core/testing", testing],
    ["@palimpsest/core/ai-sdk", aiSdk],
    ["@palimpsest/core/anthropic-sdk", anthropicSdk],
    ["@palimpsest/core/langchain", langchain],
    ["palimpsest/agent", agent],
    ["palimpsest/files", files],
    ["palimpsest/hooks", hooks],
    ["palimpsest/providers", providers],
    ["palimpsest/replay", replay],
    ["palimpsest/simulator", simulator],
    ["palimpsest/stores", stores],
  ])("%s", (_, module) => {
    expect(Object.keys(module).toSorted()).toMatchSnapshot();
  });

  it("the main entry has at most 40 values, and no other entry has one of them", () => {
    const main = Object.keys(core);
    expect(main.length).toBeLessThanOrEqual(40);
    const others = [compaction, engine, notes, protocols, recordings, restore, validity].flatMap((module) =>
      Object.keys(module),
    );
    expect(others.filter((name, index) => main.includes(name) || others.indexOf(name) !== index)).toEqual([]);
  });

  it("the entry points", () => {
    expect({
      core: Object.keys(manifest("core").exports),
      palimpsest: Object.keys(manifest("palimpsest").exports),
    }).toMatchInlineSnapshot(`
      {
        "core": [
          ".",
          "./ai-sdk",
          "./anthropic-sdk",
          "./compaction",
          "./import",
          "./engine",
          "./langchain",
          "./notes",
          "./protocols",
          "./recordings",
          "./restore",
          "./testing",
          "./validity",
          "./package.json",
        ],
        "palimpsest": [
          "./agent",
          "./hooks",
          "./files",
          "./stores",
          "./replay",
          "./simulator",
          "./providers",
          "./package.json",
        ],
      }
    `);
  });
});
