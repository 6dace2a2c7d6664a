import { createHash, timingSafeEqual } from "node:crypto";
import { isLoopbackName } from "../../simulator/http/local-host.js";
import { failure } from "./failure.js";

export interface GuardOptions {
  /** Only who has it is answered. */
  readonly token: string;
  /** Under which it is reached from elsewhere, such as a forwarded port; its `Host` and `Origin` are taken too. */
  readonly publicUrl?: string | undefined;
}

/** What keeps others out. Both give the answer to whoever is refused; undefined for whoever may go on. */
export interface Guard {
  /** Another's name that leads here, or another's page. */
  place(request: Request): Response | undefined;
  token(request: Request): Response | undefined;
}

export function createGuard({ token, publicUrl }: GuardOptions): Guard {
  const open = publicUrl === undefined ? undefined : new URL(publicUrl);
  const wanted = digest(token);
  const isOwn = (host: string): boolean => {
    if (host === open?.host) return true;
    const name = /^(\[[\da-f:]+\]|[^:]+)(?::\d{1,5})?$/i.exec(host)?.[1];
    return name !== undefined && isLoopbackName(name.toLowerCase());
  };
  return {
    place(request) {
      const { host } = new URL(request.url);
      if (![host, request.headers.get("host") ?? host].every(isOwn)) {
        return failure(
          403,
          "foreign_host",
          "The inspector answers under a name of this machine, or that of --public-url.",
        );
      }
      const origin = request.headers.get("origin");
      if (origin !== null && !isSameOrigin(origin, request, open)) {
        return failure(403, "foreign_origin", "The inspector does not answer pages of others.");
      }
      const site = request.headers.get("sec-fetch-site");
      const isNavigation = request.headers.get("sec-fetch-mode") === "navigate";
      if (site !== null && site !== "same-origin" && site !== "none" && !isNavigation) {
        return failure(403, "foreign_origin", "The inspector does not answer pages of others.");
      }
      return undefined;
    },
    token(request) {
      const given = (request.headers.get("authorization") ?? "").replace(/^bearer +/i, "");
      if (timingSafeEqual(digest(given), wanted)) return undefined;
      return failure(
        403,
        "no_token",
        "The token is missing or wrong: open the address that palimpsest inspect has printed, with all that stands after #.",
      );
    },
  };
}

function isSameOrigin(origin: string, request: Request, open: URL | undefined): boolean {
  if (origin === open?.origin) return true;
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return origin === `http://${host}`;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
