import { expect, it } from "vitest";
import { isAbsent, loadOptional } from "./optional-package.js";

const notFound = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /app/file.js`), {
    code: "ERR_MODULE_NOT_FOUND",
  });

const named = { name: "undici", need: "calls through a proxy need" };

it("a package that is there is loaded", async () => {
  await expect(loadOptional(() => Promise.resolve("loaded"), named)).resolves.toBe("loaded");
});

it("one that is not there is named, with what needs it and how it is installed", async () => {
  const load = () => Promise.reject(notFound("undici"));
  await expect(loadOptional(load, named)).rejects.toThrow(
    "calls through a proxy need the package undici, which is not installed: npm install undici",
  );
});

it("what else goes wrong is not called absence: not another package that is missing, nor a fault of its own", async () => {
  const other = notFound("undici-types");
  await expect(loadOptional(() => Promise.reject(other), named)).rejects.toBe(other);
  const fault = new SyntaxError("'undici'");
  await expect(loadOptional(() => Promise.reject(fault), named)).rejects.toBe(fault);
  expect(isAbsent("'undici'", "undici")).toBe(false);
});
