import { queryAudit } from '@synapse/hands/internal';
import { callDetail } from './call-detail.ts';
import { callRow } from '../calls/call-row.ts';
import type { Handlers } from './method.ts';

/** Maximum number of calls for one badge. */
const MAX_FOUND = 50;

function pathOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'path' in input ? input.path : undefined;
}

export const calls: Handlers<'calls'> = {
  'calls.get': ({ call }, { project }) => callDetail(project, call),
  /** Returns the calls behind a claim of a report. */
  'calls.find': ({ session, tool, path }, { project }) => {
    const found = [];
    for (const call of queryAudit(project.stateFolder, project.root, { session, ...(tool === undefined ? {} : { tool }) })) {
      if (path !== undefined && pathOf(call.start.arguments) !== path && call.end?.resolved?.includes(path) !== true) continue;
      found.push(callRow(call));
      if (found.length >= MAX_FOUND) break;
    }
    return found;
  },
};
