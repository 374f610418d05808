import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A real program, and what it does in a folder. */
export interface ProgramRow {
  readonly name: string;
  /** Required programs; if one is missing, the row is skipped by name. */
  readonly needs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** A command that the user ran beforehand. */
  readonly before?: string;
  readonly command: string;
  /** It only reads, so it runs with the workspace mounted read-only. */
  readonly reads?: true;
  /** When approval is needed: `always` if it creates a repository, `live` if it writes a repository's settings directly. */
  readonly needsProtected?: 'always' | 'live';
  /** It permanently deletes what an undo would have to restore, so that it needs approval to run live. */
  readonly losesLive?: true;
  /** It deletes or moves hidden files, which are mounted over when it runs live. */
  readonly hidden?: true;
  /** Paths with random or time-dependent content. */
  readonly random?: RegExp;
  /** Paths that exist only after some runs. */
  readonly fleeting?: RegExp;
  /** It creates hard links where possible; on a copy, these are separate files. */
  readonly links?: true;
  /** A command with the same output after every run: it checks the content that is not compared. */
  readonly tells?: string;
  /** The `tells` command writes, so an undo finds other content. */
  readonly tellingWrites?: true;
}

/** The packages of this repository. */
export const MODULES = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));

/** Returns a program of this repository's packages, or its name on this machine. */
export function installed(name: string): string {
  const own = join(MODULES, '.bin', name);
  return existsSync(own) ? own : name;
}

/** Returns the first missing program of a row. */
export function missingProgram({ needs }: ProgramRow): string | undefined {
  return needs.find((program) => spawnSync('/bin/sh', ['-c', `command -v "${program}"`]).status !== 0);
}
