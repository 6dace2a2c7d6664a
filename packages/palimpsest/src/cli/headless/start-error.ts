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
