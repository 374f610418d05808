import type { ToolData } from '@synapse/hands';
import { atLine, type Evidence } from '../evidence/evidence.ts';
import type { Answer, Ask } from '../notebook.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { withoutLinks } from '../metadata/readme.ts';
import { findDevlogs, type DevlogKind } from './devlog-files.ts';
import { parseDevlog, type DevlogFacts } from './parse-devlog.ts';

/** A statement of a log with where it stands. */
export interface Note {
  readonly text: string;
  readonly evidence: Evidence;
}

/** What one log says. */
export interface Devlog {
  readonly path: string;
  readonly entry: Note | undefined;
  readonly summary: Note | undefined;
  readonly open: readonly Note[];
}

/** Lines from the end: the contract of the protocol. */
const TAIL_LINES = 500;
/** Lines from the beginning, where a longer log may have its latest entry. */
const HEAD_LINES = 200;
const MAXIMUM_LOGS = 4;

function facts(answer: Answer<ToolData<'read_file'>>, kind: DevlogKind): DevlogFacts {
  return parseDevlog(answer.data.content, Math.max(1, answer.data.first_line), kind);
}

async function readLog(ask: Ask, path: string, kind: DevlogKind): Promise<Devlog[]> {
  const tail = await ask('read_file', { path, offset: -TAIL_LINES, limit: TAIL_LINES }, { essential: true });
  if (!tail.ok) return [];
  const isCut = tail.data.first_line > 1;
  const head = isCut && kind.latest === 'first' ? await ask('read_file', { path, limit: HEAD_LINES }) : undefined;
  const best = head?.ok === true ? head : tail;
  const { entry, summary, open } = facts(best, kind);
  const note = (fact: { value: string; line: number }): Note => ({ text: withoutLinks(fact.value), evidence: atLine(best, path, fact.line) });
  return [{ path, entry: entry && note(entry), summary: summary && note(summary), open: open.map(note) }];
}

/** Step 4: what people wrote down for themselves. */
export async function readDevlog(ask: Ask, structure: Structure): Promise<Devlog[]> {
  const logs = await Promise.all(findDevlogs(structure.paths, MAXIMUM_LOGS).map(({ path, kind }) => readLog(ask, path, kind)));
  return logs.flat();
}
