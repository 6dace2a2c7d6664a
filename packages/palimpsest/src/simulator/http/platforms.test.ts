import { describe, expect, it } from "vitest";
import { crc32 } from "node:zlib";
import { createSimulator } from "../core/create-simulator.js";
import { createEchoPlayer } from "../players/echo-player.js";
import { createSimulatorApp } from "./app.js";
import { bedrockPlatform, signingKey, unwrap, vertexPlatform } from "./platforms.js";

const app = createSimulatorApp({ simulator: createSimulator({ player: createEchoPlayer() }) });

const hello = { max_tokens: 100, messages: [{ role: "user", content: "hello" }] };
const signed = {
  authorization:
    "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20261116/us-east-1/bedrock/aws4_request, Signature=00",
};

const post = (path: string, body: unknown, headers: Record<string, string> = signed): Promise<Response> =>
  app(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );

const BEDROCK = "/model/us.anthropic.claude-opus-5-v1%3A0";
const VERTEX = "/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-5@20260801";
const bedrock = { ...hello, anthropic_version: "bedrock-2023-05-31" };
const vertex = { ...hello, anthropic_version: "vertex-2023-10-16" };

describe("Bedrock", () => {
  it("answers whole, under the model's own name", async () => {
    const response = await post(`${BEDROCK}/invoke`, bedrock);
    expect(await response.json()).toMatchObject({
      type: "message",
      model: "us.anthropic.claude-opus-5-v1:0",
      content: [{ type: "text", text: "You said: hello" }],
    });
  });

  it("streams in frames whose sums are right", async () => {
    const response = await post(`${BEDROCK}/invoke-with-response-stream`, bedrock);
    expect(response.headers.get("content-type")).toBe("application/vnd.amazon.eventstream");
    const bytes = Buffer.from(await response.arrayBuffer());
    const types: unknown[] = [];
    for (let at = 0; at < bytes.length;) {
      const length = bytes.readUInt32BE(at);
      const head = bytes.readUInt32BE(at + 4);
      expect(bytes.readUInt32BE(at + 8)).toBe(crc32(bytes.subarray(at, at + 8)));
      expect(bytes.readUInt32BE(at + length - 4)).toBe(crc32(bytes.subarray(at, at + length - 4)));
      const payload = JSON.parse(bytes.subarray(at + 12 + head, at + length - 4).toString()) as {
        bytes: string;
      };
      types.push((JSON.parse(Buffer.from(payload.bytes, "base64").toString()) as { type: unknown }).type);
      at += length;
    }
    expect(types[0]).toBe("message_start");
    expect(types.at(-1)).toBe("message_stop");
  });

  it.each([
    ["no version", hello, 400, "ValidationException", "anthropic_version: Field required"],
    [
      "diagnostics",
      { ...bedrock, diagnostics: {} },
      400,
      "ValidationException",
      "diagnostics: Extra inputs are not permitted",
    ],
    ["no JSON", "{", 400, "ValidationException", "The request body is not valid JSON"],
    ["not an object", "[]", 400, "ValidationException", ""],
  ])("refuses %s in its own words", async (_, body, status, type, message) => {
    const response = await post(`${BEDROCK}/invoke`, body);
    expect(response.status).toBe(status);
    expect(response.headers.get("x-amzn-errortype")).toBe(type);
    expect(((await response.json()) as { message: string }).message).toContain(message);
  });

  it("knows neither a caller without a signature nor a model that nobody has, nor another method", async () => {
    expect((await post(`${BEDROCK}/invoke`, bedrock, {})).status).toBe(403);
    expect((await post("/model/amazon.nova-pro-v1%3A0/invoke", bedrock)).status).toBe(404);
    expect((await post(`${BEDROCK}/converse`, bedrock)).status).toBe(404);
  });
});

describe("Vertex", () => {
  const token = { authorization: "Bearer dummy" };

  it("answers, streams and counts", async () => {
    expect(await (await post(`${VERTEX}:rawPredict`, vertex, token)).json()).toMatchObject({
      model: "claude-opus-5@20260801",
    });
    const streamed = await post(`${VERTEX}:streamRawPredict`, { ...vertex, stream: true }, token);
    expect(await streamed.text()).toContain("event: message_stop");
    const counting = VERTEX.replace(/[^/]*$/, "count-tokens:rawPredict");
    expect(await (await post(counting, { ...vertex, model: "claude-opus-5" }, token)).json()).toMatchObject({
      input_tokens: expect.any(Number) as number,
    });
  });

  it.each(["diagnostics", "context_management", "compaction"])(
    "refuses %s as the API would",
    async (field) => {
      const response = await post(`${VERTEX}:rawPredict`, { ...vertex, [field]: {} }, token);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { type: "invalid_request_error", message: `${field}: Extra inputs are not permitted` },
      });
    },
  );
});

it("reads paths, versions and signatures, and nothing into others", () => {
  expect(bedrockPlatform("m", "invoke")?.isStream).toBe(false);
  expect(bedrockPlatform("m", "invoke-async")).toBeUndefined();
  expect(vertexPlatform("m:predict")).toBeUndefined();
  expect(vertexPlatform(":rawPredict")).toBeUndefined();
  expect(vertexPlatform("a:b:streamRawPredict")).toMatchObject({ model: "a:b", isStream: true });
  const platform = vertexPlatform("m:rawPredict");
  if (platform === undefined) throw new Error("none");
  expect(unwrap(platform, { anthropic_version: "2026-10-21", anthropic_beta: ["a", 1] })).toMatchObject({
    apiVersion: "2026-10-21",
    betas: ["a"],
  });
  expect(signingKey(signed.authorization)).toBe("AKIAEXAMPLE");
  expect(signingKey("Bearer Credential=A/")).toBeUndefined();
  expect(signingKey(null)).toBeUndefined();
});
