export interface Judgement {
  readonly behavior: "allow" | "ask" | "deny";
  /** A sentence for the model or the person. */
  readonly reason: string;
  /** The rule that decided, where one did. */
  readonly rule?: string;
  /** Of an `allow`: no rule allows the calls of git in it, they only read. They have to be held to that. */
  readonly holdsGit?: boolean;
  /** Of an `ask`: rules and flags that would allow the call. */
  readonly suggestions?: readonly string[];
}

/** Nobody is there to be asked: an `ask` is a denial that says what would have allowed the call. */
export function denyInsteadOfAsking(judgement: Judgement): Judgement {
  if (judgement.behavior !== "ask") return judgement;
  const { reason, rule, suggestions = [] } = judgement;
  const ways =
    rule === undefined && suggestions.length > 0
      ? ` It would be allowed by ${suggestions.join(" or ")}.`
      : "";
  return {
    behavior: "deny",
    reason: `${reason} Nobody is there to be asked.${ways} Go on without it, or say what is missing.`,
    ...(rule === undefined ? {} : { rule }),
  };
}
