import { describe, expect, it } from "vitest";
import { HOST, inspectorOf, scriptedFile, TOKEN } from "../testing/asked-inspector.js";

describe("who is answered", () => {
  it.each<[string, Record<string, string>, number]>([
    ["its own page", { origin: HOST }, 200],
    ["no token", { authorization: "" }, 403],
    ["a wrong token", { authorization: "Bearer another" }, 403],
    ["another name that leads here", { host: "evil.example:4000" }, 403],
    ["a name that begins like ours", { host: "localhost.evil.example" }, 403],
    ["an address of the network", { host: "192.168.0.2:4000" }, 403],
    ["another's page", { origin: "http://evil.example" }, 403],
    ["a page of another port", { origin: "http://127.0.0.1:4001" }, 403],
    ["a page of a file", { origin: "null" }, 403],
    ["a page that asks across sites", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, 403],
    ["localhost by name", { host: "localhost:4000" }, 200],
    ["the forwarded address", { host: "box.example", origin: "https://box.example" }, 200],
  ])("%s", async (_, headers, status) => {
    const { ask } = inspectorOf([scriptedFile(false)], "https://box.example/");
    const response = await ask("/api/conversations", headers);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).not.toContain(TOKEN);
  });

  it("a rebound name is refused for the page too, and nothing can be written", async () => {
    const { ask } = inspectorOf([scriptedFile(false)]);
    expect((await ask("/", { host: "evil.example" })).status).toBe(403);
    expect((await ask("/api/conversations", {}, "POST")).status).toBe(404);
    expect((await ask("/api/conversations/none/undo", {}, "POST")).status).toBe(404);
  });
});
