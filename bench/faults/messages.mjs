const core = (file) => `packages/core/src/messages/${file}`;

export const messageFaults = [
  {
    name: "renamed-id-is-given-twice",
    invariant: "whatever the list, the request is one the API accepts",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/normaliser.ts"),
        from: "this.#usedIds.add(id);",
        to: "this.#usedIds.add(base);",
      },
    ],
  },
  {
    name: "lone-surrogate-in-a-result",
    invariant: "whatever the list, the request is one the API accepts",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/clean-block.ts"),
        from: "return wellFormed(keepFields(bare, TOOL_RESULT), context);",
        to: "return keepFields(bare, TOOL_RESULT);",
      },
    ],
  },
  {
    name: "placeholder-answers-for-the-newest-call-only",
    invariant: "whatever the list, the request is one the API accepts",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/round.ts"),
        from: "const missing = this.#calls.filter((id) => !this.#results.has(id));",
        to: "const missing = this.#calls.slice(-1).filter((id) => !this.#results.has(id));",
      },
    ],
  },
  {
    name: "mended-input-is-told-of-again",
    invariant: "normalising what was normalised changes nothing and mends nothing",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/clean-block.ts"),
        from: 'if (input !== bare["input"]) {',
        to: 'if (input !== bare["input"] || Object.keys(input).length === 0) {',
      },
    ],
  },
  {
    name: "sealed-messages-are-copied",
    invariant: "appending whole rounds gives back the same objects before the last user message",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/normaliser.ts"),
        from: "noteOrigin(this.#sealed.concat(tail), origin)",
        to: "noteOrigin(this.#sealed.map((message) => ({ ...message })).concat(tail), origin)",
      },
    ],
  },
  {
    name: "pending-response-is-settled-at-the-end-of-a-piece",
    invariant: "in pieces of any size, the result is that of the whole list; the input is never changed",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/normaliser.ts"),
        from: "for (const message of messages) this.#take(message);\n",
        to: "for (const message of messages) this.#take(message);\n    this.#settlePending();\n",
      },
    ],
  },
  {
    name: "input-is-mended-in-place",
    invariant: "in pieces of any size, the result is that of the whole list; the input is never changed",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/block-fields.ts"),
        from: "block[key] === value ? block : { ...block, [key]: value };",
        to: "Object.assign(block as Record<string, unknown>, { [key]: value });",
      },
    ],
  },
  {
    name: "largest-edge-is-excluded",
    invariant: "what the judge says of a picture is what normalising does with it; they share no code",
    runs: ["invariants"],
    edits: [
      {
        file: core("normalise/media-source.ts"),
        from: "Math.max(size.width, size.height) > LARGEST_EDGE",
        to: "Math.max(size.width, size.height) >= LARGEST_EDGE",
      },
    ],
  },
  {
    name: "every-message-is-looked-at-again",
    invariant: "normalising an appended round costs the same at 100 and at 10,000 messages",
    runs: ["lists"],
    edits: [
      {
        file: core("normalise/normaliser.ts"),
        from: "const repairs = [...this.#repairs];",
        to: "const repairs = this.#sealed.every(({ content }) => content.some(({ type }) => type !== undefined)) ? [...this.#repairs] : [];",
      },
    ],
  },
  {
    name: "empty-fields-are-left-out-of-a-line",
    invariant: "unknown fields and types survive a round trip",
    runs: ["invariants"],
    edits: [
      {
        file: core("transcript/line.ts"),
        from: "return JSON.stringify(message);",
        to: "return JSON.stringify(message, (_key, value: unknown) => value ?? undefined);",
      },
    ],
  },
  {
    name: "only-the-first-part-is-imported",
    invariant: "whatever the list that is imported, the request is valid and no word of a person is lost",
    runs: ["invariants"],
    edits: [
      {
        file: core("import/from-openai-chat.ts"),
        from: "return content.map(chatPart);",
        to: "return content.slice(0, 1).map(chatPart);",
      },
    ],
  },
];
