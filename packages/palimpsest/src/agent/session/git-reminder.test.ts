import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

it("a status of git that changed between two prompts of one process is told after the second, and the prompt stays", async () => {
  execFileSync("git", ["-C", place.cwd, "init", "-q", "-b", "main"]);
  const session = await place.open(["One.", "Two.", "Three."]);
  await session.say("Begin.");
  await place.write("new.txt", "x");
  await session.say("Go on.");
  await session.say("And on.");
  const [first, second, third] = session.requests.map((request) => ({
    system: JSON.stringify(request.system),
    tellings: JSON.stringify(request.messages).split("?? new.txt").length - 1,
  }));
  expect(first?.system).toContain("Git: on main. Nothing is changed.");
  expect([second?.system, third?.system]).toEqual([first?.system, first?.system]);
  expect([first?.tellings, second?.tellings, third?.tellings]).toEqual([0, 1, 1]);
  await session.close();
});
