import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkedSettings } from "../conversation/check-options.js";
import { resolveSettings, settingDefinitions, type GivenSettings, type SettingName } from "./settings.js";

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
