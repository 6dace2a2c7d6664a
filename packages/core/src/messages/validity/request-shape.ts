import { apiTexts } from "./api-texts.js";
import { cacheControlShape } from "./cache-control.js";
import { isObject, type Check } from "./cursor.js";
import { contextManagement } from "./context-management.js";
import { ownWordings } from "./own-wordings.js";
import type { Condition } from "./problem.js";
import {
  boolean,
  integer,
  listOf,
  literal,
  nullable,
  number,
  object,
  optional,
  optionalUnless,
  record,
  required,
  string,
  stringOr,
  text,
  union,
  variant,
} from "./shape.js";
import { textBlock } from "./text-block.js";
import { tools } from "./tool-definitions.js";

/** The fields of a request, each by itself; the messages are judged one by one elsewhere. */

const MOST_MESSAGES = 100_000;
const LONGEST_INSTRUCTIONS = 16_384;

const withoutBetas = (...betas: readonly string[]): Condition => ({ kind: "without-betas", betas });

const messages: Check = (cursor) => {
  const { value } = cursor;
  if (!Array.isArray(value)) cursor.refuse({ rule: "wrong-type", text: "Input should be a valid list" });
  else if (value.length === 0) cursor.refuse({ rule: "no-messages", text: apiTexts.noMessages });
  else if (value.length > MOST_MESSAGES) {
    cursor.refuse({
      rule: "too-many-messages",
      text: ownWordings.tooManyMessages(MOST_MESSAGES, value.length),
    });
  }
};

const stopSequence: Check = (cursor) => {
  string(cursor);
  if (typeof cursor.value === "string" && cursor.value.trim() === "") {
    cursor.refuse({ rule: "blank-stop-sequence", text: ownWordings.blankStopSequence });
  }
};

const outputFormat = record({ type: required(literal("json_schema")), schema: required(object) });

const outputConfig = record({
  effort: optional(nullable(literal("low", "medium", "high", "xhigh", "max"))),
  format: optional(nullable(outputFormat)),
  task_budget: optionalUnless(
    withoutBetas("task-budgets-2026-03-13"),
    nullable(
      record({
        type: required(literal("tokens")),
        total: required(integer(0)),
        remaining: optional(nullable(integer(0))),
      }),
    ),
  ),
});

const thinkingExtras = {
  display: optional(nullable(literal("summarized", "omitted", "updates"))),
  block_binding: optionalUnless(
    withoutBetas("thinking-binding-controls-2026-08-01"),
    nullable(record({ prefix_mismatch_behavior: optional(nullable(literal("error", "drop_block"))) })),
  ),
};

const thinking = union(
  new Map([
    variant("adaptive", thinkingExtras),
    variant("between_tools", {}),
    variant("disabled", {}),
    variant("enabled", { budget_tokens: required(integer(1024)), ...thinkingExtras }),
  ]),
);

const parallel = { disable_parallel_tool_use: optional(boolean) };

const toolChoice = union(
  new Map([
    variant("auto", parallel),
    variant("any", parallel),
    variant("tool", { name: required(string), ...parallel }),
    variant("none", {}),
  ]),
);

const thread = union(
  new Map([variant("create", {}), variant("continue", { previous_message_id: required(string) })]),
);

const systemText = union(new Map([["text", textBlock({ area: "system" })]]));
const sampling: Condition = { kind: "strict-version" };

/** A count of alternatives, or -1 or 0 for none in old clients. */
const topK: Check = (cursor) => {
  if (cursor.value !== -1) integer(0)(cursor);
};

const unchecked: Check = (cursor) => {
  if (!isObject(cursor.value) && !Array.isArray(cursor.value)) string(cursor);
};

export const requestShape: Check = record({
  model: required(text({ min: 1 })),
  messages: required(messages),
  max_tokens: required(integer(0)),
  cache_control: optional(cacheControlShape),
  compaction: optionalUnless(
    withoutBetas("compact-2026-09-04"),
    nullable(
      union(
        new Map([
          variant("summarize", { instructions: optional(nullable(text({ max: LONGEST_INSTRUCTIONS }))) }),
        ]),
      ),
    ),
  ),
  container: optional(nullable(stringOr(object))),
  context_management: optionalUnless(
    withoutBetas("context-management-2025-06-27", "compact-2026-01-12"),
    nullable(contextManagement),
  ),
  diagnostics: optional(nullable(record({ previous_message_id: optional(nullable(string)) }))),
  fallback_credit_token: optionalUnless(
    withoutBetas("fallback-credit-2026-06-01", "fallback-credit-2026-07-01"),
    nullable(unchecked),
  ),
  fallbacks: optionalUnless(
    withoutBetas("server-side-fallback-2026-06-01", "server-side-fallback-2026-07-01"),
    nullable(unchecked),
  ),
  inference_geo: optional(nullable(string)),
  mcp_servers: optionalUnless(
    withoutBetas("mcp-client-2025-04-04", "mcp-client-2025-11-20", "mcp-client-2026-09-15"),
    listOf(object),
  ),
  metadata: optional(record({ user_id: optional(nullable(string)) })),
  output_config: optional(outputConfig),
  output_format: optionalUnless(withoutBetas("structured-outputs-2025-11-13"), nullable(outputFormat)),
  service_tier: optional(literal("auto", "standard_only")),
  speed: optional(nullable(literal("standard", "fast"))),
  stop_sequences: optional(listOf(stopSequence)),
  stream: optional(boolean),
  system: optional(stringOr(listOf(systemText))),
  temperature: optionalUnless(sampling, number({ min: 0, max: 1 })),
  thinking: optional(thinking),
  thread: optionalUnless(withoutBetas("message-threads-2026-08-12"), nullable(thread)),
  tool_choice: optional(toolChoice),
  tools: optional(tools),
  top_k: optionalUnless(sampling, topK),
  top_p: optionalUnless(sampling, number({ min: 0, max: 1 })),
});
