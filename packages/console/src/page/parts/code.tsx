import { visible } from './format.ts';

/** Maximum characters to render; a note replaces the rest. */
const MAX_SHOWN = 100_000;

/** Preformatted text. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <>
      <pre class="code" tabIndex={0} role="region" aria-label={label}>
        {visible(text.slice(0, MAX_SHOWN))}
      </pre>
      {text.length > MAX_SHOWN && <p class="muted">{`${(text.length - MAX_SHOWN).toLocaleString('en')} more characters are not shown.`}</p>}
    </>
  );
}
