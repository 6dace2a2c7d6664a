/** The length of `\uXXXX`. */
const LENGTH = 6;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ZERO = 0x30;
const ONE = 0x31;

/** How far a byte lets the search move on when it is where an escape might end: a hexadecimal digit not at all. */
const skip = new Uint8Array(256).fill(LENGTH);
skip[BACKSLASH] = LENGTH - 1;
skip[LETTER_U] = LENGTH - 2;
for (const digit of Buffer.from("0123456789abcdefABCDEF")) skip[digit] = 0;

/**
 * Where in a JSON text `\uXXXX` stands for something else than a control character, in rising order: what needs
 * no escape, a letter perhaps, was written as one. An escaped backslash before a `u` may be taken for it.
 */
export function escapedLetters(bytes: Uint8Array): number[] {
  const places: number[] = [];
  let at = LENGTH - 1;
  while (at < bytes.length) {
    const move = skip[bytes[at] as number] as number;
    if (move !== 0) at += move;
    // After anything but a digit or the `u`, a digit belongs to no escape.
    else if ((skip[bytes[at - 1] as number] as number) > LENGTH - 2) at += LENGTH;
    else if (bytes[at - 4] === LETTER_U && bytes[at - 5] === BACKSLASH && areDigits(bytes, at - 3)) {
      if (!isControl(bytes, at)) places.push(at - 5);
      at += LENGTH;
    } else at += 1;
  }
  return places;
}

const areDigits = (bytes: Uint8Array, at: number): boolean =>
  skip[bytes[at] as number] === 0 && skip[bytes[at + 1] as number] === 0;

const isControl = (bytes: Uint8Array, end: number): boolean =>
  bytes[end - 3] === ZERO && bytes[end - 2] === ZERO && (bytes[end - 1] === ZERO || bytes[end - 1] === ONE);
