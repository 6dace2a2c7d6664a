import type { PromptPart } from "./prompt-parts.js";
import type { PromptSettings } from "./prompt-settings.js";

/** The first thing, in the order of the prompt, in which a request departs from an earlier one. */
export interface Difference {
  readonly kind: "model" | "tools" | "system" | "settings" | "messages";
  readonly what: "changed" | "added" | "removed";
  /** `system.0`, `messages.4.content.0`; of a setting its name. */
  readonly path: string;
  /** Whose it is, for people. */
  readonly owner: string;
  /** The first byte that differs, counted from 0 in its owner; null for a setting. */
  readonly byte: number | null;
  /** What stood there, and what stands there now: some characters around it. */
  readonly before: string;
  readonly now: string;
}

export interface ComparedPrompt {
  readonly parts: readonly PromptPart[];
  readonly settings: PromptSettings;
}

/** Compares as far as `until` reaches, a path of the earlier request; null: all of it. */
export function firstDifference(
  earlier: ComparedPrompt,
  now: ComparedPrompt,
  until: string | null,
): Difference | undefined {
  const inSection = ({ parts }: ComparedPrompt, section: PromptPart["section"]): readonly PromptPart[] =>
    parts.filter((part) => part.section === section);
  const compare = (section: PromptPart["section"]): Difference | undefined =>
    differentPart(section, inSection(earlier, section), inSection(now, section));
  return (
    settingChanged("model", "model", earlier.settings.model, now.settings.model) ??
    compare("tools") ??
    settingChanged("settings", "speed", earlier.settings.speed, now.settings.speed) ??
    compare("system") ??
    (until !== null && !until.startsWith("messages.") ? undefined : messagesDifference(earlier, now, until))
  );
}

function messagesDifference(
  earlier: ComparedPrompt,
  now: ComparedPrompt,
  until: string | null,
): Difference | undefined {
  for (const [name, value] of Object.entries(earlier.settings.others)) {
    const changed = settingChanged("settings", name, value, now.settings.others[name] ?? "null");
    if (changed !== undefined) return changed;
  }
  const before = earlier.parts.filter(({ section }) => section === "messages");
  const last = before.findIndex(({ path }) => path === until);
  const after = now.parts.filter(({ section }) => section === "messages");
  const cached = last < 0 ? before : before.slice(0, last + 1);
  // More messages after those are how a conversation goes on.
  return differentPart("messages", cached, after.slice(0, cached.length));
}

function settingChanged(
  kind: Difference["kind"],
  name: string,
  before: string,
  now: string,
): Difference | undefined {
  if (before === now) return undefined;
  const [shownBefore, shownNow] = [excerpt(before, 0), excerpt(now, 0)];
  const owner = `the setting ${name}`;
  return { kind, what: "changed", path: name, owner, byte: null, before: shownBefore, now: shownNow };
}

function differentPart(
  kind: PromptPart["section"],
  before: readonly PromptPart[],
  now: readonly PromptPart[],
): Difference | undefined {
  const at = before.findIndex((part, index) => !isSame(part, now[index]));
  const index = at >= 0 ? at : now.length > before.length ? before.length : -1;
  if (index < 0) return undefined;
  const [old, fresh] = [before[index], now[index]];
  if (old === undefined || fresh === undefined) {
    const part = (old ?? fresh) as PromptPart;
    const text = excerpt(part.text, 0);
    return {
      kind,
      what: old === undefined ? "added" : "removed",
      path: part.path,
      owner: part.owner,
      byte: 0,
      before: old === undefined ? "" : text,
      now: old === undefined ? text : "",
    };
  }
  const common = old.kind === fresh.kind ? commonLength(old.text, fresh.text) : 0;
  return {
    kind,
    what: "changed",
    path: fresh.path,
    owner: fresh.owner,
    byte: Buffer.byteLength(fresh.text.slice(0, common)),
    before: excerpt(old.text, common),
    now: excerpt(fresh.text, common),
  };
}

const isSame = (part: PromptPart, other: PromptPart | undefined): boolean =>
  part.kind === other?.kind && part.text === other.text;

/** How many characters two texts begin alike with; never half of one that is two. */
export function commonLength(one: string, other: string): number {
  let at = 0;
  const most = Math.min(one.length, other.length);
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  const last = one.charCodeAt(at - 1);
  return last >= 0xd800 && last < 0xdc00 ? at - 1 : at;
}

const SHOWN_BEFORE = 24;
const SHOWN_AFTER = 24;

function excerpt(text: string, at: number): string {
  const start = Math.max(0, at - SHOWN_BEFORE);
  const end = Math.min(text.length, at + SHOWN_AFTER);
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}
