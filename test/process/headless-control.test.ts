import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeFolders, type Folders, type Line } from "./agent-command.js";
import { Client } from "./control-client.js";
import { startScriptedApi, type ScriptedApi } from "./scripted-api.js";

let cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  cleanups = [];
});

async function start(
  steps: Parameters<typeof startScriptedApi>[0],
  args: readonly string[],
): Promise<{ readonly client: Client; readonly api: ScriptedApi; readonly folders: Folders }> {
  const folders = await makeFolders("control");
  cleanups.push(() => folders.remove());
  const api = await startScriptedApi(steps);
  cleanups.push(api.close);
  const client = new Client(folders, ["--base-url", api.url, ...args]);
  cleanups.push(() => client.kill());
  return { client, api, folders };
}

const write = (file_path: string, content: string) => ({
  calls: [{ tool: "Write", input: { file_path, content } }],
});

const isFor = (request: unknown, path: string): boolean =>
  ((request as Line)["input"] as Line)["file_path"] === path;

describe("a program that drives a session", () => {
  it("is asked for permissions, changes inputs, modes and models, and interrupts", async () => {
    const { client, api, folders } = await start(
      [
        write("allowed.txt", "as the model wants it"),
        write("denied.txt", "never"),
        "First done.",
        write("accepted.txt", "nobody is asked"),
        { text: "word ".repeat(500), delivery: { eventDelayMs: 50 }, times: 1 },
        "Third done.",
      ],
      ["--permission-prompt-tool", "stdio"],
    );
    expect(
      await client.request({ subtype: "initialize", hooks: null, appendSystemPrompt: "Be brief." }),
    ).toMatchObject({
      subtype: "success",
      response: {
        commands: expect.arrayContaining([expect.objectContaining({ name: "compact" })]),
        agents: expect.arrayContaining([expect.objectContaining({ name: "general" })]),
        models: expect.arrayContaining([expect.objectContaining({ value: "claude-haiku-4-5" })]),
        output_style: "default",
        account: { apiKeySource: "ANTHROPIC_API_KEY" },
      },
    });
    // What it cannot have is refused, and the session goes on.
    for (const request of [
      { subtype: "initialize", hooks: { PreToolUse: [{ hookCallbackIds: ["hook_0"] }] } },
      { subtype: "set_permission_mode", mode: "bypassPermissions" },
      { subtype: "set_permission_mode", mode: "whatever" },
      { subtype: "set_model", model: 5 },
      { subtype: "rewind_files", user_message_id: "x" },
      {},
    ]) {
      expect(await client.request(request)).toMatchObject({ subtype: "error", error: expect.any(String) });
    }

    const asked: Line[] = [];
    client.decide = (request) => {
      asked.push(request);
      const { file_path } = request["input"] as Line;
      return file_path === "allowed.txt"
        ? { behavior: "allow", updatedInput: { file_path, content: "as the person wants it" } }
        : { behavior: "deny", message: "Not this one." };
    };
    client.prompt("Write both.");
    expect(await client.result(1)).toMatchObject({
      result: "First done.",
      permission_denials: [{ tool_name: "Write", tool_input: { file_path: "denied.txt" } }],
    });
    expect(asked).toMatchObject([
      {
        subtype: "can_use_tool",
        tool_name: "Write",
        input: { file_path: "allowed.txt", content: "as the model wants it" },
        tool_use_id: expect.any(String),
      },
      { input: { file_path: "denied.txt" } },
    ]);
    expect(await readFile(join(folders.work, "allowed.txt"), "utf8")).toBe("as the person wants it");
    expect(existsSync(join(folders.work, "denied.txt"))).toBe(false);
    expect(JSON.stringify(api.bodies.at(-1))).toContain("Not this one.");
    expect(JSON.stringify(api.bodies[0]?.system)).toContain("Be brief.");

    expect(await client.request({ subtype: "set_permission_mode", mode: "acceptEdits" })).toMatchObject({
      subtype: "success",
    });
    expect(await client.request({ subtype: "set_model", model: "claude-haiku-4-5" })).toMatchObject({
      subtype: "success",
    });
    client.prompt("Go on.");
    await client.next(
      ({ type, message }) => type === "user" && JSON.stringify(message).includes("accepted.txt"),
    );
    expect(await client.request({ subtype: "interrupt" })).toMatchObject({ subtype: "success" });
    expect(await client.result(2)).toMatchObject({ subtype: "error_aborted", is_error: true });
    expect(asked).toHaveLength(2);
    expect(existsSync(join(folders.work, "accepted.txt"))).toBe(true);
    expect(api.bodies.at(-1)).toMatchObject({ model: "claude-haiku-4-5" });
    expect(api.bodies.at(-1)).not.toHaveProperty("thinking");
    expect(api.bodies[0]).toHaveProperty("thinking");

    client.prompt("And now?");
    expect(await client.result(3)).toMatchObject({ subtype: "success" });
    expect(await client.end()).toBe(0);
    expect(client.stderr).toBe("");
  });

  it("approves plans; what it is asked when it is gone, or interrupts, is not done", async () => {
    const { client, folders } = await start(
      [
        write("planned.txt", "too early"),
        { calls: [{ tool: "ExitPlanMode", input: { plan: "1. Write planned.txt" } }] },
        write("planned.txt", "as planned"),
        "First done.",
        write("waited.txt", "never"),
        write("gone.txt", "never"),
        "Nobody was there.",
      ],
      ["--permission-prompt-tool", "stdio", "--permission-mode", "plan"],
    );
    const asked: unknown[] = [];
    client.decide = ({ tool_name, input }) => {
      asked.push(tool_name);
      return tool_name === "ExitPlanMode"
        ? {
            behavior: "allow",
            updatedInput: input,
            updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
          }
        : { behavior: "deny", message: "No." };
    };
    client.prompt("Plan it.");
    expect(await client.result(1)).toMatchObject({ result: "First done.", permission_denials: [{}] });
    expect(asked).toEqual(["ExitPlanMode"]);
    expect(await readFile(join(folders.work, "planned.txt"), "utf8")).toBe("as planned");

    expect(await client.request({ subtype: "set_permission_mode", mode: "default" })).toMatchObject({
      subtype: "success",
    });
    // It does not answer, and interrupts instead: the question is taken back.
    client.decide = () => undefined;
    client.prompt("Wait for me.");
    const question = await client.next(
      ({ type, request }) => type === "control_request" && isFor(request, "waited.txt"),
    );
    await client.request({ subtype: "interrupt" });
    expect(await client.result(2)).toMatchObject({ subtype: "error_aborted" });
    expect(client.lines).toContainEqual({
      type: "control_cancel_request",
      request_id: question["request_id"],
    });
    // It goes away instead: nobody is there.
    client.prompt("Then this.");
    await client.next(({ type, request }) => type === "control_request" && isFor(request, "gone.txt"));
    expect(await client.end()).toBe(0);
    expect(await client.result(3)).toMatchObject({ result: "Nobody was there." });
    for (const name of ["waited.txt", "gone.txt"]) expect(existsSync(join(folders.work, name))).toBe(false);
  });

  it("cannot be asked where its formats are others", async () => {
    const { client } = await start([], ["--permission-prompt-tool", "mcp__auth__ask"]);
    await expect(client.next(() => false)).rejects.toThrow("--permission-prompt-tool knows stdio alone");
  });
});
