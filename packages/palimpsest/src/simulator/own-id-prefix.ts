import { randomBytes } from "node:crypto";

/** For a simulator that may answer a conversation which another one has answered before: no id comes twice. */
export const ownIdPrefix = (): string => `msg_sim_${randomBytes(4).toString("hex")}_`;
