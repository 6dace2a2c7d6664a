import type { CallProgress, ModelCall, ModelOutput, ModelProvider } from "@palimpsest/core";
import { encodeMessagesCall } from "../../providers/messages-call.js";

/** A request that was answered. */
export interface SentRequest {
  /** Of its answer: `message.id`. */
  readonly response: string;
  readonly betas: readonly string[];
  /** As it went out, without keys. Made when it is asked for: until then requests share what they have in common. */
  readonly text: () => string | undefined;
}

/** Tells of each request once its answer begins. */
export function tellingSent(
  provider: ModelProvider,
  { hide, onSent }: { readonly hide: (text: string) => string; readonly onSent: (sent: SentRequest) => void },
): ModelProvider {
  const tell = (call: ModelCall, response: string): void =>
    onSent({
      response,
      betas: call.betas ?? [],
      text() {
        const encoded = encodeMessagesCall(call);
        return encoded.kind === "encoded" ? hide(encoded.body) : undefined;
      },
    });
  return {
    ...provider,
    capabilities: (model) => provider.capabilities(model),
    async *stream(call, options): AsyncGenerator<ModelOutput> {
      let told: string | undefined;
      const answered = (response: string): void => {
        if (response !== told) tell(call, (told = response));
      };
      const onProgress = (progress: CallProgress): void => {
        if (progress.kind === "start") answered(progress.message.id);
        options?.onProgress?.(progress);
      };
      for await (const output of provider.stream(call, { ...options, onProgress })) {
        if (output.kind === "message") answered(output.message.id);
        yield output;
      }
    },
  };
}
