import { models } from "@palimpsest/core";
import { isAbsent, type Fields } from "../../agent/base/fields.js";
import { isPermissionMode, permissionModes, type PermissionMode } from "../../agent/permissions/mode.js";
import { modelNamed } from "../../agent/session/model-name.js";
import type { ClientControl, ControlHandler } from "./client-control.js";
import { ControlError } from "./control-error.js";
import type { OpenedAgent } from "./open-agent.js";
import { serverStatus } from "./stream-lines.js";

interface ControlledRun {
  readonly opened: OpenedAgent;
  readonly control: ClientControl;
  /** From the next prompt on. */
  readonly setModel: (model: string) => void;
  readonly complain: (text: string) => void;
}

/** What a client may bring with `initialize` elsewhere, and we cannot do. To leave it out silently could let through what it forbids. */
const UNSUPPORTED = ["hooks", "sdkMcpServers", "jsonSchema", "agents"] as const;

/** Carries out the requests of the program that drives the session. */
export function createControlHandler(run: ControlledRun): ControlHandler {
  const { opened, control, setModel } = run;
  const first = opened.session.conversation.model;
  return (request) => {
    const { subtype } = request;
    switch (subtype) {
      case "initialize":
        return initialize(request, opened);
      case "interrupt":
        control.interrupt();
        return {};
      case "set_model": {
        const { model } = request;
        if (!isAbsent(model) && (typeof model !== "string" || model.trim() === ""))
          throw new ControlError("set_model: model must be the name of a model, or null for the first one");
        setModel(isAbsent(model) || model === "default" ? first : modelNamed(model));
        return {};
      }
      case "set_permission_mode":
        return { mode: changeMode(request["mode"], run) };
      case "mcp_status":
        return { mcpServers: opened.servers().map(serverStatus) };
      default:
        throw new ControlError(
          `the request ${typeof subtype === "string" ? JSON.stringify(subtype.slice(0, 100)) : "without a subtype"} is not supported`,
        );
    }
  };
}

/** What a client wants to hold besides its answer to a question. */
export const createUpdatesHandler =
  (run: ControlledRun) =>
  (updates: readonly unknown[]): void => {
    for (const update of updates) {
      const { type, mode } = (update ?? {}) as Fields;
      try {
        if (type !== "setMode") throw new ControlError("only setMode is supported");
        changeMode(mode, run);
      } catch (error) {
        if (!(error instanceof ControlError)) throw error;
        run.complain(`updatedPermissions of an answer are passed over: ${error.message}`);
      }
    }
  };

function changeMode(mode: unknown, { opened: { session } }: ControlledRun): PermissionMode {
  if (!isPermissionMode(mode)) {
    throw new ControlError(`set_permission_mode: mode must be one of ${permissionModes.join(", ")}`);
  }
  if (mode === "bypassPermissions" && session.agent.permissionMode() !== mode && !session.mayBypass) {
    throw new ControlError(
      "set_permission_mode: bypassPermissions is for sessions that were started with --dangerously-skip-permissions",
    );
  }
  session.setPermissionMode(mode);
  return mode;
}

function initialize(request: Fields, opened: OpenedAgent): Fields {
  const brought = UNSUPPORTED.filter((name) => !isEmpty(request[name]));
  if (brought.length > 0) throw new ControlError(`initialize: ${brought.join(", ")} cannot be used here`);
  const { systemPrompt, appendSystemPrompt } = request;
  // Newer clients send a prompt as a list of its parts.
  const system = Array.isArray(systemPrompt) ? systemPrompt.join("\n\n") : systemPrompt;
  for (const [name, value] of Object.entries({ systemPrompt: system, appendSystemPrompt })) {
    if (!isAbsent(value) && typeof value !== "string")
      throw new ControlError(`initialize: ${name} must be a string`);
  }
  opened.givePrompt({
    ...(typeof system === "string" ? { system } : {}),
    ...(typeof appendSystemPrompt === "string" ? { appended: appendSystemPrompt } : {}),
  });
  return {
    commands: opened.commands,
    agents: opened.agents,
    output_style: opened.outputStyle,
    available_output_styles: [opened.outputStyle],
    models: models.map(({ id }) => ({ value: id, displayName: id, description: "" })),
    account: { apiKeySource: opened.apiKeySource },
  };
}

const isEmpty = (value: unknown): boolean =>
  isAbsent(value) || (typeof value === "object" && Object.keys(value).length === 0);
