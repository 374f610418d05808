import { useState } from 'preact/hooks';

/** A button with an inline confirmation. */
export function ConfirmButton({
  text,
  question,
  onConfirm,
  disabled = false,
}: {
  readonly text: string;
  readonly question: string;
  readonly onConfirm: () => void;
  readonly disabled?: boolean;
}) {
  const [asks, setAsks] = useState(false);
  if (!asks) {
    return (
      <button type="button" class="button danger" disabled={disabled} onClick={() => setAsks(true)}>
        {text}
      </button>
    );
  }
  const answer = (yes: boolean): void => {
    setAsks(false);
    if (yes) onConfirm();
  };
  return (
    <span class="confirm" role="group" aria-label={question}>
      <span>{question}</span>
      <button type="button" class="button danger" ref={(button) => button?.focus()} onClick={() => answer(true)}>
        Yes
      </button>
      <button type="button" class="button" onClick={() => answer(false)}>
        No
      </button>
    </span>
  );
}
