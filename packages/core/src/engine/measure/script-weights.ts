/**
 * Tokens per character beyond ASCII, as a public tokenizer counts text of that script; from the first character
 * named up to the next one. Latin with accents and typographic signs (0) have a weight that was measured for each
 * tokenizer, and so have Chinese, Japanese and Korean (-1).
 */
const starts: readonly (readonly [from: number, tokens: number])[] = [
  [0x80, 0],
  // Phonetic signs, marks that combine
  [0x250, 1.3],
  [0x300, 1.9],
  // Greek, Cyrillic, Armenian, Hebrew, Arabic
  [0x370, 0.37],
  [0x400, 0.23],
  [0x530, 0.3],
  [0x590, 0.4],
  [0x600, 0.35],
  [0x700, 1.2],
  // Scripts of India, Sinhala, Thai, Lao, Tibetan, Burmese, Georgian
  [0x900, 0.35],
  [0xd80, 0.5],
  [0xe00, 0.42],
  [0xe80, 0.8],
  [0xf00, 1.2],
  [0x1000, 0.5],
  [0x10a0, 0.34],
  // Single parts of Korean syllables, Ethiopic, Cherokee and others, Khmer, Mongolian and others
  [0x1100, 2],
  [0x1200, 1.9],
  [0x1380, 2.4],
  [0x1780, 0.6],
  [0x1800, 2],
  // Vietnamese and other Latin, old Greek, typographic signs
  [0x1e00, 0],
  [0x1f00, 1.2],
  [0x2000, 0],
  // Signs of mathematics, arrows, boxes, pictures; braille; more signs
  [0x2070, 1.45],
  [0x2800, 2.95],
  [0x2900, 1.45],
  [0x2c00, 2],
  [0x2e80, -1],
  [0xa000, 2.4],
  [0xac00, -1],
  [0xd7b0, 2],
  // The first half of a pair stands for both: emoji above all
  [0xd800, 2.1],
  [0xdc00, Number.NaN],
  // Private use; Chinese once more; forms of Arabic; signs for the sign before; full width
  [0xe000, 2.9],
  [0xf900, -1],
  [0xfb00, 1.6],
  [0xfe00, 0.8],
  [0xfe10, 1.5],
];

/** How often a tokenizer cuts what the public one leaves whole. */
export interface ScriptFactors {
  readonly latin: number;
  readonly cjk: number;
  readonly others: number;
}

export type ScriptWeights = Float64Array;

/** Sixteen neighbours share a weight: every range begins at a multiple of 16. */
const SHIFT = 4;

/** The weight of every character beyond ASCII, by its code without the last four bits. */
export function scriptWeights({ latin, cjk, others }: ScriptFactors): ScriptWeights {
  const weights = new Float64Array(0x10000 >> SHIFT);
  for (const [index, [from, tokens]] of starts.entries()) {
    const weight = Number.isNaN(tokens) ? 0 : tokens === 0 ? latin : tokens < 0 ? cjk : tokens * others;
    weights.fill(weight, from >> SHIFT, (starts[index + 1]?.[0] ?? 0x10000) >> SHIFT);
  }
  return weights;
}

export const scriptWeight = (weights: ScriptWeights, code: number): number => weights[code >> SHIFT] ?? 0;
