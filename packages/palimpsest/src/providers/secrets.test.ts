import { expect, it } from "vitest";
import { secretsIn, withoutSecrets } from "./secrets.js";

it("secrets within secrets are replaced in one pass, the longest first", () => {
  const clean = withoutSecrets(["secret", "my-secret-key", "my-secret", "key"]);
  expect(clean("my-secret-key, my-secret, a secret, a key")).toBe("[secret], [secret], a [secret], a key");
});

it("a key of one letter does not take a text apart", () => {
  expect(withoutSecrets(["e", "", "no "])("the prompt is here, no key needed")).toBe(
    "the prompt is here, no key needed",
  );
});

it("secrets are no patterns", () => {
  expect(withoutSecrets(["a.c$(1)|[x]\\"])("abc$(1)|[x]\\ a.c$(1)|[x]\\")).toBe("abc$(1)|[x]\\ [secret]");
});

it("are what headers of telling names hold, and the query, whole and taken apart", () => {
  const headers = new Headers({
    authorization: "Bearer one",
    "x-api-key": "two",
    cookie: "a=three; b=four",
    accept: "text/html",
  });
  expect(secretsIn({ headers, url: "http://x.invalid/?sig=fi%20ve&api-version=6" }).toSorted()).toEqual(
    ["Bearer one", "one", "two", "two", "a=three; b=four", "three", "four", "fi%20ve", "fi ve"].toSorted(),
  );
  expect(secretsIn({ headers: new Headers(), url: "http://x.invalid/" }).join("")).toBe("");
});
