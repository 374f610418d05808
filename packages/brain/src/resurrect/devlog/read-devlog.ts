import type { ToolData } from '@synapse/hands';
import { atLine, type Evidence } from '../evidence/evidence.ts';
import { withoutLinks } from '../metadata/readme.ts';
import type { Answer, Ask } from '../call-log.ts';
import type { Repository } from '../history/analyze-git.ts';
import { seenCommits, type SeenCommit } from '../history/commits.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { compareVersions, versionOf } from './change-log.ts';
import { findDevlogs, type DevlogKind } from './devlog-files.ts';
import type { OpenItem } from './open-items.ts';
import { parseDevlog, type DevlogFacts } from './parse-devlog.ts';

/** A statement of a log, with its evidence. */
export interface Note {
  readonly text: string;
  readonly evidence: Evidence;
}

/** The content of one log. */
export interface Devlog {
  readonly path: string;
  readonly entry: Note | undefined;
  readonly summary: Note | undefined;
  readonly open: readonly (Note & { readonly kind: OpenItem['kind'] })[];
  readonly unreleased: readonly Note[];
  readonly elsewhere: Note | undefined;
  /** The last commit that changed it; undefined if unknown, or if it has uncommitted changes. */
  readonly changed: SeenCommit | undefined;
}

/** Lines to read from the end of a log, as specified by the protocol. */
const TAIL_LINES = 500;
/** Lines to read from the start of a longer log, which may have its latest entry there. */
const HEAD_LINES = 200;
const MAXIMUM_LOGS = 7;

type Read = { readonly answer: Answer<ToolData<'read_file'>>; readonly facts: DevlogFacts };

function read(answer: Answer<ToolData<'read_file'>>, kind: DevlogKind): Read {
  return { answer, facts: parseDevlog(answer.data.content, Math.max(1, answer.data.first_line), kind) };
}

/** Whether the end of a log is newer than its start. Some logs grow at the top, others at the bottom. */
function isNewer(tail: DevlogFacts, head: DevlogFacts): boolean {
  if (head.unreleased.length > 0) return false;
  if (tail.time !== undefined && head.time !== undefined) return tail.time > head.time;
  const [one, other] = [tail, head].map(({ entry }) => versionOf(entry?.value ?? ''));
  return one !== undefined && (other === undefined || compareVersions(one, other) > 0);
}

/** Returns the last commit that changed a log. */
async function lastChange(ask: Ask, path: string, repository: Repository | undefined): Promise<SeenCommit | undefined> {
  if (repository === undefined || repository.uncommitted.paths.includes(path)) return undefined;
  const recent = repository.recent?.commits.find(({ files }) => files.includes(path));
  if (recent !== undefined || repository.recent?.more !== true) return recent;
  const answer = await ask('git_log', { path, limit: 1, files: false });
  return answer.ok ? seenCommits(answer)[0] : undefined;
}

async function readLog(ask: Ask, path: string, kind: DevlogKind, repository: Repository | undefined): Promise<Devlog[]> {
  const end = await ask('read_file', { path, offset: -TAIL_LINES, limit: TAIL_LINES }, { essential: true });
  if (!end.ok) return [];
  const tail = read(end, kind);
  const begin = end.data.first_line > 1 && kind.latest === 'first' ? await ask('read_file', { path, limit: HEAD_LINES }) : undefined;
  const head = begin?.ok === true ? read(begin, kind) : undefined;
  const best = head === undefined || isNewer(tail.facts, head.facts) ? tail : head;
  const { entry, summary, open, unreleased } = best.facts;
  const { elsewhere } = (head ?? tail).facts;
  const note = (fact: { value: string; line: number }): Note => ({ text: withoutLinks(fact.value), evidence: atLine(best.answer, path, fact.line) });
  return [
    {
      path,
      entry: entry && note(entry),
      summary: summary && note(summary),
      open: open.map((item) => ({ ...note(item), kind: item.kind })),
      unreleased: unreleased.map(note),
      elsewhere: elsewhere && note(elsewhere),
      // Only plans can be outdated.
      changed: open.length === 0 ? undefined : await lastChange(ask, path, repository),
    },
  ];
}

/** Step 4: reads the notes that developers wrote for themselves. */
export async function readDevlog(ask: Ask, structure: Structure, repository?: Repository): Promise<Devlog[]> {
  const logs = await Promise.all(findDevlogs(structure.paths, MAXIMUM_LOGS).map(({ path, kind }) => readLog(ask, path, kind, repository)));
  return logs.flat();
}
