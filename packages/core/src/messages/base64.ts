const WELL_FORMED = /^[A-Za-z0-9+/]*={0,2}$/;

/** Standard base64 with its padding, and nothing else. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && WELL_FORMED.test(text);
}

/** The six bits that a character stands for; undefined for padding and foreign characters. */
function sextet(code: number): number | undefined {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43) return 62;
  return code === 47 ? 63 : undefined;
}

/** One byte of the encoded data, without decoding the rest; undefined behind its end. */
export function byteAt(base64: string, index: number): number | undefined {
  const within = index % 3;
  const position = ((index - within) / 3) * 4 + within;
  const high = sextet(base64.charCodeAt(position));
  const low = sextet(base64.charCodeAt(position + 1));
  if (high === undefined || low === undefined) return undefined;
  return ((high << (2 + 2 * within)) | (low >> (4 - 2 * within))) & 0xff;
}
