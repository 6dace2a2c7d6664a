import type { FetchLike } from "@modelcontextprotocol/client";

/**
 * `fetch` for servers that are not trusted: a body that goes on for too long without an end of line, where
 * messages end, fails the request instead of filling the memory.
 */
export const createBoundedFetch =
  (longest: number): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    const { status, statusText, headers } = response;
    // Redirects are judged by the transport, and are nothing that can be made anew.
    if (response.body === null || !(status === 200 || status >= 400)) return response;
    const isStream = (headers.get("content-type") ?? "").includes("text/event-stream");
    const body = response.body.pipeThrough(bounded(longest, isStream));
    return new Response(body, { status, statusText, headers });
  };

/** Lets bytes through until there are too many of them; in a stream of events those of one line count. */
function bounded(longest: number, perLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = perLine ? chunk.lastIndexOf(10) : -1;
      length = end === -1 ? length + chunk.length : chunk.length - end - 1;
      if (length > longest) {
        controller.error(
          new RangeError(`it sent more than ${longest.toLocaleString("en-US")} bytes at once`),
        );
      } else controller.enqueue(chunk);
    },
  });
}
