import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool.ts';
import type { Journal } from './journal.ts';
import { stepsToUndo } from './plan-undo.ts';
import { describeStep, type Step } from './step.ts';

/** The places that steps touch, as they are shown. */
export function pathsOf(steps: readonly Step[]): string[] {
  return [...new Set(steps.map(describeStep).flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))];
}

const Change = z.strictObject({
  kind: z.string(),
  path: z.string(),
  to: z.string().optional(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

/**
 * Takes changes back. A tool, so that it is authorized, recorded and journaled as every change is; not one
 * of those that a brain is offered, for it names entries of the journal.
 */
export function undoTool(journal: Journal) {
  return defineTool({
    name: 'undo',
    title: 'Undo',
    description: 'Take earlier changes back.',
    effects: 'write',
    destructive: true,
    input: z.strictObject({
      entries: z.array(z.int()).min(1).describe('Entries of the journal, newest first'),
      paths: z.array(z.string()).describe('What they touch: an approval is for these and no others'),
    }),
    output: z.strictObject({ changes: z.array(Change), kept_folders: z.array(z.string()) }),
    permission: ({ paths }) => paths.map((resource) => ({ action: 'write' as const, resource })),
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ entries }, { changes }) => `undo(${count(entries.length, 'change')}) → ${count(changes.length, 'step')}`,
    async execute({ entries: ids, paths }, { workspace }) {
      const found = journal.database.withIds(ids).filter(({ undone_by: by }) => by === null);
      const { steps, keptFolders } = stepsToUndo(found, journal.powers());
      if (found.length !== ids.length || JSON.stringify(pathsOf(steps)) !== JSON.stringify(paths)) {
        throw new SynapseError('conflict', 'The journal changed in the meantime; nothing was undone.', {
          hint: 'Look again at what would be undone.',
          retryable: true,
        });
      }
      await workspace.restore(steps, ids);
      const changes = steps.map(describeStep);
      const kept = keptFolders.length === 0 ? '' : ` Not empty by now, so left: ${keptFolders.join(', ')}.`;
      return {
        data: { changes, kept_folders: keptFolders },
        content: `${count(found.length, 'change')} undone in ${count(changes.length, 'step')}.${kept}`,
      };
    },
  });
}
