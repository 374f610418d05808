import { Quarantine } from '@synapse/hands/internal';
import type { Handlers, MethodContext } from './method.ts';

const open = ({ project }: MethodContext): Quarantine => new Quarantine(project.stateFolder, project.root);

const stale = ({ project }: MethodContext): void => project.emit({ type: 'stale', topics: ['quarantine'] });

export const quarantine: Handlers<'quarantine'> = {
  'quarantine.list': (_, context) => {
    const kept = open(context);
    const locked = kept.locked();
    return {
      items: kept.list().map(({ id, path, reason, detail, time }) => ({ id, path, reason, detail, time })),
      ...(locked === undefined ? {} : { locked: locked.reason }),
    };
  },
  'quarantine.restore': ({ id }, context) => {
    const { path } = open(context).restore(id);
    stale(context);
    return { message: `${path} is back.` };
  },
  'quarantine.discard': ({ id }, context) => {
    const { path } = open(context).discard(id);
    stale(context);
    return { message: `${path} is deleted for good.` };
  },
  'quarantine.unlock': (_, context) => {
    open(context).unlock();
    stale(context);
    return { message: 'Commands run again.' };
  },
};
