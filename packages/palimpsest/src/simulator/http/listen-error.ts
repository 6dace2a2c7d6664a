import { PalimpsestError } from "@palimpsest/core";

/** Why a server did not start; `message` is a sentence for people. */
export class ListenError extends PalimpsestError<string> {
  override readonly name = "ListenError";
}

/** Why nothing can listen there, as a sentence. */
export function listenError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): ListenError {
  const code = error.code ?? "unknown";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use; choose another one, or 0 for any free port`,
    EACCES: `port ${port} of ${host} needs rights that this process does not have; choose one above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `${host} is not an address of this machine`,
  };
  const reason = reasons[code] ?? `cannot listen on port ${port} of ${host} (${code})`;
  return new ListenError(code, reason, { cause: error });
}
