import { SessionStore } from '@synapse/brain';
import { defaultStateFolder } from '@synapse/hands/internal';
import { columns } from '../output/columns.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { sessionsRoot } from '../hands/workspace-root.ts';

export const command = defineCommand({
  details: 'Sessions are stored in the state folder, readable only by you.',
  options: { workspace, json },
  examples: [
    ['synapse sessions', 'all of them, the newest first'],
    ['synapse sessions -w .', 'those of this folder'],
  ],
  showsRecords: true,
  async run({ options, out, err }) {
    using store = SessionStore.open(defaultStateFolder());
    const sessions = store.list(options.workspace === undefined ? undefined : sessionsRoot(options.workspace));
    const hasBranches = sessions.some(({ branch }) => branch !== undefined);
    if (options.json) printJson(out, { sessions });
    else if (sessions.length === 0) err.write('No sessions yet: synapse run "what to do" --model provider/name\n', 'dim');
    else {
      out.write(
        columns(
          sessions.map(({ id, status, updatedAt, calls, model, task, branch }) => [
            id,
            status,
            new Date(updatedAt).toLocaleString('sv').slice(0, 16),
            `${calls} call${calls === 1 ? '' : 's'}`,
            inLine(model),
            ...(hasBranches ? [branch ?? ''] : []),
            inLine(task).slice(0, 60),
          ]),
        ),
      );
    }
    return 0;
  },
});
