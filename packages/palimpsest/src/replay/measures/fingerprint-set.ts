/** A hash of a text in two halves, extended character by character. */
export class Fingerprint {
  #low = 0x811c9dc5;
  #high = 0x2b7e1516;

  /** Back to the empty text. */
  clear(): void {
    this.#low = 0x811c9dc5;
    this.#high = 0x2b7e1516;
  }

  extend(code: number): void {
    this.#low = Math.imul(this.#low ^ code, 0x01000193);
    this.#high = Math.imul((this.#high ^ (this.#high >>> 15)) + code, 0x2c1b3c6d);
  }

  get low(): number {
    return mixed(this.#low);
  }

  /** Never 0. */
  get high(): number {
    return mixed(this.#high) || 1;
  }
}

function mixed(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** A set of 64-bit fingerprints that never grows past a size: then it takes nothing new. About 16 bytes each. */
export class FingerprintSet {
  readonly #limit: number;
  #slots = new Uint32Array(2 * 1024);
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  add(fingerprint: Fingerprint): void {
    const { low, high } = fingerprint;
    const slot = this.#find(low, high);
    if (this.#slots[slot + 1] !== 0 || this.#size >= this.#limit) return;
    this.#slots[slot] = low;
    this.#slots[slot + 1] = high;
    this.#size += 1;
    if (this.#size * 3 > this.#slots.length) this.#grow();
  }

  has(fingerprint: Fingerprint): boolean {
    return this.#slots[this.#find(fingerprint.low, fingerprint.high) + 1] !== 0;
  }

  /** Where it is, or the free place where it belongs. */
  #find(low: number, high: number): number {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let place = low & mask;
    while (slots[2 * place + 1] !== 0 && (slots[2 * place] !== low || slots[2 * place + 1] !== high)) {
      place = (place + 1) & mask;
    }
    return 2 * place;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let slot = 0; slot < old.length; slot += 2) {
      const low = old[slot] ?? 0;
      const high = old[slot + 1] ?? 0;
      if (high === 0) continue;
      const place = this.#find(low, high);
      this.#slots[place] = low;
      this.#slots[place + 1] = high;
    }
  }
}
