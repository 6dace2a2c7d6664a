import { formats } from "../../web/formats.js";
import { visibleLine, visibleText } from "../../web/visible-text.js";
import type { RequestDifference } from "../contract.js";
import { Link } from "./link.js";
import { conversationRoute } from "./route.js";

const commonLength = (one: string, other: string): number => {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
};

/** Where a request differs from the one before it, whose that is, why, and what it cost. */
export function DifferenceCard(props: {
  readonly id: string;
  readonly difference: RequestDifference;
  readonly onBlock: (index: number) => void;
}) {
  const { id, difference, onBlock } = props;
  const { what, against, firstByte, owner, block, reason, lostTokens, dollars, before, after } = difference;
  const other = <Link to={conversationRoute(id, "requests", against)}>request {formats.count(against)}</Link>;
  if (what === "appended") {
    return (
      <p class="difference good">
        <b>✓ Appended.</b> Everything of {other} stands before what is new, byte for byte.
      </p>
    );
  }
  if (what === "unknown") {
    return (
      <p class="difference">
        <b>Not known.</b> {reason === null ? "The recording does not tell" : visibleLine(reason)} what differs
        from {other}.
      </p>
    );
  }
  const same = commonLength(before, after);
  return (
    <section class="difference changed" aria-label="Difference to the request before">
      <p>
        <b>✕ Differs</b> from {other}
        {firstByte === null ? "" : ` at byte ${formats.count(firstByte)}`}
        {owner === null ? "" : ", in "}
        {owner === null ? null : <b>{visibleLine(owner)}</b>}
        {reason === null ? "" : `: ${visibleLine(reason)}`}
      </p>
      <p class="cost-line">
        {lostTokens === 0
          ? "Nothing that the cache held was lost."
          : `${formats.count(lostTokens)} tokens were no longer read from the cache${dollars === null ? "" : `, which cost ${formats.dollars(dollars)}`}.`}
      </p>
      {before === "" && after === "" ? null : (
        <div class="two-lines">
          <Changed name="before" text={before} from={same} />
          <Changed name="now" text={after} from={same} />
        </div>
      )}
      {block === null ? null : (
        <button type="button" data-goes-to-difference onClick={() => onBlock(block)}>
          To block {formats.count(block)}
        </button>
      )}
    </section>
  );
}

const Changed = ({
  name,
  text,
  from,
}: {
  readonly name: string;
  readonly text: string;
  readonly from: number;
}) => (
  <div class={`changed-line ${name}`}>
    <span class="changed-name">{name}</span>
    <bdi class="quoted">
      {visibleText(text.slice(0, from))}
      <mark>{visibleText(text.slice(from))}</mark>
    </bdi>
  </div>
);
