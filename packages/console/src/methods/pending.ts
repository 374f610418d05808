import type { Approver } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { Handlers } from './method.ts';

const CONFIRMED: Approver = { name: 'console', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

export const pending: Handlers<'pending'> = {
  'pending.list': (_, { room }) =>
    room.hands.pendingChanges().map(({ handle, command, time, why, files, bytes }) => ({ handle, command, time, why, files, bytes })),
  'pending.show': async ({ handle }, { room }) => {
    const { changes, more, omitted, cautions, blocked } = await room.hands.showPending(handle);
    return {
      changes: [...changes],
      more,
      omitted: omitted.map(({ path, reason }) => ({ path, reason })),
      cautions: [...cautions],
      ...(blocked === undefined ? {} : { blocked }),
    };
  },
  'pending.apply': async ({ handle }, { room, signal }) => {
    const result = await room.hands.applyPending(handle, { signal, approver: CONFIRMED });
    if (!result.ok) throw new SynapseError(result.error.code, result.error.message);
    room.emit({ type: 'stale', topics: ['pending', 'changes'] });
    return { message: result.output };
  },
  'pending.drop': async ({ handle }, { room }) => {
    const { files } = await room.hands.dropPending(handle);
    room.emit({ type: 'stale', topics: ['pending'] });
    return { message: `Dropped the changes of ${files} ${files === 1 ? 'file' : 'files'}.` };
  },
};
