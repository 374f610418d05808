import type { ToolData } from '@synapse/hands';
import { proof, type Proof } from '../evidence/claim.ts';
import { atFile, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../notebook.ts';
import { mostlyBinary } from './binary-files.ts';
import { countLanguages, type LanguageCount } from './languages.ts';
import { findTraits, type TraitFound } from './traits.ts';

/** What the names and places of files tell. */
export interface Structure {
  /** Every file that was seen. */
  readonly paths: readonly string[];
  /** Whether there are more files than were listed. */
  readonly partial: boolean;
  /** How many files there are, where that is known. */
  readonly total: number | undefined;
  readonly rootFiles: readonly string[];
  readonly rootFolders: readonly string[];
  /** How many files the languages were counted in: the newest ones. */
  readonly sampled: number;
  readonly languages: readonly LanguageCount[];
  readonly traits: readonly (TraitFound & { readonly evidence: Evidence })[];
  readonly binary: { readonly kind: string; readonly files: number } | undefined;
  /** Whether git keeps its data in the top folder, and not in that of another worktree. */
  readonly hasGitFolder: boolean;
  /** Whether folders in it are repositories of their own, which git status does not look into. */
  readonly hasSubmodules: boolean;
  /** Whether the folder is itself what git keeps in `.git`. */
  readonly isBare: boolean;
  /** Newest first. */
  readonly newest: readonly (ToolData<'find_files'>['files'][number] & { readonly evidence: Evidence })[];
  /** The listings that all this was seen in; none where no listing was answered. */
  readonly evidence: Proof | undefined;
}

/** Files that show what was touched last in a folder without history. */
const NEWEST = 12;
/** The most that find_files gives. */
const FIND_LIMIT = 1_000;
/** Folders of the top that tell much and are looked into where there are too many files to list. */
const TELLING_FOLDERS: ReadonlySet<string> = new Set(['.buildkite', '.ci', '.circleci', '.github', 'doc', 'docs', 'spec', 'test', 'tests']);
/** GitHub's workflows lie this deep in their folder. */
const TELLING_DEPTH = 2;

async function listTelling(ask: Ask, folders: readonly string[]): Promise<string[]> {
  const telling = folders.filter((path) => TELLING_FOLDERS.has(path));
  const listings = await Promise.all(telling.map((path) => ask('list_directory', { path, depth: TELLING_DEPTH, hidden: true })));
  return listings.flatMap((listing) => (listing.ok ? listing.data.entries.filter(({ type }) => type === 'file').map(({ path }) => path) : []));
}

/** Step 1: what kind of project this is, by names and places only. */
export async function discoverStructure(ask: Ask): Promise<Structure> {
  const [listing, found] = await Promise.all([
    ask('list_directory', { path: '.', depth: 1, hidden: true }, { essential: true }),
    ask('find_files', { glob: '**/*', hidden: true, limit: FIND_LIMIT }, { essential: true }),
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
    // Counted in the sample alone: the folders that were looked into would outweigh the others.
    languages: countLanguages(sampled),
    sampled: sampled.length,
    traits: found.ok ? findTraits(paths).map((trait) => ({ ...trait, evidence: atFile(found, trait.path) })) : [],
    hasGitFolder: listing.ok && listing.data.entries.some(({ name, type }) => name === '.git' && type === 'directory'),
    hasSubmodules: rootFiles.includes('.gitmodules'),
    isBare: ['HEAD', 'config'].every((name) => rootFiles.includes(name)) && ['objects', 'refs'].every((name) => rootFolders.includes(name)),
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
