import { expect, it } from "vitest";
import { inspectorOf, scriptedFile } from "../testing/asked-inspector.js";

it("questions that make no sense are answered with what is wrong", async () => {
  const { ask, only } = inspectorOf([scriptedFile(false)]);
  const base = await only();
  for (const [path, status] of [
    ["/requests/99", 404],
    ["/requests/-1", 404],
    ["/requests/0?from=x", 400],
    ["/timeline?points=0", 400],
    ["/blocks/9-9", 404],
    ["/blocks/r99-0", 404],
    ["/blocks/..%2f..%2fetc%2fpasswd", 404],
    ["/compactions/c9", 404],
    ["/search?q=", 400],
    ["/search?q=a&cursor=x", 400],
    ["/what-if", 404],
  ] as const) {
    const response = await ask(`${base}${path}`);
    expect([path, response.status]).toEqual([path, status]);
    expect(await response.json()).toEqual({
      error: { code: expect.any(String) as string, message: expect.stringMatching(/\.$/) as string },
    });
  }
  expect((await ask("/api/conversations/__proto__")).status).toBe(404);
});
