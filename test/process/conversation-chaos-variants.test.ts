import { it } from "vitest";
import { surviveChaos, TURNS } from "./chaos.js";

it("survives every fault with no last resort", () =>
  surviveChaos({ compactExtractive: false }, Math.ceil(TURNS / 4)));

it("survives every fault with notes", () =>
  surviveChaos({ notes: true, notesTokensBetweenUpdates: 2000 }, Math.ceil(TURNS / 4)));
