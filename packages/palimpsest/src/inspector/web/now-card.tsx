import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview } from "../contract.js";
import { KIND_NAMES, KINDS, swatchOf } from "./kinds.js";
import { Link } from "./link.js";
import { Empty } from "./notices.js";
import { conversationRoute } from "./route.js";
import { Card, Kind, ShareBar, Tokens } from "./small-parts.js";

/** What is in the newest request. */
export function NowCard({ overview }: { readonly overview: ConversationOverview }) {
  const parts = KINDS.flatMap((kind) =>
    overview.parts.filter((part) => part.kind === kind && part.tokens > 0),
  );
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <Card
      title="In the context now"
      note={`${formats.count(total)} input tokens of the newest request`}
      actions={
        <Link to={conversationRoute(overview.id, "contents")} class="button">
          Largest items
        </Link>
      }
    >
      {parts.length === 0 ? (
        <Empty>Nothing has been sent yet.</Empty>
      ) : (
        <>
          <ShareBar
            label="Tokens by kind"
            shares={parts.map(({ kind, tokens, estimated }) => ({
              name: KIND_NAMES[kind],
              classes: swatchOf(kind),
              tokens,
              estimated,
            }))}
          />
          <ul class="part-list">
            {parts
              .toSorted((one, other) => other.tokens - one.tokens)
              .map(({ kind, tokens, estimated }) => (
                <li key={kind}>
                  <Kind kind={kind} />
                  <span class="number">
                    <Tokens count={tokens} estimated={estimated} />
                  </span>
                  <span class="number soft">{formats.share(tokens / total)}</span>
                </li>
              ))}
          </ul>
        </>
      )}
      {overview.unknown.map(({ what, tokens, why }) => (
        <p class="note unknown" key={what}>
          <b>Unknown: {visibleLine(what)}</b>
          {tokens === null ? "" : ` (≈${formats.count(tokens)} tokens)`}. {visibleLine(why)}
        </p>
      ))}
    </Card>
  );
}
