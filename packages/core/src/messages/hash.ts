/**
 * A small, synchronous, non-cryptographic hash of JSON values: 64 bits as 16 hex digits, the same in every
 * process. Key order counts, because providers cache bytes: two inputs that differ only in key order are
 * two different prefixes. Keys whose value is undefined do not count, as in JSON.
 */
export function hashValue(value: unknown): string {
  const state = new HashState();
  feed(state, value);
  return state.digest();
}

const remembered = new WeakMap<object, string>();

/** The hash of an immutable object, computed once per object. */
export function hashMessage(message: object): string {
  let hash = remembered.get(message);
  if (hash === undefined) {
    hash = hashValue(message);
    remembered.set(message, hash);
  }
  return hash;
}

/** Two 32-bit lanes, each multiplied by its own odd constant, crossed at the end. */
class HashState {
  #a = 0x9e3779b9 | 0;
  #b = 0x85ebca6b | 0;

  unit(code: number): void {
    this.#a = Math.imul(this.#a ^ code, 0x01000193);
    this.#b = Math.imul(this.#b ^ code, 0x5bd1e995);
    this.#b ^= this.#b >>> 15;
  }

  /** Length first, so that neighbouring strings cannot trade characters. */
  text(text: string): void {
    this.unit(text.length);
    for (let index = 0; index < text.length; index += 1) this.unit(text.charCodeAt(index));
  }

  digest(): string {
    let a = this.#a ^ Math.imul(this.#b ^ (this.#b >>> 16), 0x2c1b3c6d);
    let b = this.#b ^ Math.imul(this.#a ^ (this.#a >>> 13), 0x297a2d39);
    a = Math.imul(a ^ (a >>> 15), 0x735a2d97);
    b = Math.imul(b ^ (b >>> 14), 0x6c8e9cf5);
    a ^= b >>> 16;
    b ^= a >>> 15;
    const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, "0");
    return hex(a) + hex(b);
  }
}

function feed(state: HashState, value: unknown): void {
  if (typeof value === "string") {
    state.unit(1);
    state.text(value);
  } else if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) {
      state.unit(2);
      state.unit(value.length);
      for (const item of value) feed(state, item);
      return;
    }
    state.unit(3);
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      state.unit(4);
      state.text(key);
      feed(state, item);
    }
    state.unit(5);
  } else {
    state.unit(6);
    state.text(typeof value === "number" || typeof value === "boolean" ? String(value) : "null");
  }
}
