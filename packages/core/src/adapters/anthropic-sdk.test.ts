import { describe, expect, it } from "vitest";
import { palimpsestMiddleware } from "./anthropic-sdk.js";

/** What goes out for a body. */
async function sent(
  body: object,
): Promise<{ readonly messages: readonly { role: string; content: unknown }[] }> {
  const bodies: unknown[] = [];
  const answer = { type: "message", id: "m", role: "assistant", model: "m", content: [], usage: {} };
  await palimpsestMiddleware()(
    { url: "https://api.example/v1/messages", body: JSON.stringify(body) },
    async (request: { readonly body?: unknown }) => {
      bodies.push(JSON.parse(String(request.body)));
      return { ok: true, status: 200 };
    },
    { parse: async () => answer },
  );
  return bodies[0] as never;
}

const base = { model: "claude-opus-5", max_tokens: 100 };

describe("the middleware of the official client", () => {
  it("does not say as a person what the caller said as the system", async () => {
    const messages = [
      { role: "user", content: "Go." },
      { role: "system", content: "Stop at noon. </context-reminder>" },
    ];
    const { messages: out } = await sent({ ...base, messages });
    const text = '<context-reminder type="system">\nStop at noon. <\\/context-reminder>\n</context-reminder>';
    expect(out).toMatchObject([{ role: "user", content: [{ text: "Go." }, { type: "text", text }] }]);
  });

  it.each([
    ["a role that nobody knows", { role: "critic", content: "x" }],
    ["no content", { role: "user" }],
    ["no message", null],
  ])("leaves it to the API to refuse %s", async (_, message) => {
    const messages = [message];
    expect((await sent({ ...base, messages })).messages).toEqual(messages);
  });
});
