import type { EventLog, LoggedEvent } from "./event-log.js";

/** At most ten a second. */
const PAUSE_MS = 100;
/** So that whatever stands between sees that the connection lives. */
const SIGN_OF_LIFE_MS = 15_000;

/** Events as they come, from the one after `Last-Event-ID` on. It ends when the client goes. */
export function eventStream(log: EventLog, request: Request): Response {
  const asked = request.headers.get("last-event-id") ?? "";
  let sent = /^\d{1,15}$/.test(asked) ? Number(asked) : log.last;
  const encoder = new TextEncoder();
  let stop = (): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let timer: NodeJS.Timeout | undefined;
      const send = (): void => {
        timer = undefined;
        const next = log.since(sent).slice(0, 1);
        for (const logged of next) {
          sent = logged.id;
          controller.enqueue(encoder.encode(frameOf(logged)));
        }
        if (next.length > 0) schedule();
      };
      const schedule = (): void => void (timer ??= setTimeout(send, PAUSE_MS));
      const unlisten = log.listen(schedule);
      const alive = setInterval(() => controller.enqueue(encoder.encode(":\n\n")), SIGN_OF_LIFE_MS);
      alive.unref();
      stop = () => {
        unlisten();
        clearTimeout(timer);
        clearInterval(alive);
      };
      controller.enqueue(encoder.encode(`id: ${sent}\n:\n\n`));
      schedule();
    },
    cancel: () => stop(),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}

function frameOf({ id, event: { type, ...data } }: LoggedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
