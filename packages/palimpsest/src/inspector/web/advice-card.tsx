import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { AdviceList, ConversationOverview } from "../contract.js";
import { useInspector } from "./inspector-state.js";
import { Empty, Loaded } from "./notices.js";
import { paths } from "./paths.js";
import { Card } from "./small-parts.js";

/** What could be changed about the agent that is used, priced on its own requests. */
export function AdviceCard({ overview }: { readonly overview: ConversationOverview }) {
  const { answers } = useInspector();
  const path = paths.advice(overview.id);
  return (
    <Card title="Advice" note="What a change to this agent would have saved, computed on these requests">
      <Loaded<AdviceList> answer={answers.of<AdviceList>(path).value} path={path} loading="Working it out …">
        {({ advice, note }) => (
          <>
            {advice.length === 0 ? (
              <Empty>{note === null ? "Nothing here is worth changing." : visibleLine(note)}</Empty>
            ) : (
              <ol class="advice">
                {advice.map(({ what, why, dollars, share }) => (
                  <li key={what}>
                    <p>
                      <b>{visibleLine(what)}</b>
                      <span class="saves">
                        saves {formats.dollars(dollars)} · {formats.share(share)}
                      </span>
                    </p>
                    <p class="note">{visibleLine(why)}</p>
                  </li>
                ))}
              </ol>
            )}
            {advice.length > 0 && note !== null ? <p class="note">{visibleLine(note)}</p> : null}
          </>
        )}
      </Loaded>
    </Card>
  );
}
