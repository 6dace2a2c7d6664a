/** Why no agent can be started: a sentence, or a line for each thing that is in the way. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StartError";
  }
}

/** The same for what the command line itself gets wrong. */
export class UsageError extends StartError {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Nobody can answer, because there is no key: to whoever does not ask for it, any other error of the start. */
export class NoKeyError extends StartError {}
