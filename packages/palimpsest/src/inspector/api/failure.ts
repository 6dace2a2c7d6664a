import type { ApiFailure } from "../contract.js";

/** An answer that says in one sentence what is wrong. */
export function failure(status: number, code: string, message: string): Response {
  const body: ApiFailure = { error: { code, message } };
  return Response.json(body, { status });
}

export const noConversation = (): Response =>
  failure(
    404,
    "no_conversation",
    "There is no conversation of this id: its file may have been moved or deleted.",
  );
