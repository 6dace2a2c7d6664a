import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formats } from "../../web/formats.js";
import type { CacheClock, ConversationOverview } from "../contract.js";
import { useInspector } from "./inspector-state.js";
import { Loaded } from "./notices.js";
import { paths } from "./paths.js";
import { Card, Fact } from "./small-parts.js";

const LIFETIMES = { "5m": 300_000, "1h": 3_600_000 } as const;

/** How long what is in the cache stays there, and what the next request costs before and after. */
export function CacheClockCard({ overview }: { readonly overview: ConversationOverview }) {
  const { answers } = useInspector();
  const path = paths.clock(overview.id);
  return (
    <Card title="Cache clock" id="clock" note="Until when the next request reads what the last one wrote">
      <Loaded<CacheClock>
        answer={answers.of<CacheClock>(path).value}
        path={path}
        loading="Reading the clock …"
      >
        {(clock) => (
          <>
            <Countdown clock={clock} />
            <dl class="facts">
              <Fact name="Next request, warm">{formats.dollars(clock.nextWarm)}</Fact>
              <Fact name="Next request, cold">{formats.dollars(clock.nextCold)}</Fact>
              <Fact name="Compacting now">{formats.dollars(clock.compactNow)}</Fact>
              <Fact name="Compacting later" title="Once the cache has gone cold">
                {formats.dollars(clock.compactLater)}
              </Fact>
            </dl>
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Countdown({ clock }: { readonly clock: CacheClock }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  const until = clock.warmUntil === null ? null : Date.parse(clock.warmUntil);
  if (until === null || clock.lifetime === null)
    return <p class="clock-face">Nothing of this conversation is in the cache.</p>;
  // No longer than an entry lives, whatever clock the recording was written by.
  const left = Math.min(LIFETIMES[clock.lifetime], Math.max(0, until - now.value));
  if (left === 0) return <p class="clock-face cold">Cold: the next request writes everything again.</p>;
  return (
    <div class="clock-face warm">
      <p>
        Warm for <b>{formats.duration(left)}</b>
      </p>
      <progress max={LIFETIMES[clock.lifetime]} value={left} aria-label="Time left in the cache" />
    </div>
  );
}
