import { expect, it } from "vitest";
import { createEventEmitter } from "./emitter.js";

const learned = { model: "claude-opus-5", estimated: 1000, actual: 1100, scale: 1.01 };

it("tells those who listen, until they stop", () => {
  const events = createEventEmitter();
  const heard: number[] = [];
  const stop = events.on("estimator_calibrated", ({ scale }) => heard.push(scale));
  events.emit("estimator_calibrated", learned);
  stop();
  events.emit("estimator_calibrated", learned);
  expect(heard).toEqual([1.01]);
});

it("a listener that throws, stops or adds others disturbs nobody", () => {
  const errors: unknown[] = [];
  const events = createEventEmitter((error) => errors.push(error));
  const heard: string[] = [];
  events.on("estimator_calibrated", () => {
    throw new Error("bad listener");
  });
  const stop = events.on("estimator_calibrated", () => {
    heard.push("once");
    stop();
    events.on("estimator_calibrated", () => heard.push("later"));
  });
  events.on("estimator_calibrated", () => heard.push("always"));
  events.emit("estimator_calibrated", learned);
  expect(heard).toEqual(["once", "always"]);
  expect(errors).toHaveLength(1);
});
