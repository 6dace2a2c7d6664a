import type { BreakReason, SectionChange } from "../events/break-reason.js";

/** The reasons in one sentence, without a full stop. */
export const describeReasons = (reasons: readonly BreakReason[]): string =>
  reasons.map(describeReason).join("; ");

function describeReason(reason: BreakReason): string {
  switch (reason.kind) {
    case "model-changed":
      return `model changed (${safeName(reason.from)} → ${safeName(reason.to)})`;
    case "speed-changed":
      return `speed changed (${safeName(reason.from)} → ${safeName(reason.to)})`;
    case "tools-changed":
      return `tools changed (${describeTools(reason)})`;
    case "system-changed":
      return `system prompt changed (${describeSystem(reason)})`;
    case "markers-changed":
      return `markers changed (${describeMarkers(reason)})`;
    case "betas-changed":
      return `betas changed (${[...signed("+", reason.added), ...signed("−", reason.removed)].join(", ")})`;
    case "effort-changed":
      return `effort changed (${safeName(reason.from)} → ${safeName(reason.to)})`;
    case "thinking-changed":
      return `thinking changed (${safeName(reason.from)} → ${safeName(reason.to)})`;
    case "body-changed":
      return `body changed (${listed(reason.fields)})`;
    case "edits-changed":
      return "server-side edits changed";
    case "auto-mode-changed":
      return `auto mode turned ${reason.isOn ? "on" : "off"}`;
    case "overage-changed":
      return `overage ${reason.isOn ? "began" : "ended"}`;
    case "facts-changed":
      return `facts of the host changed (${listed(reason.names)})`;
    case "images-changed":
      return reason.present ? "the first image came in" : "the last image is gone";
    case "citations-changed":
      return `citations turned ${reason.present ? "on" : "off"}`;
    case "messages-changed":
      return `messages changed from position ${reason.position} of ${reason.of} on`;
    case "outside-lookback":
      return `the last write lies ${reason.blocks} blocks before the marker, out of its reach`;
    case "expired":
      return `possible TTL expiry (${inMinutes(reason.gapMs)} without a request, lifetime ${reason.ttl === "1h" ? "1 h" : "5 min"})`;
    case "thinking-stripped":
      return "the model dropped thinking of an earlier turn";
    case "server-side":
      return "likely server-side";
  }
}

type Of<Kind extends BreakReason["kind"]> = Extract<BreakReason, { readonly kind: Kind }>;

function describeTools({ added, removed, changed, reordered }: Of<"tools-changed">): string {
  const counts = `+${added.length}/−${removed.length}`;
  const names = [
    ...signed("+", added),
    ...signed("−", removed),
    ...(changed.length === 0 ? [] : [`changed: ${listed(changed)}`]),
    ...(reordered ? ["in another order"] : []),
  ];
  return [counts, ...names].join(", ");
}

function describeSystem({ charsDelta, sections }: Of<"system-changed">): string {
  const delta = charsDelta < 0 ? `−${-charsDelta}` : `+${charsDelta}`;
  return [`${delta} chars`, ...cut(sections.map(describeSection))].join(", ");
}

function describeSection({ name, change, volatileBecause }: SectionChange): string {
  const what = change === "changed" ? "" : ` ${change}`;
  const why = volatileBecause === undefined ? "" : `, volatile: ${safeName(volatileBecause)}`;
  return `section \`${safeName(name)}\`${what}${why}`;
}

function describeMarkers({ ttl, scope, removed }: Of<"markers-changed">): string {
  return [
    ...(ttl === undefined ? [] : [`TTL ${safeName(ttl.from)} → ${safeName(ttl.to)}`]),
    ...(scope === undefined ? [] : [`scope ${safeName(scope.from)} → ${safeName(scope.to)}`]),
    ...(removed === undefined ? [] : [`none left on ${removed.join(" and ")}`]),
  ].join(", ");
}

const MOST_NAMES = 5;

function cut(names: readonly string[]): readonly string[] {
  const rest = names.length - MOST_NAMES;
  return rest > 0 ? [...names.slice(0, MOST_NAMES), `${rest} more`] : names;
}

const signed = (sign: string, names: readonly string[]): readonly string[] =>
  cut(names.map(safeName)).map((name) => `${sign}${name}`);

const listed = (names: readonly string[]): string => cut(names.map(safeName)).join(", ");

const MOST_CHARACTERS = 80;

/** A name that somebody else chose, on one line, short, and without what could steer a terminal. */
export function safeName(name: string): string {
  const plain = name
    .slice(0, MOST_CHARACTERS + 1)
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\uFFFD")
    .toWellFormed();
  return plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS)}…` : plain;
}

/** A span of time as people say it. */
export function inMinutes(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 1) return `${Math.round(milliseconds / 1000)} s`;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${Math.round(hours / 24)} days`;
}
