// A separate program, so that a test can run it as another user: `command-demonstration WORKSPACE STATE HOW COMMAND`.
// HOW: `dry`, `approve` (approve its changes on the copy), `undoable` (apply them so that they can be undone), `plain` (run
// in the workspace itself), or `undo`.
import { createHands } from '../runtime/create-hands.ts';
import type { Approver } from '../approval/approver.ts';

const [workspace = '', stateFolder = '', how = '', command = ''] = process.argv.slice(2);
const approver: Approver = {
  name: 'test',
  ask: async ({ changed }) =>
    changed === undefined
      ? { verdict: 'deny', reason: 'it was asked about before it ran' }
      : { verdict: 'allow', scope: 'once', effect: changed.fingerprint },
};
await using hands = await createHands({
  workspace,
  stateFolder,
  sandbox: 'required',
  configFolder: `${stateFolder}/config`,
  ...(how === 'approve' ? { approver } : { allow: ['write', 'exec'] as const }),
  undoCommands: how !== 'plain',
});
const startedAt = performance.now();
const result = how === 'undo' ? await hands.undo() : await hands.call('run_command', { command }, { callId: 'command', dryRun: how === 'dry' });
const milliseconds = performance.now() - startedAt;
const changes = how === 'undo' || how === 'dry' ? [] : await hands.changes();
process.stdout.write(JSON.stringify({ result, milliseconds, changes }));
