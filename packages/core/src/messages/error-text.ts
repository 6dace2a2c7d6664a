/** What something that was thrown says; anything may be thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
