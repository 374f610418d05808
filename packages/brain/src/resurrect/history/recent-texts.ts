import type { ToolData } from '@synapse/hands';
import { atLine, type Evidence } from '../evidence/evidence.ts';
import type { Answer, Ask } from '../call-log.ts';
import { isAside, isProse } from './path-kinds.ts';
import { isBetterNotRead } from './secret-files.ts';

/** The current text of a recently changed file. */
export interface RecentText {
  readonly path: string;
  readonly text: string;
  readonly at: (line: number) => Evidence;
}

/** Maximum number of files to read. Reading is cheap, but a report based on a hundred files is not verifiable. */
const MAXIMUM_FILES = 16;
/** Maximum number of lines. Longer files are usually generated. */
const MAXIMUM_LINES = 4_000;

function recentText(answer: Answer<ToolData<'read_file'>>, path: string): RecentText {
  return { path, text: answer.data.content, at: (line) => atLine(answer, path, line) };
}

/** The files to inspect. */
export interface RecentPlaces {
  /** Files with conflicts, read first regardless of their kind. */
  readonly conflicted: readonly string[];
  /** Changed files, the latest first. */
  readonly recent: readonly string[];
  /** Whether a file may still exist. */
  readonly mayExist: (path: string) => boolean;
}

/** Reads the most recently changed source files. */
export async function readRecentTexts(ask: Ask, { conflicted, recent, mayExist }: RecentPlaces): Promise<RecentText[]> {
  const own = recent.filter((path) => !path.endsWith('/') && mayExist(path) && !isProse(path) && !isAside(path) && !isBetterNotRead(path));
  const paths = [...new Set([...conflicted, ...own])].slice(0, MAXIMUM_FILES);
  const read = await Promise.all(
    paths.map(async (path) => {
      const answer = await ask('read_file', { path, limit: MAXIMUM_LINES });
      return answer.ok && answer.data.kind === 'text' ? [recentText(answer, path)] : [];
    }),
  );
  return read.flat();
}
