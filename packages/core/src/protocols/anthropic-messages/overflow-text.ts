import type { Overflow } from "../../messages/call/failure.js";

/** The API has no error code for an overflow: its wordings are known here and nowhere else. */
export function findOverflow(message: string): Overflow | undefined {
  const sum =
    /\binput length and `?max_tokens`? exceed context limit(?:: ([\d,]+) \+ ([\d,]+) > ([\d,]+))?/i.exec(
      message,
    );
  if (sum !== null) {
    const [, input, output, maximum] = sum.map(count);
    if (input === undefined || output === undefined || maximum === undefined) return {};
    return { actualTokens: input + output, maximumTokens: maximum, requestedOutputTokens: output };
  }
  const prompt = /\bprompt is too long(?:: ([\d,]+) tokens? > ([\d,]+) maximum)?/i.exec(message);
  if (prompt !== null) {
    const [, actual, maximum] = prompt.map(count);
    return actual === undefined || maximum === undefined
      ? {}
      : { actualTokens: actual, maximumTokens: maximum };
  }
  // The wording of the same API on Amazon Bedrock.
  return /\binput is too long for requested model\b/i.test(message) ? {} : undefined;
}

function count(digits: string | undefined): number | undefined {
  const value = Number(digits?.replaceAll(",", "") ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : undefined;
}
