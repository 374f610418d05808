import { CONFIRMED } from '../input/confirm-or-fail.ts';
import { columns } from '../output/columns.ts';
import { showChange } from '../output/show-change.ts';
import { pendingOf, pendingRow, tellEffect } from '../output/pending-changes.ts';
import type { ChatCommand } from './chat-command.ts';

/** The commands about what was changed. */
export const CHANGE_COMMANDS: Readonly<Record<string, ChatCommand>> = {
  '/changes': {
    summary: 'show what was changed',
    async run({ hands, session }, { out, err }) {
      const changes = await hands.changes({ session: session.id });
      if (changes.length === 0) err.write('Nothing was changed.\n', 'dim');
      for (const change of changes) showChange(out, change);
    },
  },
  '/undo': {
    summary: 'take back the last change of this session',
    async run({ hands, session }, { err, signal }) {
      const undone = await hands.undo({ session: session.id, last: 1 }, { approver: CONFIRMED, signal });
      err.write(undone.ok ? `${undone.output}\n` : `${undone.error.message}\n`, undone.ok ? 'dim' : 'yellow');
    },
  },
  '/approve': {
    form: '[handle]',
    summary: 'show what waits for a yes, or apply it',
    async run({ hands, session }, { err, signal }, rest) {
      const [handle = ''] = rest.split(/\s+/u);
      const waiting = hands.pendingChanges();
      if (waiting.length === 0) err.write('Nothing waits for a yes.\n', 'dim');
      else if (handle === '') {
        for (const pending of waiting) {
          err.write(columns([pendingRow(pending)]));
          tellEffect(err, await hands.showPending(pending.handle, { signal }));
        }
        err.write(`Apply with: /approve ${waiting[0]?.handle ?? ''}\n`, 'dim');
      } else {
        const applied = await hands.applyPending(pendingOf(waiting, handle).handle, { sessionId: session.id, signal });
        err.write(applied.ok ? `${applied.output}\n` : `${applied.error.message}\n`, applied.ok ? 'dim' : 'yellow');
      }
    },
  },
};
