import type { ComponentChildren } from "preact";
import { Quoted } from "../../web/quoted.js";
import type { Answer } from "./answers.js";
import type { SourceError } from "./data-source.js";
import { useInspector } from "./inspector-state.js";

export const Empty = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="empty">{children}</p>
);

export function Failure({ failure, path }: { readonly failure: SourceError; readonly path?: string }) {
  const { answers } = useInspector();
  return (
    <div class="failure" role="alert">
      <p>
        <Quoted text={failure.message} class="prose" />
      </p>
      {path === undefined || failure.code === "not-exported" ? null : (
        <button type="button" onClick={() => answers.refresh(path)}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What was asked for, once it is there; before that a sentence, and a failure where there is one. */
export function Loaded<T>(props: {
  readonly answer: Answer<T>;
  readonly path: string;
  readonly loading: string;
  /** Says that the conversation is gone: its parts, which all hear of it, do not say it again. */
  readonly saysGone?: boolean;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { answer, path, loading, children } = props;
  if (answer.value !== null) {
    const isSaid = answer.failure?.code === "no_conversation" && props.saysGone !== true;
    return (
      <>
        {answer.failure === null || isSaid ? null : <Failure failure={answer.failure} path={path} />}
        {children(answer.value)}
      </>
    );
  }
  if (answer.failure !== null) return <Failure failure={answer.failure} path={path} />;
  return (
    <p class="loading" role="status">
      {loading}
    </p>
  );
}
