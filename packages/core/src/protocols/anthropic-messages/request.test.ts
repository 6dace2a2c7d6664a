import { describe, expect, it } from "vitest";
import { decodeRequestHead, encodeRequest } from "./request.js";

const request = { model: "claude-opus-5-5", max_tokens: 10, messages: [] };

describe("encodeRequest", () => {
  it("serialises the body in the order of its keys", () => {
    expect(encodeRequest(request, {}).body).toBe('{"model":"claude-opus-5-5","max_tokens":10,"messages":[]}');
  });

  it("sends the current version, no betas and no key unless it is told to", () => {
    expect(encodeRequest(request).headers).toEqual({
      "content-type": "application/json",
      "anthropic-version": "2026-10-21",
    });
    expect(encodeRequest(request, { betas: [] }).headers).not.toHaveProperty("anthropic-beta");
  });

  it("joins betas by commas without spaces, each once", () => {
    const { headers } = encodeRequest(request, { betas: ["a-1", "b-2", "a-1"], apiVersion: "2023-06-01" });
    expect(headers["anthropic-beta"]).toBe("a-1,b-2");
    expect(headers["anthropic-version"]).toBe("2023-06-01");
  });
});

describe("decodeRequestHead", () => {
  it("reads back what was encoded", () => {
    const { headers } = encodeRequest(request, { betas: ["a-1", "b-2"] });
    expect(decodeRequestHead(new Headers({ ...headers, "x-api-key": "key" }))).toEqual({
      apiKey: "key",
      betas: ["a-1", "b-2"],
      apiVersion: "2026-10-21",
    });
  });

  it("takes a bearer token for the key, the key header before it, and has defaults", () => {
    expect(decodeRequestHead(new Headers())).toEqual({
      apiKey: undefined,
      betas: [],
      apiVersion: "2023-06-01",
    });
    expect(decodeRequestHead(new Headers({ authorization: "bearer token" })).apiKey).toBe("token");
    expect(decodeRequestHead(new Headers({ authorization: "Basic token" })).apiKey).toBeUndefined();
    expect(decodeRequestHead(new Headers({ authorization: "Bearer token", "x-api-key": "key" })).apiKey).toBe(
      "key",
    );
    expect(decodeRequestHead(new Headers({ authorization: "Bearer token", "x-api-key": " " })).apiKey).toBe(
      "token",
    );
  });

  it("accepts betas with spaces, empty places, and in several headers", () => {
    const headers = new Headers({ "anthropic-beta": "a-1 , ,b-2," });
    headers.append("anthropic-beta", "c-3");
    expect(decodeRequestHead(headers).betas).toEqual(["a-1", "b-2", "c-3"]);
  });
});
