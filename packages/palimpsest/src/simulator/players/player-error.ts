export type PlayerErrorCode = "bad-script" | "bad-player";

/** What a person wrote cannot be played; the message says where it is wrong. */
export class PlayerError extends Error {
  override readonly name = "PlayerError";
  readonly code: PlayerErrorCode;

  constructor(code: PlayerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
