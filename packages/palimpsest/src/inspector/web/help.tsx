import { useEffect, useRef } from "preact/hooks";
import { isHelpShown, KEYS } from "./keys.js";

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = isHelpShown.value;
  useEffect(() => {
    if (isShown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isShown]);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-heading"
      onClose={() => (isHelpShown.value = false)}
    >
      <h2 id="help-heading">Keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => (isHelpShown.value = false)}>
        Close
      </button>
    </dialog>
  );
}
