import { isFields } from "../../messages/fields.js";
import type { BreakReason, SectionChange } from "../events/break-reason.js";
import { sameContent } from "./same-content.js";
import type { SentRequest } from "./sent-request.js";
import type { WatchedSection } from "./watched-call.js";

type Reasons = readonly BreakReason[];

/** Tools that were added, taken away, changed or put into another order. */
export function toolChanges({ tools: before }: SentRequest, { tools: now }: SentRequest): Reasons {
  if (sameContent(before, now)) return [];
  const old = byName(before);
  const present = byName(now);
  const kept = [...present.keys()].filter((name) => old.has(name));
  const keptBefore = [...old.keys()].filter((name) => present.has(name));
  return [
    {
      kind: "tools-changed",
      added: [...present.keys()].filter((name) => !old.has(name)),
      removed: [...old.keys()].filter((name) => !present.has(name)),
      changed: kept.filter((name) => !sameContent(old.get(name), present.get(name))),
      reordered: kept.some((name, index) => name !== keptBefore[index]),
    },
  ];
}

/** Tools by their names; one without a name, or with a name twice, goes by its place. */
export function byName(tools: readonly unknown[]): ReadonlyMap<string, unknown> {
  const named = new Map<string, unknown>();
  for (const [index, tool] of tools.entries()) {
    const name = isFields(tool) && typeof tool["name"] === "string" ? tool["name"] : "";
    named.set(name === "" || named.has(name) ? `${name}#${index}` : name, tool);
  }
  return named;
}

/** A system prompt whose text changed, and in which of its sections. */
export function systemChanges(before: SentRequest, now: SentRequest): Reasons {
  if (sameContent(before.system, now.system)) return [];
  const named =
    before.sections === undefined || now.sections === undefined
      ? []
      : sectionChanges(before.sections, now.sections);
  const sections =
    named.length > 0 ? named : sectionChanges(asSections(before.system), asSections(now.system));
  const charsDelta = charsIn(now.system) - charsIn(before.system);
  return [{ kind: "system-changed", charsDelta, sections }];
}

function sectionChanges(
  before: readonly WatchedSection[],
  now: readonly WatchedSection[],
): readonly SectionChange[] {
  const old = new Map(before.map((section) => [section.name, section]));
  const present = new Map(now.map((section) => [section.name, section]));
  const change = (
    { name, volatileBecause }: WatchedSection,
    kind: SectionChange["change"],
  ): SectionChange => ({
    name,
    change: kind,
    ...(volatileBecause === undefined ? {} : { volatileBecause }),
  });
  const changes = [
    ...now.flatMap((section) => {
      const known = old.get(section.name);
      if (known === undefined) return [change(section, "added")];
      return known.text === section.text ? [] : [change(section, "changed")];
    }),
    ...before.filter(({ name }) => !present.has(name)).map((section) => change(section, "removed")),
  ];
  if (changes.length > 0) return changes;
  return now
    .filter((section, index) => section.name !== before[index]?.name)
    .map((section) => change(section, "moved"));
}

/** Blocks as sections, by their places. */
export const asSections = (blocks: readonly unknown[]): readonly WatchedSection[] =>
  blocks.map((block, index) => ({ name: `block ${index + 1}`, text: textOf(block) }));

const textOf = (block: unknown): string =>
  isFields(block) && typeof block["text"] === "string" ? block["text"] : "";

const charsIn = (blocks: readonly unknown[]): number =>
  blocks.reduce<number>((sum, block) => sum + textOf(block).length, 0);
