/** How texts of one make-up compare with their estimates. A plain value, so that it can be stored. */
export interface KindScale {
  /** Which characters such texts are made of: the square root of the share of each bucket. */
  readonly print: readonly number[];
  /** Real tokens per estimated token. */
  readonly scale: number;
}

/** Buckets of a print: each character of ASCII, one for all line ends, and groups of the others. */
const ASCII = 96;
const OTHERS = 31;
const BUCKETS = ASCII + OTHERS;
/** Others are grouped by so many neighbours (as a power of two). */
const NEIGHBOURS = 6;
/** Less than this says nothing of its make-up. */
const SHORTEST = 40;
/** A longer text is looked at in pieces of about so many characters, ended where a line ends. */
const PIECE = 1500;
/** Pieces whose prints are at least so much alike are of one kind; less than this they have nothing in common. */
const SAME = 0.965;
const RELATED = 0.85;
/** How fast what is known of a kind loses its say as a text is less like it, and the say of knowing nothing. */
const SHARPNESS = 0.015;
const DOUBT = 0.05;
/** How far a new observation moves what is known of its kind. */
const RATE = 0.7;
const SMALLEST = 0.1;
const LARGEST = 12;
const MOST_KINDS = 48;
const MOST_PIECES = 6;

/** Pieces of a text for which one make-up can be assumed. */
export function piecesOf(text: string): readonly string[] {
  if (text.length <= PIECE) return [text];
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const lineEnd = text.indexOf("\n", from + PIECE / 2);
    const to = lineEnd === -1 || lineEnd > from + PIECE * 2 ? from + PIECE : lineEnd + 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** The scale for a text, by what is known of texts like it; 1 where nothing is. */
export function scaleOf(kinds: readonly KindScale[], text: string): number {
  if (kinds.length === 0 || text.length < SHORTEST) return 1;
  const { buckets, shares } = countBuckets(text);
  let weights = DOUBT;
  let logarithms = 0;
  for (const kind of kinds) {
    let alike = 0;
    for (let at = 0; at < buckets.length; at += 1) {
      alike += (kind.print[buckets[at] as number] as number) * (shares[at] as number);
    }
    if (alike < RELATED) continue;
    const weight = Math.exp((alike - 1) / SHARPNESS);
    weights += weight;
    logarithms += weight * Math.log(kind.scale);
  }
  return logarithms === 0 ? 1 : Math.exp(logarithms / weights);
}

/** What is known after texts turned out to have `ratio` times the tokens that were expected of them. */
export function learnKinds(
  kinds: readonly KindScale[],
  texts: readonly string[],
  ratio: number,
): readonly KindScale[] {
  let known = [...kinds];
  for (const text of texts) {
    const pieces = piecesOf(text);
    const step = Math.max(1, Math.floor(pieces.length / MOST_PIECES));
    for (let at = 0; at < pieces.length && at < step * MOST_PIECES; at += step) {
      const piece = pieces[at] ?? "";
      if (piece.length < SHORTEST) continue;
      const scale = clamp(scaleOf(kinds, piece) * ratio);
      known = withKind(known, { print: printOf(piece), scale });
    }
  }
  while (known.length > MOST_KINDS) known = withoutLeast(known);
  return known;
}

/** Without the kind that is nearest to its estimate: forgetting that one costs least. */
function withoutLeast(kinds: readonly KindScale[]): KindScale[] {
  const surprises = kinds.map(({ scale }) => Math.abs(Math.log(scale)));
  const least = surprises.indexOf(Math.min(...surprises));
  return kinds.filter((_, at) => at !== least);
}

/** The kinds with one more: what is the same becomes one, the newest stand last. */
function withKind(kinds: readonly KindScale[], added: KindScale): KindScale[] {
  const place = nearest(kinds, added.print);
  const same = kinds[place];
  if (same === undefined) return [...kinds, added];
  const print = normalised(same.print.map((value, at) => value + (added.print[at] ?? 0)));
  const scale = Math.exp((1 - RATE) * Math.log(same.scale) + RATE * Math.log(added.scale));
  return [...kinds.slice(0, place), ...kinds.slice(place + 1), { print, scale }];
}

function nearest(kinds: readonly KindScale[], print: readonly number[]): number {
  let [best, place] = [SAME, -1];
  for (const [at, kind] of kinds.entries()) {
    const alike = likeness(kind.print, print);
    if (alike >= best) [best, place] = [alike, at];
  }
  return place;
}

/** Which buckets a text has something in, and the square root of the share of each. */
function countBuckets(text: string): {
  readonly buckets: readonly number[];
  readonly shares: readonly number[];
} {
  const counts = new Uint16Array(BUCKETS);
  const buckets: number[] = [];
  const end = Math.min(text.length, PIECE * 2);
  for (let index = 0; index < end; index += 1) {
    const code = text.charCodeAt(index);
    const bucket = code < 32 ? ASCII - 1 : code < 127 ? code - 32 : ASCII + ((code >> NEIGHBOURS) % OTHERS);
    if (counts[bucket] === 0) buckets.push(bucket);
    counts[bucket] = (counts[bucket] as number) + 1;
  }
  return { buckets, shares: buckets.map((bucket) => Math.sqrt((counts[bucket] as number) / end)) };
}

function printOf(text: string): readonly number[] {
  const print = Array.from({ length: BUCKETS }, () => 0);
  const { buckets, shares } = countBuckets(text);
  for (const [at, bucket] of buckets.entries()) print[bucket] = shares[at] ?? 0;
  return normalised(print);
}

function normalised(values: readonly number[]): readonly number[] {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? values : values.map((value) => Math.round((value / length) * 1e4) / 1e4);
}

function likeness(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < BUCKETS; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

const clamp = (scale: number): number => Math.min(LARGEST, Math.max(SMALLEST, scale));

/** Kinds as they were stored; what makes no sense is left out. */
export function readKinds(value: unknown): readonly KindScale[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((kind: unknown): kind is KindScale => {
      if (typeof kind !== "object" || kind === null) return false;
      const { print, scale } = kind as Partial<KindScale>;
      const isPrint =
        Array.isArray(print) &&
        print.length === BUCKETS &&
        print.every((share) => typeof share === "number" && share >= 0 && share <= 1);
      return isPrint && typeof scale === "number" && scale >= SMALLEST && scale <= LARGEST;
    })
    .slice(-MOST_KINDS);
}
