import { findModel, models, type Model } from "@palimpsest/core";
import { invalidRequest, unknownModel, type Refusal } from "./refusal.js";

/** The table of models does not know when a model came out; the API says the epoch then. */
const UNKNOWN_TIME = "1970-01-01T00:00:00Z";

/** Models with an announced end. */
const retirements: ReadonlyMap<string, string> = new Map([["claude-sonnet-4-5", "2026-11-30T00:00:00Z"]]);

const LINES = ["haiku", "sonnet", "opus", "fable", "mythos"] as const;

const support = (supported: boolean): { readonly supported: boolean } => ({ supported });

/** A model as `GET /v1/models/:id` describes it. `window` stands for the model's own, where one is set. */
function describeModel(model: Model, window: number | undefined): Readonly<Record<string, unknown>> {
  const words = model.id.replace(/^claude-/, "").split("-");
  const line = LINES.find((name) => words.includes(name)) ?? null;
  const retiresAt = retirements.get(model.id) ?? null;
  const name = line === null ? words.join(" ") : `${line[0]?.toUpperCase()}${line.slice(1)}`;
  return {
    id: model.id,
    type: "model",
    display_name: `Claude ${name} ${words.filter((word) => word !== line).join(".")}`.trim(),
    created_at: UNKNOWN_TIME,
    lifecycle: retiresAt === null ? "active" : "deprecated",
    line,
    max_input_tokens: window ?? model.contextWindow,
    max_tokens: model.maxOutputTokens,
    capabilities: describeCapabilities(model),
    deprecated_at: retiresAt === null ? null : UNKNOWN_TIME,
    retires_at: retiresAt,
  };
}

function describeCapabilities({ capabilities }: Model): Readonly<Record<string, unknown>> {
  const { thinking, contextEdits, compactionBlocks } = capabilities;
  const { adaptive } = thinking;
  return {
    batch: support(false),
    citations: support(false),
    code_execution: support(false),
    context_management: {
      supported: contextEdits || compactionBlocks,
      clear_thinking_20251015: support(contextEdits),
      clear_tool_uses_20250919: support(contextEdits),
      compact_20260112: support(compactionBlocks),
    },
    effort: {
      supported: adaptive,
      low: support(adaptive),
      medium: support(adaptive),
      high: support(adaptive),
      xhigh: support(adaptive),
      max: support(adaptive),
    },
    image_input: support(true),
    pdf_input: support(true),
    server_tools: { supported: false, code_execution: support(false), web_search: support(false) },
    structured_outputs: support(false),
    thinking: {
      supported: thinking.enabled || adaptive,
      types: {
        adaptive: support(adaptive),
        between_tools: support(thinking.betweenTools),
        disabled: support(thinking.disabled !== "no"),
        enabled: support(thinking.enabled),
      },
    },
  };
}

export function retrieveModel(
  id: string,
  window: number | undefined,
): Readonly<Record<string, unknown>> | Refusal {
  const model = findModel(id);
  return model === undefined ? unknownModel(id) : describeModel(model, window);
}

/** One page, as `limit`, `after_id`, `before_id` and `lifecycle` of the query ask for it. */
export function listModels(
  query: URLSearchParams,
  window: number | undefined,
): Readonly<Record<string, unknown>> | Refusal {
  const limit = Number(query.get("limit") ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    return invalidRequest("limit: Input should be an integer from 1 to 1000");
  }
  const stages = [...query.getAll("lifecycle"), ...query.getAll("lifecycle[]")].flatMap((text) =>
    text.split(","),
  );
  const all = models
    .map((model) => describeModel(model, window))
    .filter(({ lifecycle }) => stages.length === 0 || stages.includes(String(lifecycle)));
  const after = query.get("after_id");
  const before = query.get("before_id");
  const place = (id: string): number => all.findIndex((model) => model["id"] === id);
  const start = after === null ? 0 : place(after) + 1;
  const end = before === null || place(before) < 0 ? all.length : place(before);
  const page =
    before === null ? all.slice(start, start + limit) : all.slice(Math.max(start, end - limit), end);
  const isLast = before === null ? start + limit >= all.length : end - limit <= start;
  return {
    data: page,
    has_more: !isLast,
    first_id: page[0]?.["id"] ?? null,
    last_id: page.at(-1)?.["id"] ?? null,
  };
}
