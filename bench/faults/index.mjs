import { conversationFaults } from "./conversation.mjs";
import { messageFaults } from "./messages.mjs";
import { storeFaults } from "./stores.mjs";
import { surfaceFaults } from "./surfaces.mjs";

/**
 * Mistakes as people make them. Each has a name, the invariant of ARCHITECTURE.md that it breaks, runs of the soak in which it
 * should show first, and exact edits: a text that has to stand in the file once, and what takes its place.
 */
export const faults = [...messageFaults, ...storeFaults, ...conversationFaults, ...surfaceFaults];
