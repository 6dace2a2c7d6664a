import type { Context } from "hono";

/** Something in a question's address is not what it must be: one sentence that says what. */
export class QuestionError extends Error {}

interface Limits {
  readonly otherwise: number;
  readonly least?: number;
  readonly most?: number;
}

/** A whole number of the query string; more than the most there is counts as the most. Throws `QuestionError`. */
export function numberIn(context: Context, name: string, { otherwise, least = 0, most }: Limits): number {
  const text = context.req.query(name);
  if (text === undefined || text === "") return otherwise;
  if (!/^\d{1,15}$/.test(text) || Number(text) < least) {
    throw new QuestionError(`\`${name}\` must be a whole number${least > 0 ? ` from ${least} on` : ""}.`);
  }
  return Math.min(Number(text), most ?? Number.MAX_SAFE_INTEGER);
}
