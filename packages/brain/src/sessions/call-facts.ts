import type { AuditedCall } from '@synapse/hands/internal';
import * as z from 'zod';

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/u);

/** What the audit log knows of a call, beside its answer: what a replay is compared with. Holds no text of the call. */
export const CallFacts = z.strictObject({
  /** The name of the tool here, whatever the model called it. */
  tool: z.string(),
  ok: z.boolean(),
  /** The code of the error. */
  code: z.string().optional(),
  effects: z.string().optional(),
  /** What it changed, one line each; undefined if the record does not hold all of it. */
  changes: z.array(z.string()).optional(),
  /** Whether it changed anything, also in git's own files. */
  changed: z.boolean().optional(),
  /** For a command that ended in the call. */
  exit_code: z.int().nullable().optional(),
  network: z.enum(['off', 'some', 'on']).optional(),
  /** The hash of the workspace that it found, and of its output. */
  tree: SHA256.optional(),
  output: SHA256.optional(),
});
export type CallFacts = z.infer<typeof CallFacts>;

/** Git's own files hold times and the hashes that follow from them: two equal commits differ there. */
const isOfGit = (path: string): boolean => path === '.git' || path.startsWith('.git/') || path.includes('/.git/');

/** The facts of a call from its records; undefined if it has not ended. */
export function callFacts({ end }: AuditedCall): CallFacts | undefined {
  if (end === undefined) return undefined;
  const { tool, ok, code, effects, command, changes = [], more } = end;
  const shown = changes
    .filter(({ path }) => !isOfGit(path))
    .map(({ kind, path, to, after }) => [kind, path, ...(to === undefined ? [] : ['→', to]), ...(after === null ? [] : [after])].join(' '));
  return {
    tool,
    ok,
    ...(code === undefined ? {} : { code }),
    ...(effects === undefined ? {} : { effects }),
    changed: changes.length > 0,
    ...(more?.changes === undefined ? { changes: shown.toSorted() } : {}),
    ...(command === undefined ? {} : { exit_code: command.exit_code, network: command.network, output: command.output.sha256 }),
    ...(command?.tree === undefined ? {} : { tree: command.tree.before }),
  };
}
