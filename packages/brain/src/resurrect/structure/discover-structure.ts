import { atFile, inAnswer, type Evidence } from '../evidence/evidence.ts';
import { proof, type Proof } from '../evidence/claim.ts';
import type { Ask } from '../notebook.ts';
import { findFiles, listDirectory, type FoundFile } from '../tool-answers.ts';
import { mostlyBinary } from './binary-files.ts';
import { countLanguages, type LanguageCount } from './languages.ts';
import { findTraits, type TraitFound } from './traits.ts';

/** What the names and places of files tell. */
export interface Structure {
  /** Every file that was seen, the ignored ones left out. */
  readonly paths: readonly string[];
  /** Whether there are more files than were listed. */
  readonly partial: boolean;
  readonly rootFiles: readonly string[];
  readonly rootFolders: readonly string[];
  readonly languages: readonly LanguageCount[];
  readonly traits: readonly (TraitFound & { readonly evidence: Evidence })[];
  readonly binary: { readonly kind: string; readonly files: number } | undefined;
  /** Whether git keeps its data in the top folder, and not in that of another worktree. */
  readonly hasGitFolder: boolean;
  /** Newest first. */
  readonly newest: readonly (FoundFile & { readonly evidence: Evidence })[];
  /** The listings that all this was seen in; none where no listing was answered. */
  readonly evidence: Proof | undefined;
}

/** Files that show what was touched last in a folder without history. */
const NEWEST = 12;

/** Step 1: what kind of project this is, by names and places only. */
export async function discoverStructure(ask: Ask): Promise<Structure> {
  const [listing, found] = await Promise.all([
    ask(listDirectory({ path: '.', depth: 1, hidden: true }), { essential: true }),
    ask(findFiles({ glob: '**/*', hidden: true, limit: FIND_LIMIT }), { essential: true }),
  ]);
  const entries = listing.ok ? listing.data.entries.filter(({ name }) => name !== '.git') : [];
  const files = found.ok ? found.data.files.filter(({ path }) => !path.startsWith('.git/')) : [];
  const rootFiles = entries.filter(({ type }) => type === 'file').map(({ path }) => path);
  const paths = [...new Set([...files.map(({ path }) => path), ...rootFiles])];
  const evidence = [listing, found].filter(({ ok }) => ok).map(inAnswer);
  return {
    paths,
    partial: (found.ok && found.data.truncated) || (listing.ok && listing.data.truncated),
    rootFiles,
    rootFolders: entries.filter(({ type }) => type === 'directory').map(({ path }) => path),
    languages: countLanguages(paths),
    traits: found.ok ? findTraits(paths).map((trait) => ({ ...trait, evidence: atFile(found, trait.path) })) : [],
    hasGitFolder: listing.ok && listing.data.entries.some(({ name, type }) => name === '.git' && type === 'directory'),
    binary: mostlyBinary(paths),
    newest: found.ok
      ? files
          .toSorted((a, b) => b.modified - a.modified)
          .slice(0, NEWEST)
          .map((file) => ({ ...file, evidence: atFile(found, file.path) }))
      : [],
    evidence: proof(evidence),
  };
}

/** Paths are short: this many still cost less than one process start to handle. */
const FIND_LIMIT = 50_000;
