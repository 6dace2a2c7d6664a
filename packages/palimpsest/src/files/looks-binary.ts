/** How much of a file is looked at. */
const BINARY_SAMPLE = 8192;

const BROKEN_SHARE = 0.1;

/** Whether the head of a file is not text: it holds a zero byte, or a tenth of it is not UTF-8. */
export function looksBinary(head: Uint8Array): boolean {
  const sample = head.subarray(0, BINARY_SAMPLE);
  if (sample.includes(0)) return true;
  // A character that the sample cuts in two is not counted.
  const text = new TextDecoder().decode(sample, { stream: true });
  let broken = 0;
  for (const character of text) if (character === "\uFFFD") broken += 1;
  return broken > sample.length * BROKEN_SHARE;
}
