import type { Conversation, ResponseUsage } from "@palimpsest/core";
import type { Attributes, Meter } from "@opentelemetry/api";
import { names } from "./names.js";
import { usageAttributes } from "./usage-attributes.js";

export interface Instruments {
  /** One call to a model came to its end. */
  called(milliseconds: number, attributes: Attributes): void;
  /** What a call has used, and what that costs. */
  billed(call: { readonly model: string; readonly usage: ResponseUsage }, attributes: Attributes): void;
  broke(cost: number, attributes: Attributes): void;
  /** Counts what a conversation tells. */
  listen(conversation: Pick<Conversation, "events">, about: Attributes): void;
}

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

export function createInstruments(meter: Meter, common: Attributes): Instruments {
  const duration = meter.createHistogram("gen_ai.client.operation.duration", {
    unit: "s",
    description: "How long calls to models took",
  });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    description: "Tokens of each billed call by kind: input, cache_read, cache_creation, output",
  });
  const cost = meter.createCounter("palimpsest.cost", { unit: "{USD}", description: "What calls cost" });
  const breaks = meter.createCounter("palimpsest.cache_breaks", {
    description: "Prefixes that were cached and were not read, by reason",
  });
  const broken = meter.createCounter("palimpsest.cache_breaks.cost", {
    unit: "{USD}",
    description: "What cache breaks cost beyond reading",
  });
  const compactions = meter.createCounter("palimpsest.compactions", {
    description: "Compactions by writer and trigger; failed ones with the reason",
  });
  const clearings = meter.createCounter("palimpsest.clearings", { description: "Clearings by variant" });

  const instruments: Instruments = {
    called(milliseconds, attributes) {
      duration.record(milliseconds / 1000, { ...common, ...attributes });
    },
    billed({ model, usage }, attributes) {
      const figures = usageAttributes(model, usage);
      const of = { ...common, ...attributes, [names.responseModel]: model };
      const [read, written] = [
        number(figures[names.cacheReadTokens]),
        number(figures[names.cacheWriteTokens]),
      ];
      const input = number(figures[names.inputTokens]) - read - written;
      tokens.record(input, { ...of, [names.tokenType]: "input" });
      tokens.record(read, { ...of, [names.tokenType]: "cache_read" });
      tokens.record(written, { ...of, [names.tokenType]: "cache_creation" });
      tokens.record(usage.output_tokens, { ...of, [names.tokenType]: "output" });
      cost.add(number(figures[names.cost]), of);
    },
    broke(lost, attributes) {
      const of = { ...common, ...attributes };
      breaks.add(1, of);
      broken.add(lost, of);
    },
    listen({ events }, about) {
      const all = { ...common, ...about };
      events.on("call_billed", ({ source, ...call }) =>
        instruments.billed(call, { ...about, [names.source]: source }),
      );
      events.on("cache_break", ({ model, reasons, cost: lost }) =>
        instruments.broke(lost ?? 0, {
          ...about,
          [names.requestModel]: model,
          [names.reason]: reasons[0]?.kind ?? "unknown",
        }),
      );
      events.on("compact", ({ writer, trigger }) => {
        compactions.add(1, { ...all, [names.writer]: writer, [names.trigger]: trigger });
      });
      events.on("compact_failed", ({ reason, trigger }) => {
        compactions.add(1, { ...all, [names.errorType]: reason, [names.trigger]: trigger });
      });
      events.on("clearing", ({ variant }) => clearings.add(1, { ...all, [names.reason]: variant }));
    },
  };
  return instruments;
}
