/** Why a control request is not carried out: a sentence for whoever sent it. */
export class ControlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ControlError";
  }
}
