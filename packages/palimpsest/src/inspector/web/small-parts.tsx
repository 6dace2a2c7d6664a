import type { ComponentChildren } from "preact";
import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { PartKind, TokenSums } from "../contract.js";
import { KIND_NAMES, swatchOf } from "./kinds.js";

export const Kind = ({ kind }: { readonly kind: PartKind }) => (
  <span class="kind">
    <span class={`swatch ${swatchOf(kind)}`} aria-hidden="true" />
    {KIND_NAMES[kind]}
  </span>
);

/** A figure under its name. */
export const Fact = (props: {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly title?: string;
}) => (
  <div class="fact" title={props.title}>
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </div>
);

/** Tokens; `≈` before an estimate. */
export const Tokens = ({
  count,
  estimated = false,
}: {
  readonly count: number;
  readonly estimated?: boolean;
}) => (estimated ? <span title="An estimate">≈{formats.count(count)}</span> : <>{formats.count(count)}</>);

export const inputOf = (usage: TokenSums): number =>
  usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;

/** A moment as people write it, in their own time; the whole of it in its title. */
export function Moment({ at }: { readonly at: string | null }) {
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return <span>–</span>;
  const isToday = date.toDateString() === new Date().toDateString();
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {isToday ? time : `${day}, ${time}`}
    </time>
  );
}

/** One line of a conversation, cut where its place ends. */
export const Line = ({ text, class: classes = "" }: { readonly text: string; readonly class?: string }) => (
  <bdi class={`line ${classes}`}>{visibleLine(text)}</bdi>
);

/** A path of which the end says most: its last two parts, and all of it where the pointer rests. */
export function Place({ path }: { readonly path: string }) {
  const shown = visibleLine(path);
  const parts = shown.split("/");
  return (
    <span class="place" title={shown}>
      {parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : shown}
    </span>
  );
}

interface Share {
  readonly name: string;
  readonly classes: string;
  readonly tokens: number;
  readonly estimated: boolean;
}

const shareText = ({ tokens, estimated }: Share): string => `${estimated ? "≈" : ""}${formats.count(tokens)}`;

/** Shares of a whole side by side, each with its figure beneath. */
export function ShareBar({ label, shares }: { readonly label: string; readonly shares: readonly Share[] }) {
  const there = shares.filter(({ tokens }) => tokens > 0);
  const total = there.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <div class="shares">
      <div
        class="share-bar"
        role="img"
        aria-label={`${label}: ${there.map((share) => `${share.name} ${shareText(share)}`).join(", ")}`}
      >
        {there.map((share) => (
          <span
            key={share.name}
            class={`share ${share.classes}`}
            style={{ flexGrow: share.tokens / Math.max(1, total) }}
            title={`${share.name}: ${shareText(share)}`}
          />
        ))}
      </div>
      <ul class="legend" aria-hidden="true">
        {there.map((share) => (
          <li key={share.name}>
            <span class={`swatch ${share.classes}`} />
            {share.name} <b>{shareText(share)}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A part of the page with a heading of its own. */
export function Card(props: {
  readonly title: string;
  readonly note?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly id?: string;
  readonly isWide?: boolean;
}) {
  return (
    <section class={`card${props.isWide === true ? " wide" : ""}`} id={props.id} aria-label={props.title}>
      <div class="card-head">
        <h3>{props.title}</h3>
        {props.note === undefined ? null : <p class="note">{props.note}</p>}
        {props.actions === undefined ? null : <div class="actions">{props.actions}</div>}
      </div>
      {props.children}
    </section>
  );
}
