import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkedSettings } from "../conversation/check-options.js";
import {
  defaultSettings,
  memorySettings,
  resolveSettings,
  settingDefinitions,
  type GivenSettings,
  type SettingName,
} from "./settings.js";

const former: Readonly<Record<string, SettingName>> = {
  disableMicrocompact: "disableClearing",
  clearExpectedTurns: "clearExpectedRounds",
  notesTurns: "notesRounds",
  recompactionTurns: "recompactionRounds",
};

/** One place with a value under a name. */
const places = {
  given: (key: string, value: unknown) => ({ given: { [key]: value } as GivenSettings }),
  env: (key: string, value: unknown) => ({
    env: { [`PALIMPSEST_${key.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`]: String(value) },
  }),
  files: (key: string, value: unknown) => ({ files: [{ name: "user.json", content: { [key]: value } }] }),
};

const valueOf = (name: SettingName): unknown => (name === "disableClearing" ? true : 7);

describe("settings that had another name", () => {
  it("are these, and no others", () => {
    const both = Object.entries(settingDefinitions).flatMap(([name, { keys }]) =>
      keys.filter((key) => key !== name).map((key) => [key, name]),
    );
    expect(Object.fromEntries(both)).toEqual(former);
  });

  it.each(Object.entries(former))("%s is %s, wherever it is given", (old, name) => {
    for (const place of Object.values(places)) {
      const { settings, problems } = resolveSettings(place(old, valueOf(name)));
      expect(settings[name]).toBe(valueOf(name));
      expect(problems).toEqual([]);
    }
    expect(checkedSettings({ [old]: valueOf(name) })[name]).toBe(valueOf(name));
  });

  it("a bad value under the former name is told by that name", () => {
    const sources = Object.values(places).flatMap(
      (place) => resolveSettings(place("notesTurns", "many")).problems,
    );
    expect(sources.map(({ name, source }) => `${name} ${source}`)).toEqual([
      "notesRounds given notesTurns",
      "notesRounds PALIMPSEST_NOTES_TURNS",
      "notesRounds user.json: notesTurns",
    ]);
    expect(() => checkedSettings({ notesTurns: 0 })).toThrow("notesRounds cannot be 0");
    expect(() => checkedSettings({ notesTurnss: 1 } as GivenSettings)).toThrow('no setting "notesTurnss"');
  });

  it("in one place the new name counts, whatever their order; a stronger place wins whatever the names", () => {
    const names = fc.shuffledSubarray(["notesTurns", "notesRounds"] as const, { minLength: 1 });
    const place = fc.option(names, { nil: undefined });
    fc.assert(
      fc.property(place, place, place, (given, env, files) => {
        const inOrder = { given, env, files };
        let figure = 0;
        const figures: Record<string, number> = {};
        const sources = Object.entries(inOrder).map(([where, keys]) => {
          const content = (keys ?? []).map((key) => {
            figures[`${where} ${key}`] = figure += 1;
            return places[where as keyof typeof places](key, figure);
          });
          return content.reduce<Record<string, unknown>>((all, one) => join(all, one), {});
        });
        const expected = ["given", "env", "files"].flatMap((where) =>
          ["notesRounds", "notesTurns"].flatMap((key) => figures[`${where} ${key}`] ?? []),
        )[0];
        expect(resolveSettings(Object.assign({}, ...sources)).settings.notesRounds).toBe(expected ?? 3);
      }),
    );
  });
});

function join(all: Readonly<Record<string, unknown>>, one: Readonly<Record<string, unknown>>) {
  const [[key, value] = ["", {}]] = Object.entries(one);
  const before = all[key];
  if (!Array.isArray(value))
    return { ...all, [key]: { ...(before as object | undefined), ...(value as object) } };
  const [{ name, content }] = value as [{ readonly name: string; readonly content: object }];
  const [earlier] = (before ?? []) as readonly { readonly content: object }[];
  return { ...all, [key]: [{ name, content: { ...earlier?.content, ...content } }] };
}

describe("the dial memory", () => {
  const words = ["thrifty", "balanced", "faithful"] as const;

  it.each(words)("%s: its own defaults and all others as they are, from every place", (memory) => {
    const expected = { ...defaultSettings, ...memorySettings[memory], memory };
    for (const place of Object.values(places)) {
      expect(resolveSettings(place("memory", memory))).toEqual({ settings: expected, problems: [] });
    }
  });

  it("balanced is the default, thrifty never has more than it, and faithful never less", () => {
    expect(defaultSettings.memory).toBe("balanced");
    expect(resolveSettings().settings).toEqual(defaultSettings);
    const names = Object.keys({ ...memorySettings.thrifty, ...memorySettings.faithful }) as SettingName[];
    expect(names.toSorted()).toEqual([
      "compactEarlyPatience",
      "compactEarlyRedone",
      "compactNamesTokens",
      "keepRecentTokens",
      "restoreFileTokens",
      "restoreFilesTokens",
    ]);
    const [thrifty, balanced, faithful] = words.map(
      (memory) => resolveSettings({ given: { memory } }).settings,
    );
    for (const name of names) {
      expect(Number(thrifty?.[name])).toBeLessThanOrEqual(Number(balanced?.[name]));
      expect(Number(balanced?.[name])).toBeLessThan(Number(faithful?.[name]));
    }
  });

  it("what is given itself wins over it, wherever either is given", () => {
    const where = fc.constantFrom(...Object.values(places));
    const name = fc.constantFrom("restoreFilesTokens", "keepRecentTokens", "compactNamesTokens" as const);
    fc.assert(
      fc.property(where, where, fc.constantFrom(...words), name, (dial, own, memory, name) => {
        const sources = [dial("memory", memory), own(name, 7)] as Record<string, unknown>[];
        const { settings } = resolveSettings(sources.reduce((all, one) => join(all, one), {}));
        expect(settings[name as "keepRecentTokens"]).toBe(7);
        expect(settings.compactEarlyPatience).toBe(
          memorySettings[memory].compactEarlyPatience ?? defaultSettings.compactEarlyPatience,
        );
      }),
    );
  });

  it.each(["frugal", "", "__proto__", "constructor", 7, null, ["thrifty"]])("cannot be %j", (memory) => {
    for (const place of [places.given, places.files]) {
      const { settings, problems } = resolveSettings(place("memory", memory));
      expect(problems).toMatchObject([{ name: "memory", allowed: expect.stringContaining("faithful") }]);
      expect(settings).toEqual(defaultSettings);
    }
    expect(() => checkedSettings({ memory: memory as "thrifty" })).toThrow("memory");
  });
});
