import { isUtf8 } from 'node:buffer';
import { blameFile, changesSince, PastWorkspace, queryAudit, size, type BlamedLine } from '@synapse/hands/internal';
import type { ConsoleBlamedLine, ConsolePastCall } from '@synapse/protocol/console';
import type { OpenProject } from '../project/open-project.ts';
import type { Handlers } from './method.ts';

/** Maximum number of calls of a session, of entries of a folder, and of bytes of a file. */
const MAX_CALLS = 2_000;
const MAX_ENTRIES = 2_000;
const MAX_BYTES = 1_000_000;

const MAX_LINES = 20_000;
const MAX_CHARACTERS = 2_000;

/** A line with its writer: where a call only laid it out anew, with the writer before. */
function shownLine({ line, text, formatted, ...last }: BlamedLine): ConsoleBlamedLine {
  const { by, tool, call, session, time, approver } = formatted ?? last;
  return {
    line,
    text: text.slice(0, MAX_CHARACTERS),
    by,
    ...(tool === undefined ? {} : { tool }),
    ...(call === undefined ? {} : { call }),
    ...(session === undefined ? {} : { session }),
    ...(time === undefined ? {} : { time }),
    ...(approver === undefined ? {} : { approver }),
    ...(formatted === undefined || last.tool === undefined ? {} : { formattedBy: last.tool }),
  };
}

const open = ({ root, stateFolder }: OpenProject, { call, side }: { readonly call: string; readonly side: 'before' | 'after' }): PastWorkspace =>
  PastWorkspace.open(root, stateFolder, call, side);

export const past: Handlers<'past'> = {
  'past.calls': ({ session }, { project: { stateFolder, root } }) => {
    const calls: ConsolePastCall[] = [];
    for (const { call, tool, start, end } of queryAudit(stateFolder, root, { session, limit: MAX_CALLS })) {
      // Calls of a program are parts of it: what they did came into the workspace with the program.
      if (start.parent !== undefined || end === undefined) continue;
      calls.push({ call, tool, time: Date.parse(start.time), changes: (end.changes?.length ?? 0) + (end.more?.changes ?? 0) });
    }
    return calls.toReversed();
  },
  'past.list': ({ path, ...moment }, { project }) => {
    using workspace = open(project, moment);
    const entries = workspace.list(path);
    return {
      entries: entries.slice(0, MAX_ENTRIES).map(({ path: full, changed_since: isChanged, ...entry }) => ({
        ...entry,
        path: full,
        name: full.slice(full.lastIndexOf('/') + 1),
        changedSince: isChanged === true,
      })),
      more: Math.max(0, entries.length - MAX_ENTRIES),
      uncovered: workspace.moment.uncovered.length,
    };
  },
  'past.read': ({ path, ...moment }, { project }) => {
    using workspace = open(project, moment);
    const { bytes, changedSince } = workspace.read(path);
    if (bytes.includes(0) || !isUtf8(bytes)) return { note: `Not a text in UTF-8: ${size(bytes.length)}.`, changedSince };
    if (bytes.length <= MAX_BYTES) return { text: bytes.toString(), changedSince };
    return { text: bytes.subarray(0, MAX_BYTES).toString(), note: `The first megabyte of ${size(bytes.length)}.`, changedSince };
  },
  'past.lines': async ({ path }, { project: { root, stateFolder } }) => {
    const lines = await blameFile(root, stateFolder, path);
    const shown = lines.slice(0, MAX_LINES).map(shownLine);
    return { lines: shown, more: lines.length - shown.length };
  },
  'past.changes': async (moment, { project, signal }) => {
    using workspace = open(project, moment);
    const { changes, isCut } = await changesSince(workspace, '.', signal);
    return { changes: [...changes], more: isCut };
  },
};
