import { PalimpsestError } from "@palimpsest/core";

export type PlayerErrorCode = "bad-script" | "bad-player";

/** What a person wrote cannot be played; the message says where it is wrong. */
export class PlayerError extends PalimpsestError<PlayerErrorCode> {
  override readonly name = "PlayerError";
}
