import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { settingDefinitions } from "@palimpsest/core";
import { interfaces, settingReaders, settingsWithoutEffect, type Places } from "./option-suppliers.js";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** The code of a file: without comments, and so with the same lines. */
const codeOf = (file: string): string =>
  readFileSync(join(packages, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) =>
    comment.replaceAll(/[^\n]/g, ""),
  );

const DECLARATION = /^(?:export )?(?:async )?(?:function\*?|const|class|interface) (\w+)/;

/** The lines of a declaration at the left edge, up to the next one. Undefined where there is none of that name. */
function declarationIn(code: string, name: string): string | undefined {
  const lines = code.split("\n");
  const start = lines.findIndex((line) => DECLARATION.exec(line)?.[1] === name);
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => DECLARATION.test(line));
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join("\n");
}

/** The members of an interface; one that extends others has to be told of here first. */
function membersOf(file: string, name: string): readonly string[] {
  const text = declarationIn(codeOf(file), name) ?? "";
  expect(text).toMatch(new RegExp(`^export interface ${name} (?:extends HostOptions )?\\{\n`));
  const body = text.slice(0, text.indexOf("\n}"));
  const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map(([, member = ""]) => member);
  expect(members.length).toBeGreaterThan(1);
  return members;
}

const wordsOf = (text: string): readonly string[] => text.split(" ");
const namesIn = (places: Places): readonly string[] => Object.values(places).flatMap(wordsOf);

/** Places that are not there, and names that they do not mention as `isMentioned` wants it. */
function wrongPlaces(
  places: Places,
  isMentioned: (code: string, name: string) => boolean,
): readonly string[] {
  return Object.entries(places).flatMap(([place, names]) => {
    const [file = "", symbol = ""] = place.split("#");
    if (!existsSync(join(packages, file))) return [`${file} does not exist`];
    const code = declarationIn(codeOf(file), symbol);
    if (code === undefined) return [`${file} declares no ${symbol}`];
    return wordsOf(names).flatMap((name) =>
      isMentioned(code, name) ? [] : [`${place} says nothing of ${name}`],
    );
  });
}

/** As a key, alone or with a value, or as the name of a member that is picked; not as what is read from something. */
const supplies = (code: string, name: string): boolean =>
  new RegExp(`(?<![.\\w])(?:${name}(?=\\s*[:,}])|"${name}")`).test(code);

/** From an object, or taken out of one; a call of a function of that name is something else. */
const reads = (code: string, name: string): boolean =>
  new RegExp(`\\.${name}\\b(?!\\()|(?<![.\\w])${name}(?=\\s*[,}:])`).test(code);

const sources = (folder: string): readonly string[] =>
  readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !/(?:^|\/)testing\//.test(name))
    .map((name) => join(folder, name));

/** Files that make such an object: where one of them names an option, the option has a supplier. */
const makers = [...sources("palimpsest/src"), ...sources("core/src/adapters")].filter((file) =>
  /\b(?:createConversation|openSession)\(\s*\{|\bPick<\s*ConversationOptions\b/.test(codeOf(file)),
);

describe.each(interfaces)("$name", ({ name, file, supplied, nobody }) => {
  const members = membersOf(file, name);

  it("has every member in the table once, and nothing else is there", () => {
    const listed = [...namesIn(supplied), ...Object.keys(nobody)];
    expect(listed.toSorted()).toEqual([...members].toSorted());
  });

  it("is supplied where the table says so", () => {
    expect(wrongPlaces(supplied, supplies)).toEqual([]);
  });

  it("has a sentence for each member that nobody supplies, and nobody does", () => {
    for (const [member, why] of Object.entries(nobody)) {
      expect(why).toMatch(/^[A-Z].{20,}\.$/);
      // The session hands these on from its own options.
      const others = makers.filter(
        (maker) => name !== "SessionOptions" || /openSession\(\{/.test(codeOf(maker)),
      );
      expect(others.length).toBeGreaterThan(1);
      const suppliers = others.filter((maker) => supplies(codeOf(maker).replaceAll(/"\w+"/g, ""), member));
      expect({ member, suppliers }).toEqual({ member, suppliers: [] });
    }
  });
});

describe("the settings", () => {
  const names = Object.keys(settingDefinitions);

  it("are in the table once each, and nothing else is there", () => {
    expect(namesIn(settingReaders).toSorted()).toEqual(names.toSorted());
  });

  it("are read where the table says so", () => {
    expect(wrongPlaces(settingReaders, reads)).toEqual([]);
  });

  it("without effect in the agent are named, and what they wait for is not there yet", () => {
    const agent = [...sources("palimpsest/src/agent"), ...sources("palimpsest/src/cli/headless")].map(codeOf);
    expect(agent.length).toBeGreaterThan(100);
    for (const { names: waiting, missing, why } of settingsWithoutEffect) {
      expect(names).toEqual(expect.arrayContaining([...wordsOf(waiting)]));
      expect(why).toMatch(/^[A-Z].{20,}\.$/);
      const word = new RegExp(`\\b${missing}\\b`);
      expect({ missing, isThere: agent.some((code) => word.test(code)) }).toEqual({
        missing,
        isThere: false,
      });
      // It is what the engine or its stores call it, so that its coming is noticed.
      const there = [...sources("core/src/engine"), ...sources("palimpsest/src/stores")];
      expect(there.some((file) => word.test(codeOf(file)))).toBe(true);
    }
  });
});

describe("the test of the table", () => {
  const code = [
    "export function make(options: Options): Made {",
    "  const { taken, other: renamed } = options;",
    "  return other({ given: options.read, short, ...called(taken) });",
    "}",
    "const next = 1;",
  ].join("\n");

  it("sees what is supplied and what is read, and no further than the declaration", () => {
    const make = declarationIn(code, "make") ?? "";
    expect(make).not.toContain("next");
    expect(declarationIn(code, "other")).toBeUndefined();
    expect(["given", "short", "read", "called", "next"].map((name) => supplies(make, name))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(["read", "taken", "called", "next"].map((name) => reads(make, name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("notices a place that is gone, a declaration that is gone, and a name that is not said", () => {
    const file = "core/src/engine/settings/settings.ts";
    const wrong = {
      "core/src/none.ts#x": "a",
      [`${file}#none`]: "a",
      [`${file}#settingDefinitions`]: "window nothing",
    };
    expect(wrongPlaces(wrong, reads)).toEqual([
      "core/src/none.ts does not exist",
      `${file} declares no none`,
      `${file}#settingDefinitions says nothing of nothing`,
    ]);
  });
});
