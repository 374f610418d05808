import type { Ask } from '../call-log.ts';
import { codeLines } from './code-lines.ts';

/** A file that was read, with its code apart. */
export interface Source {
  readonly lines: readonly string[];
  readonly code: readonly string[];
}

/** Reads source files. Files that are missing, binary or too large are left out. */
export async function readSources(ask: Ask, paths: readonly string[]): Promise<ReadonlyMap<string, Source>> {
  const read = await Promise.all(
    paths.map(async (path) => {
      const answer = await ask('read_file', { path });
      if (!answer.ok || answer.data.kind !== 'text' || answer.data.first_line > 1) return [];
      const lines = answer.data.content.split('\n');
      return [[path, { lines, code: codeLines(answer.data.content, path)?.code ?? lines }] as const];
    }),
  );
  return new Map(read.flat());
}
