import type { ApiFailure } from "../contract.js";

/** An answer that says in one sentence what is wrong. */
export function failure(status: number, code: string, message: string): Response {
  const body: ApiFailure = { error: { code, message } };
  return Response.json(body, { status });
}
