import { isCompactBoundary, type CompactBoundary, type Message } from "@palimpsest/core";
import { humanTextsOf, type HumanText } from "@palimpsest/core/engine";

/** A message in a boundary's list: without its text where the message itself was kept. */
interface ListedText {
  readonly uuid: string;
  readonly text?: string;
}

/** Neighbours in the texts that earlier boundaries hold: from this place up to that one. */
interface EarlierRun {
  readonly earlier: readonly [from: number, to: number];
}

/** Where the texts are that a boundary does not hold itself. */
export interface EarlierTexts {
  /** The boundary before it in the transcript, which may in turn name one before that. */
  readonly boundaryUuid: string;
  /** How many texts that one and those before it hold together. */
  readonly count: number;
  /** Where its line lies in the file: a hint, checked against the uuid. */
  readonly byteRange?: { readonly start: number; readonly end: number };
}

/** The texts that a boundary and those before it hold, the oldest first: the first `count` of a list that may grow. */
export interface StoredTexts {
  readonly list: readonly HumanText[];
  readonly count: number;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** A boundary of the conversation itself, not of a subagent beside it. */
export const isOwnBoundary = (message: Message): message is CompactBoundary =>
  isCompactBoundary(message) && message.isSidechain !== true;

function metadataOf(boundary: CompactBoundary): Fields {
  const metadata: unknown = boundary.compactMetadata;
  return isFields(metadata) ? metadata : {};
}

function listOf(boundary: CompactBoundary): readonly unknown[] {
  const list = metadataOf(boundary)["humanMessages"];
  return Array.isArray(list) ? list : [];
}

/** Nothing but what is written here: an entry with more would come back with less. */
function asListed(entry: unknown): ListedText | undefined {
  if (!isFields(entry)) return undefined;
  const { uuid, text } = entry;
  const isKnown = typeof uuid === "string" && (text === undefined || typeof text === "string");
  return isKnown && Object.keys(entry).every((key) => key === "uuid" || key === "text")
    ? (entry as unknown as ListedText)
    : undefined;
}

const ownTexts = (boundary: CompactBoundary): readonly HumanText[] =>
  listOf(boundary).flatMap((entry) => {
    const listed = asListed(entry);
    return listed?.text === undefined ? [] : [listed as HumanText];
  });

/** What a boundary says of the texts that it does not hold itself; it comes from a file and may be anything. */
export function earlierTextsOf(boundary: CompactBoundary): EarlierTexts | undefined {
  const earlier = metadataOf(boundary)["earlierTexts"];
  if (!isFields(earlier)) return undefined;
  const { boundaryUuid, count } = earlier;
  const isUsable = typeof boundaryUuid === "string" && Number.isSafeInteger(count) && (count as number) >= 0;
  return isUsable ? (earlier as unknown as EarlierTexts) : undefined;
}

/** The same metadata with another list, and with or without a word on earlier texts, everything in its place. */
function withList(
  boundary: CompactBoundary,
  { list, earlier }: { readonly list: readonly unknown[]; readonly earlier?: EarlierTexts },
): CompactBoundary {
  const fields = Object.entries(metadataOf(boundary)).flatMap(([key, value]): [string, unknown][] => {
    if (key === "earlierTexts") return [];
    if (key !== "humanMessages") return [[key, value]];
    return [[key, list], ...(earlier === undefined ? [] : [["earlierTexts", earlier] as [string, unknown]])];
  });
  return { ...boundary, compactMetadata: Object.fromEntries(fields) } as CompactBoundary;
}

/**
 * The boundary as it is stored after another one: of what that one and those before it hold only the places are
 * written. So a person's words stand in a transcript twice, once as they were said and once in a boundary, however
 * often it is compacted.
 */
export function packBoundary(
  boundary: CompactBoundary,
  earlier: Omit<EarlierTexts, "count"> & { readonly texts: StoredTexts },
): CompactBoundary {
  const { texts, ...place } = earlier;
  const list = listOf(boundary);
  const held = texts.list.slice(0, texts.count);
  if (held.length === 0 || earlierTextsOf(boundary) !== undefined) return boundary;
  if (list.length === 0 || list.some((entry) => asListed(entry) === undefined)) return boundary;
  const places = new Map<string, number[]>();
  for (const [at, { uuid }] of held.entries()) {
    const known = places.get(uuid);
    if (known === undefined) places.set(uuid, [at]);
    else known.push(at);
  }
  const packed: (ListedText | { earlier: [number, number] })[] = [];
  const taken = new Set<number>();
  for (const entry of list as readonly ListedText[]) {
    const at = places
      .get(entry.uuid)
      ?.find((place) => !taken.has(place) && entry.text !== undefined && held[place]?.text === entry.text);
    const last = packed.at(-1);
    if (at === undefined) packed.push(entry);
    else if (last !== undefined && "earlier" in last && last.earlier[1] === at) last.earlier[1] = at + 1;
    else packed.push({ earlier: [at, at + 1] });
    if (at !== undefined) taken.add(at);
  }
  return withList(boundary, { list: packed, earlier: { ...place, count: held.length } });
}

export interface Unpacked {
  /** As it was before it was packed. */
  readonly boundary: CompactBoundary;
  /** What it and those before it hold; undefined where some of that is lost. */
  readonly texts: StoredTexts | undefined;
}

/** The boundary with the texts of those before it. In the place of what is lost stands what `recover` finds. */
export function unpackBoundary(
  boundary: CompactBoundary,
  {
    earlier: given,
    recover = () => [],
  }: { readonly earlier: StoredTexts | undefined; readonly recover?: () => readonly HumanText[] },
): Unpacked {
  const own = ownTexts(boundary);
  const named = earlierTextsOf(boundary);
  if (named === undefined) return { boundary, texts: { list: own, count: own.length } };
  const earlier = given?.count === named.count ? given : undefined;
  const list: unknown[] = [];
  let lostAt: number | undefined;
  let left = earlier?.count ?? 0;
  for (const entry of listOf(boundary)) {
    const run = runOf(entry);
    if (run === undefined) {
      list.push(entry);
      continue;
    }
    const [from, to] = run;
    left -= to - from;
    // A list names each text once: one that names more would make a long list of a short line.
    if (earlier === undefined || to > earlier.count || left < 0) lostAt ??= list.length;
    else list.push(...earlier.list.slice(from, to));
  }
  if (lostAt !== undefined) {
    const known = new Set(list.map((entry) => (isFields(entry) ? entry["uuid"] : undefined)));
    list.splice(lostAt, 0, ...recover().filter(({ uuid }) => !known.has(uuid)));
  }
  const isWhole = earlier !== undefined && lostAt === undefined;
  return { boundary: withList(boundary, { list }), texts: isWhole ? extended(earlier, own) : undefined };
}

/** Boundaries of one branch share one list. */
function extended({ list, count }: StoredTexts, own: readonly HumanText[]): StoredTexts {
  const shared = list.length === count ? (list as HumanText[]) : list.slice(0, count);
  for (const text of own) shared.push(text);
  return { list: shared, count: shared.length };
}

function runOf(entry: unknown): EarlierRun["earlier"] | undefined {
  const run = isFields(entry) ? entry["earlier"] : undefined;
  if (!Array.isArray(run) || run.length !== 2) return undefined;
  const [from, to] = run as readonly unknown[];
  const isRange =
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    (from as number) >= 0 &&
    (to as number) > (from as number);
  return isRange ? [from as number, to as number] : undefined;
}

/**
 * Messages of one transcript, the oldest first, with every boundary as it was before it was packed. Where a boundary
 * that holds texts is gone, what people said is taken from the messages themselves.
 */
export function unpackBoundaries(messages: readonly Message[]): {
  readonly messages: readonly Message[];
  /** Of the last boundary, where nothing of it is lost. */
  readonly last?: { readonly boundaryUuid: string; readonly texts: StoredTexts };
} {
  const held = new Map<string, StoredTexts | undefined>();
  const unpacked: Message[] = [];
  let last: string | undefined;
  for (const message of messages) {
    if (!isOwnBoundary(message)) {
      unpacked.push(message);
      continue;
    }
    const named = earlierTextsOf(message)?.boundaryUuid;
    const { boundary, texts } = unpackBoundary(message, {
      earlier: named === undefined ? undefined : held.get(named),
      recover: () => humanTextsOf(unpacked),
    });
    held.set(message.uuid, texts);
    unpacked.push(boundary);
    last = message.uuid;
  }
  const texts = last === undefined ? undefined : held.get(last);
  return {
    messages: unpacked,
    ...(last === undefined || texts === undefined ? {} : { last: { boundaryUuid: last, texts } }),
  };
}
