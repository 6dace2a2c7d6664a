/** The primes' fractions that the standard names, computed once. */
const [START, ROUND] = constants();

function constants(): readonly [Int32Array, Int32Array] {
  const fraction = (value: number): number => ((value - Math.floor(value)) * 0x100000000) | 0;
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return [
    Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  ];
}

/**
 * SHA-256 of a text's UTF-8 bytes as hex digits, for runtimes that offer none that is synchronous. A surrogate that stands
 * alone counts as U+FFFD, as in every encoder.
 */
export function sha256(text: string): string {
  const hash = new Hash();
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) hash.byte(code);
    else {
      const point = text.codePointAt(at) ?? code;
      if (point > 0xffff) at += 1;
      hash.encoded(point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
    }
  }
  return hash.digest();
}

class Hash {
  readonly #state = START.slice();
  readonly #words = new Int32Array(64);
  #length = 0;

  byte(value: number): void {
    const place = this.#length & 63;
    const before = (place & 3) === 0 ? 0 : (this.#words[place >> 2] ?? 0);
    this.#words[place >> 2] = before | (value << (24 - (place & 3) * 8));
    this.#length += 1;
    if (place === 63) this.#block();
  }

  encoded(point: number): void {
    if (point < 0x800) {
      this.byte(0xc0 | (point >> 6));
    } else {
      if (point < 0x10000) {
        this.byte(0xe0 | (point >> 12));
      } else {
        this.byte(0xf0 | (point >> 18));
        this.byte(0x80 | ((point >> 12) & 63));
      }
      this.byte(0x80 | ((point >> 6) & 63));
    }
    this.byte(0x80 | (point & 63));
  }

  digest(): string {
    const bytes = this.#length;
    this.byte(0x80);
    while ((this.#length & 63) !== 56) this.byte(0);
    this.#words[14] = Math.floor(bytes / 0x20000000);
    this.#words[15] = bytes << 3;
    this.#block();
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #block(): void {
    const words = this.#words;
    const state = this.#state;
    for (let at = 16; at < 64; at += 1) {
      const early = words[at - 15] ?? 0;
      const late = words[at - 2] ?? 0;
      const low = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      const high = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
      words[at] = ((words[at - 16] ?? 0) + low + (words[at - 7] ?? 0) + high) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let at = 0; at < 64; at += 1) {
      const high = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const first = (h + high + ((e & f) ^ (~e & g)) + (ROUND[at] ?? 0) + (words[at] ?? 0)) | 0;
      const low = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = ((state[at] ?? 0) + word) | 0;
  }
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
