import type { ConsoleEffect } from '@synapse/protocol/console';
import type { ComponentChildren } from 'preact';
import { count, visible } from '../parts/format.ts';
import { Changes } from './diff.tsx';

/**
 * What would change, with what it means, and what speaks against it.
 *
 * @param children the changes, if they are shown in another way
 */
export function EffectView({ effect, children }: { readonly effect: ConsoleEffect; readonly children?: ComponentChildren }) {
  const { meaning, changes, repositories, more, omitted, cautions, blocked } = effect;
  return (
    <>
      {meaning.length > 0 && (
        <ul class="effects" aria-label="What it does">
          {meaning.map((sentence) => (
            <li key={sentence}>{visible(sentence)}</li>
          ))}
        </ul>
      )}
      {children ?? <Changes changes={changes} />}
      {more > 0 && <p class="muted">{`${count(more, 'more change')} not listed`}</p>}
      {repositories.length > 0 && <pre class="muted wrapped">{repositories.map(visible).join('\n')}</pre>}
      {omitted.map(({ path, reason }) => (
        <p key={path} class="note note-warn">
          <code>{visible(path)}</code>
          {` ${visible(reason)}`}
        </p>
      ))}
      {cautions.map((text) => (
        <p key={text} class="note note-warn">
          {visible(text)}
        </p>
      ))}
      {blocked !== undefined && <p class="note note-bad">{visible(blocked)}</p>}
    </>
  );
}
