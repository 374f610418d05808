import { atFile, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';

/** The repositories directly in a folder that is none itself. */
export interface InnerRepositories {
  readonly folders: readonly { readonly folder: string; readonly evidence: Evidence }[];
  /** Whether not all entries were listed. */
  readonly more: boolean;
}

export const NO_REPOSITORIES: InnerRepositories = { folders: [], more: false };

/** A folder, and what is in it. */
const DEPTH = 2;

/** Finds the repositories in a folder of projects, of which `git_status` in that folder says nothing. */
export async function findInnerRepositories(ask: Ask): Promise<InnerRepositories> {
  const listing = await ask('list_directory', { path: '.', depth: DEPTH, hidden: true });
  if (!listing.ok) return NO_REPOSITORIES;
  const folders = listing.data.entries.flatMap(({ name, path }) =>
    name === '.git' && path !== name ? [{ folder: path.slice(0, -'/.git'.length), evidence: atFile(listing, path) }] : [],
  );
  return { folders, more: listing.data.truncated };
}
