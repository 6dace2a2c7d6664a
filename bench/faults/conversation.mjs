const engine = (file) => `packages/core/src/engine/${file}`;

export const conversationFaults = [
  {
    name: "tool-that-went-away-is-taken-out",
    invariant: "request n+1 without its markers starts with the bytes of request n without its markers",
    runs: ["invariants"],
    edits: [
      {
        file: engine("prompt/tool-list.ts"),
        from: '({ definition }) => absent === "keep" || present.has(definition.name),',
        to: '({ definition }) => absent === "keep" && present.has(definition.name),',
      },
    ],
  },
  {
    name: "lookback-is-off-by-one",
    invariant: "the watch names every provoked break, and no other",
    runs: ["invariants"],
    edits: [
      {
        file: engine("watch/unchanged-causes.ts"),
        from: "distances.length > 0 && blocks >= LOOKBACK ?",
        to: "distances.length > 0 && blocks > LOOKBACK ?",
      },
    ],
  },
  {
    name: "a-compaction-counts-as-a-break",
    invariant: "the watch names every provoked break, and no other",
    runs: ["invariants"],
    edits: [
      {
        file: engine("watch/cache-watch.ts"),
        from: "source.baseline = undefined;\n      source.window += 1;",
        to: "source.window += 1;",
      },
    ],
  },
  {
    name: "cut-between-a-call-and-its-result",
    invariant: "cuts never part a call from its result or a response from its pieces",
    runs: ["invariants"],
    edits: [
      {
        file: engine("summarise/divide/rounds.ts"),
        from: "return index > lastBound || isFirst ? index : 0;",
        to: "return index >= lastBound || isFirst ? index : 0;",
      },
    ],
  },
  {
    name: "conversation-changes-before-it-is-stored",
    invariant: "a failed or aborted compaction leaves everything as it was",
    runs: ["conversation-chaos"],
    edits: [
      {
        file: engine("conversation/run.ts"),
        from: 'const isSoAnyway = "at" in event;',
        to: 'const isSoAnyway = event.kind !== "billed";',
      },
    ],
  },
  {
    name: "breaker-never-opens",
    invariant: "a failed or aborted compaction leaves everything as it was",
    runs: ["conversation-chaos"],
    edits: [
      {
        file: engine("conversation/breaker.ts"),
        from: "if (failuresInARow < settings.breakerFailures) return { failuresInARow };",
        to: "if (failuresInARow <= settings.breakerFailures) return { failuresInARow: breaker.failuresInARow };",
      },
    ],
  },
  {
    name: "first-words-after-an-answer-do-not-wait",
    invariant: "what nobody has answered yet reaches the model whole, or its ends do",
    runs: ["invariants"],
    edits: [
      {
        file: engine("oversize/unanswered.ts"),
        from: "at > lastResponse && isSaid(message));",
        to: "at > lastResponse + 1 && isSaid(message));",
      },
    ],
  },
  {
    name: "number-in-words-is-not-escaped",
    invariant: "every word of a person survives any number of compactions",
    runs: ["invariants"],
    edits: [
      {
        file: engine("summarise/people/quote-human-texts.ts"),
        from: "  /^\\[\\d+(?:–\\d+)?\\] /.test(line) ||\n",
        to: "",
      },
    ],
  },
  {
    name: "words-are-listed-without-their-text",
    invariant: "every word of a person survives any number of compactions",
    runs: ["conversation-chaos"],
    edits: [
      {
        file: engine("summarise/people/human-texts.ts"),
        from: "const keptUuids = new Set(kept.map(({ uuid }) => uuid));",
        to: "const keptUuids = new Set([...live, ...kept].map(({ uuid }) => uuid));",
      },
    ],
  },
  {
    name: "boundary-is-never-packed",
    invariant: "it is stored once beside the message itself",
    runs: ["invariants"],
    edits: [
      {
        file: "packages/palimpsest/src/stores/boundary-texts.ts",
        from: "held[place]?.text === entry.text);",
        to: "held[place]?.uuid === entry.text);",
      },
    ],
  },
  {
    name: "answered-call-counts-as-cut-off-too",
    invariant: "the account is the API's bill to the token, but for calls that were cut off",
    runs: ["invariants"],
    edits: [
      {
        file: engine("money/call-meter.ts"),
        from: 'text: open?.text ?? "" };\n        open = undefined;',
        to: 'text: open?.text ?? "" };',
      },
    ],
  },
  {
    name: "hour-long-writes-are-billed-twice",
    invariant: "the account is the API's bill to the token, but for calls that were cut off",
    runs: ["invariants"],
    edits: [
      {
        file: "packages/core/src/messages/billed-usage.ts",
        from: "Math.max(figure(split?.ephemeral_5m_input_tokens), total - oneHour)",
        to: "Math.max(figure(split?.ephemeral_5m_input_tokens), total)",
      },
    ],
  },
  {
    name: "planning-goes-on-with-the-list-of-the-conversation",
    invariant: "what plan() says is what prepare() does",
    runs: ["plans"],
    edits: [
      {
        file: engine("conversation/plan.ts"),
        from: "if (adds && !this.#isForked) this.state",
        to: "if (adds && this.#isForked) this.state",
      },
    ],
  },
  {
    name: "plan-leaves-out-cuts",
    invariant: "what plan() says is what prepare() does",
    runs: ["plans"],
    edits: [
      {
        file: engine("conversation/plan.ts"),
        from: 'case "cut":\n      return { tier: "oversize", tokensBefore, tokensAfter, count: action.cuts.length };',
        to: 'case "cut":\n      return undefined;',
      },
    ],
  },
  {
    name: "resumed-prompt-says-what-is-true-now",
    invariant: "a resume in another process sends the system prompt and tools that were sent before",
    runs: ["invariants"],
    edits: [
      {
        file: engine("prompt/request-state.ts"),
        from: "section.volatileBecause === undefined ? section : (current.get(section.name) ?? section),",
        to: "current.get(section.name) ?? section,",
      },
    ],
  },
  {
    name: "cleared-results-read-better",
    invariant: "transcripts of 0.1 go on in the same bytes",
    runs: ["invariants"],
    edits: [
      {
        file: engine("boundaries/cleared-result.ts"),
        from: 'CLEARED_RESULT_TEXT = "[Old tool result content cleared]"',
        to: 'CLEARED_RESULT_TEXT = "[Old tool result cleared]"',
      },
    ],
  },
  {
    name: "setting-is-no-longer-read",
    invariant: "every option has a supplier and every setting a reader, or a sentence why not",
    runs: ["invariants"],
    edits: [
      {
        file: engine("conversation/apply.ts"),
        from: "const { undoResponses, recompactionRounds } = setup.settings;",
        to: "const { recompactionRounds } = setup.settings;",
      },
      {
        file: engine("conversation/apply.ts"),
        from: "undoable: chain.rounds > undoResponses ?",
        to: "undoable: chain.rounds > 3 ?",
      },
    ],
  },
  {
    name: "test-of-a-mechanism-is-renamed",
    invariant: "every mechanism has a test that is there, or a sentence why it is other",
    runs: ["invariants"],
    edits: [
      {
        file: engine("clear/clearing-properties.test.ts"),
        from: 'it("idempotent: the same decision right afterwards finds nothing"',
        to: 'it("a second decision finds nothing"',
      },
    ],
  },
  {
    name: "responses-before-a-resume-do-not-count",
    invariant:
      "after every event of a random life a conversation resumed from its transcript sends the same, and knows the same to the token",
    runs: ["lives"],
    edits: [
      {
        file: engine("conversation/apply.ts"),
        from: "chain = afterResponse(chain);\n    cache = noteUsage(cache, usage);",
        to: "cache = noteUsage(cache, usage);",
      },
    ],
  },
  {
    name: "failures-are-forgotten-by-a-resume",
    invariant:
      "after every event of a random life a conversation resumed from its transcript sends the same, and knows the same to the token",
    runs: ["lives"],
    edits: [
      {
        file: engine("conversation/totals.ts"),
        from: "return isSame ? [] : [change(moment, { room: { breaker, notEarlyBefore } })];",
        to: "return isSame || breaker.open === undefined ? [] : [change(moment, { room: { breaker, notEarlyBefore } })];",
      },
    ],
  },
  {
    name: "resumed-thread-takes-the-last-message-again",
    invariant: "a process for every call of an adapter sends the bytes of one process",
    runs: ["invariants"],
    edits: [
      {
        file: "packages/core/src/adapters/threads.ts",
        from: "return { thread: createThread(this.#options, input, start), depth: place.depth };",
        to: "return { thread: createThread(this.#options, input, start), depth: place.depth - 1 };",
      },
    ],
  },
  {
    name: "what-made-room-is-kept-under-the-wrong-list",
    invariant:
      "of fifty conversations with forks, retries and edits none is mixed up, and none pays for more summaries than alone",
    runs: ["invariants"],
    edits: [
      {
        file: "packages/core/src/adapters/threads.ts",
        from: "const key = saved?.node === node.key ? keyAfter(saved.key) : node.key;",
        to: "const key = saved?.node === node.key ? keyAfter(saved.key) : (node.parent?.key ?? node.key);",
      },
    ],
  },
];
