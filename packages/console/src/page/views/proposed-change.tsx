import type { ConsoleProposal } from '@synapse/protocol/console';
import { RequestLines } from '../diff/diff.tsx';
import { visible } from '../parts/format.ts';

const KINDS: Readonly<Record<string, 'added' | 'removed'>> = { '+': 'added', '-': 'removed' };

const diffLines = (diff: string) =>
  diff
    .replace(/\n$/u, '')
    .split('\n')
    .map((text) => ({ kind: KINDS[text.charAt(0)] ?? ('plain' as const), text }));

interface ProposedChangeProps {
  readonly proposal: ConsoleProposal;
  readonly busy: boolean;
  readonly onWrite: () => void;
  readonly onCancel: () => void;
}

/** The difference to the configuration, which a person writes or leaves. */
export function ProposedChange({ proposal, busy, onWrite, onCancel }: ProposedChangeProps) {
  if (proposal.diff === '') return <p class="muted">The configuration has all of it already.</p>;
  return (
    <>
      <p>
        Change <code>{visible(proposal.file)}</code>
      </p>
      <RequestLines lines={diffLines(proposal.diff)} label="Change of the configuration" />
      {!proposal.counts && (
        <p class="note note-warn">Its rules that allow, and its mode, do not count yet, because the project is not trusted. See Projects.</p>
      )}
      <div class="actions">
        <button type="button" class="button primary" disabled={busy} onClick={onWrite}>
          Write it
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </>
  );
}
