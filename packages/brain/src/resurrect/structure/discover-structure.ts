import type { ToolData } from '@synapse/hands';
import { proof, type Proof } from '../evidence/claim.ts';
import { atFile, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import { mostlyBinary } from './binary-files.ts';
import { countLanguages, type LanguageCount } from './languages.ts';
import { findTraits, type TraitFound } from './traits.ts';

/** The structure of a project, from the names and places of files. */
export interface Structure {
  /** All listed files. */
  readonly paths: readonly string[];
  /** Whether the listing is incomplete. */
  readonly partial: boolean;
  /** Total number of files, if known. */
  readonly total: number | undefined;
  readonly rootFiles: readonly string[];
  readonly rootFolders: readonly string[];
  /** All names in the top folder, including those that git ignores. */
  readonly topNames: readonly string[];
  /** Number of files in which languages were counted: the newest ones. */
  readonly sampled: number;
  readonly languages: readonly LanguageCount[];
  readonly traits: readonly (TraitFound & { readonly evidence: Evidence })[];
  readonly binary: { readonly kind: string; readonly files: number } | undefined;
  /** Whether `.git` is in the top folder, as opposed to a worktree. */
  readonly hasGitFolder: boolean;
  /** Whether it has submodules, whose files git status does not show. */
  readonly hasSubmodules: boolean;
  /** Whether the folder is a bare repository. */
  readonly isBare: boolean;
  /** Newest first. */
  readonly newest: readonly (ToolData<'find_files'>['files'][number] & { readonly evidence: Evidence })[];
  /** The listings; undefined if none was answered. */
  readonly evidence: Proof | undefined;
}

/** Number of files that indicate recent work in a folder without history. */
const NEWEST = 12;
/** The maximum of find_files. */
const FIND_LIMIT = 1_000;
/** Informative top folders to list if there are too many files to list all. */
const TELLING_FOLDERS: ReadonlySet<string> = new Set(['.buildkite', '.ci', '.circleci', '.github', 'doc', 'docs', 'spec', 'test', 'tests']);
/** Folder depth at which GitHub's workflows are. */
const TELLING_DEPTH = 2;

async function listTelling(ask: Ask, folders: readonly string[]): Promise<string[]> {
  const telling = folders.filter((path) => TELLING_FOLDERS.has(path));
  const listings = await Promise.all(telling.map((path) => ask('list_directory', { path, depth: TELLING_DEPTH, hidden: true })));
  return listings.flatMap((listing) => (listing.ok ? listing.data.entries.filter(({ type }) => type === 'file').map(({ path }) => path) : []));
}

const isBare = (files: readonly string[], folders: readonly string[]): boolean =>
  ['HEAD', 'config'].every((name) => files.includes(name)) && ['objects', 'refs'].every((name) => folders.includes(name));

/**
 * Step 1: determines the kind of project by names and places only.
 *
 * @param inFolder whether a subfolder of a repository is analyzed
 */
export async function discoverStructure(ask: Ask, inFolder = false): Promise<Structure> {
  const [listing, found, gitFolder] = await Promise.all([
    ask('list_directory', { path: '.', depth: 1, hidden: true }, { essential: true }),
    ask('find_files', { glob: '**/*', hidden: true, limit: FIND_LIMIT }, { essential: true }),
    inFolder ? ask('list_directory', { path: '.git', depth: 1 }) : undefined,
  ]);
  const entries = listing.ok ? listing.data.entries.filter(({ name }) => name !== '.git') : [];
  const files = found.ok ? found.data.files.filter(({ path }) => !path.startsWith('.git/')) : [];
  const rootFiles = entries.filter(({ type }) => type === 'file').map(({ path }) => path);
  const rootFolders = entries.filter(({ type }) => type === 'directory').map(({ path }) => path);
  const partial = (found.ok && found.data.truncated !== undefined) || (listing.ok && listing.data.truncated);
  const sampled = files.map(({ path }) => path);
  const paths = [...new Set([...sampled, ...rootFiles, ...(partial ? await listTelling(ask, rootFolders) : [])])];
  return {
    paths,
    partial,
    total: found.ok ? found.data.total : undefined,
    rootFiles,
    rootFolders,
    topNames: entries.map(({ name }) => name),
    // Count only the sample: the files of the extra folders would distort the result.
    languages: countLanguages(sampled),
    sampled: sampled.length,
    traits: found.ok ? findTraits(paths).map((trait) => ({ ...trait, evidence: atFile(found, trait.path) })) : [],
    hasGitFolder: gitFolder?.ok === true || (listing.ok && listing.data.entries.some(({ name, type }) => name === '.git' && type === 'directory')),
    hasSubmodules: rootFiles.includes('.gitmodules'),
    isBare: isBare(rootFiles, rootFolders),
    binary: mostlyBinary(sampled),
    newest: found.ok
      ? files
          .toSorted((a, b) => b.modified - a.modified)
          .slice(0, NEWEST)
          .map((file) => ({ ...file, evidence: atFile(found, file.path) }))
      : [],
    evidence: proof([listing, found].filter(({ ok }) => ok).map(inAnswer)),
  };
}
