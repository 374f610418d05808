import type { Approver } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import { effectView } from './effect-view.ts';
import type { Handlers } from './method.ts';

const CONFIRMED: Approver = { name: 'console', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

export const pending: Handlers<'pending'> = {
  'pending.list': (_, { project }) =>
    project.hands.pendingChanges().map(({ handle, command, time, why, files, bytes }) => ({ handle, command, time, why, files, bytes })),
  'pending.show': async ({ handle }, { project, signal }) => effectView(await project.hands.showPending(handle, { signal })),
  'pending.apply': async ({ handle }, { project, signal }) => {
    const result = await project.hands.applyPending(handle, { signal, approver: CONFIRMED });
    if (!result.ok) throw new SynapseError(result.error.code, result.error.message);
    project.emit({ type: 'stale', topics: ['pending', 'changes'] });
    return { message: result.output };
  },
  'pending.drop': async ({ handle }, { project }) => {
    const { files } = await project.hands.dropPending(handle);
    project.emit({ type: 'stale', topics: ['pending'] });
    return { message: `Dropped the changes of ${files} ${files === 1 ? 'file' : 'files'}.` };
  },
};
