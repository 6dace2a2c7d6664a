import type {
  CallProgress,
  Message,
  ModelCall,
  ModelOutput,
  ModelProvider,
  TranscriptWriter,
} from "@palimpsest/core";
import { encodeMessagesCall } from "../../providers/messages-call.js";
import type { ConversationRecording } from "../../recording/conversation-recording.js";
import { openRecordingFolder } from "../../recording/recording-folder.js";
import type { RequestOutcome } from "../../recording/request-record.js";
import { redactSecrets } from "../base/redact-secrets.js";
import type { KeyHider } from "./key-hider.js";

/** Where a session is recorded, its subagents apart. */
export interface SessionRecording {
  /** What a conversation had before; what is there already is not written again. */
  begin(messages: readonly Message[]): void;
  /** What a conversation stores is recorded too. */
  writer(writer: TranscriptWriter, agentId?: string): TranscriptWriter;
  /** What a conversation asks is recorded. */
  provider(provider: ModelProvider, agentId?: string): ModelProvider;
}

export interface SessionRecordingOptions {
  readonly folder: string;
  readonly sessionId: string;
  readonly hider: KeyHider;
  readonly now: () => number;
  /** A sentence for the person. */
  readonly tell: (sentence: string) => void;
}

/**
 * Records a session into a folder, contents and all, without keys. What cannot be written is told once, and no request fails for it.
 * Throws as the disk does, where the folder cannot be made.
 */
export function recordSession(options: SessionRecordingOptions): SessionRecording {
  const { folder, sessionId, hider, now, tell } = options;
  const recordings = openRecordingFolder(folder, {
    now,
    redact: (text) => redactSecrets(hider.text(text), {}),
  });
  let isBroken = false;
  const attempt = (agentId: string | undefined, write: (recording: ConversationRecording) => void): void => {
    if (isBroken) return;
    try {
      const name = agentId === undefined ? sessionId : `${sessionId}-${agentId}`;
      write(recordings.file(`palimpsest-${name}`, sessionId));
    } catch (error) {
      isBroken = true;
      tell(`nothing more is recorded in ${folder}: ${reasonOf(error)}`);
    }
  };
  const record = (messages: readonly Message[], agentId?: string): void =>
    attempt(agentId, (recording) => {
      for (const message of messages) recording.message(message);
    });
  return {
    begin: record,
    writer: (writer, agentId) => ({
      async append(messages) {
        await writer.append(messages);
        record(messages, agentId);
      },
      close: () => writer.close(),
    }),
    provider: (provider, agentId) => ({
      ...provider,
      capabilities: (model) => provider.capabilities(model),
      stream: (call, callOptions) => {
        const at = now();
        return recordedStream({
          call,
          at,
          now,
          stream: (onProgress) => provider.stream(call, { ...callOptions, onProgress }),
          onProgress: callOptions?.onProgress,
          done: (text, outcome) =>
            attempt(agentId, (recording) =>
              recording.request({
                at,
                text,
                outcome,
                client: { session: sessionId, ...(agentId === undefined ? {} : { agent: agentId }) },
                betas: call.betas ?? [],
              }),
            ),
        });
      },
    }),
  };
}

interface RecordedCall {
  readonly call: ModelCall;
  readonly at: number;
  readonly now: () => number;
  readonly stream: (onProgress: (progress: CallProgress) => void) => AsyncIterable<ModelOutput>;
  readonly onProgress: ((progress: CallProgress) => void) | undefined;
  /** Told once, however it ends. */
  readonly done: (text: string, outcome: RequestOutcome) => void;
}

async function* recordedStream(given: RecordedCall): AsyncGenerator<ModelOutput> {
  const { call, at, now, stream, onProgress, done } = given;
  let outcome: Omit<RequestOutcome, "milliseconds"> = { error: "aborted" };
  try {
    const outputs = stream((progress) => {
      if (progress.kind === "start") {
        const { id, model, usage } = progress.message;
        outcome = { ...outcome, response: id, model, usage };
      } else if (progress.kind === "usage") outcome = { ...outcome, usage: progress.usage };
      onProgress?.(progress);
    });
    for await (const output of outputs) {
      if (output.kind === "message") {
        const { id, model, usage } = output.message;
        outcome = { status: 200, response: id, model, usage };
      } else if (output.kind === "error") {
        const { status, type, kind } = output.failure;
        outcome = { ...outcome, ...(status === undefined ? {} : { status }), error: type ?? kind };
      }
      yield output;
    }
  } finally {
    const encoded = encodeMessagesCall(call);
    if (encoded.kind === "encoded") done(encoded.body, { milliseconds: now() - at, ...outcome });
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
