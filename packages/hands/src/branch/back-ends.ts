import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { foldersBelow } from './branch-folder.ts';
import { IS_CLONE } from './branch-state.ts';
import type { CloneParts } from './make-clone.ts';
import { pinHead } from './pin-head.ts';

/** The environment variable that names the only way in which branches are kept. */
export const BRANCHES_VARIABLE = 'SYNAPSE_BRANCHES';

/** A way to keep what is changed in a branch apart. */
export interface BackEnd {
  /** How `branch.pl` shows the branch in place of the workspace. `folder`: not at all, it is where it is. */
  readonly shows: 'overlay' | 'clone' | 'folder';
  /** Such as in: branches are … */
  readonly summary: string;
  /** Prepares a branch without changes. Returns why that is not possible. */
  readonly prepare: (parts: CloneParts) => Promise<string | undefined>;
}

async function prepareOverlay({ folder, record: { from, root } }: CloneParts): Promise<string | undefined> {
  // Below an overlay, the kernel shows the workspace: the changes of a clone are not in it.
  if (foldersBelow(folder).some(({ clone }) => existsSync(clone))) return `the branch ${from ?? ''}, on which it is based, is a clone`;
  // A kill may have left these while a clone was made or dropped.
  await rm(join(folder.state, IS_CLONE), { force: true });
  await rm(`${folder.clone}.new`, { recursive: true, force: true });
  pinHead(folder, root);
  return undefined;
}

async function clone(parts: CloneParts, reflinks: 'always' | 'never'): Promise<string | undefined> {
  // Loaded on demand: mostly, overlays work.
  const { makeClone } = await import('./make-clone.ts');
  return await makeClone(parts, reflinks);
}

/** All of them, the best first. */
export const BACK_ENDS = {
  overlay: {
    shows: 'overlay',
    summary: 'overlays: a branch takes no space',
    prepare: async (parts) => await prepareOverlay(parts),
  },
  reflink: {
    shows: 'clone',
    summary: 'clones by reflink: a branch takes little space, and time to make',
    prepare: async (parts) => await clone(parts, 'always'),
  },
  copy: {
    shows: 'clone',
    summary: 'copies: a branch takes as much space as the workspace, and time to make',
    prepare: async (parts) => await clone(parts, 'never'),
  },
  folder: {
    shows: 'folder',
    summary: 'copies in folders of their own, without namespaces: commands of all branches share the network and the ports of this machine',
    prepare: async (parts) => ((await clone(parts, 'always')) === undefined ? undefined : await clone(parts, 'never')),
  },
} as const satisfies Record<string, BackEnd>;

export type BackEndName = keyof typeof BACK_ENDS;

const NAMES = Object.keys(BACK_ENDS).filter((name): name is BackEndName => name in BACK_ENDS);

/** The way that is wanted; undefined for the best one that works. @throws SynapseError `invalid_arguments` for an unknown one */
export function wantedBackEnd(environment: NodeJS.ProcessEnv = process.env): BackEndName | undefined {
  const value = environment[BRANCHES_VARIABLE];
  const name = NAMES.find((one) => one === value);
  if (name !== undefined || value === undefined || value === '') return name;
  throw new SynapseError('invalid_arguments', `${BRANCHES_VARIABLE} has an unknown value: ${JSON.stringify(value.slice(0, 40))}`, {
    hint: `Set it to ${NAMES.join(', ')}, or leave it out.`,
  });
}

/** The ways to try for a branch, in order. With changes in it, a branch stays what it is. */
export function backEndsFor({ folder }: Pick<CloneParts, 'folder'>, wanted: BackEndName | undefined): readonly BackEndName[] {
  if (existsSync(folder.clone)) return wanted === 'folder' ? ['folder'] : ['copy', 'folder'];
  if (!folder.isUntouched) return ['overlay'];
  return wanted === undefined ? NAMES : [wanted];
}
