import type { ConsoleTrial } from '@synapse/protocol/console';
import { RequestLines } from '../diff/diff.tsx';

/** The changes and output of a command that ran on a copy. */
export function TrialView({
  trial: { changes, output, notes, completion, blocked },
  title,
}: {
  readonly trial: ConsoleTrial;
  readonly title: string;
}) {
  return (
    <div class="trial">
      <h3>{title}</h3>
      {completion !== 'ok' && <p class="note note-warn">{completion === 'timeout' ? 'It took too long.' : 'The command failed.'}</p>}
      {changes.length === 0 && <p class="muted">It changed nothing.</p>}
      <RequestLines lines={changes} label="Changes" />
      <RequestLines lines={output} label="Output" />
      {notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
      {blocked !== undefined && <p class="note note-bad">{blocked}</p>}
    </div>
  );
}
