import { CHECK_KINDS, checkOf, type CheckKind } from './command-kinds.ts';
import { commandParts } from './command-line.ts';
import { CONFIRMS, COUNT, FAILURE, HEDGES, NO_FAILURE, NOUNS, OTHER, RAN, READ, SUCCESS, TRIED, WHOLE } from './claim-words.ts';

/** Something that a text says was done or found. */
export interface Claim {
  /** The clause, as it was written. */
  readonly text: string;
  /** What must have succeeded; `read`: a file was read; `ran`: a command ran; `tried`: something was tried. */
  readonly kind: CheckKind | 'read' | 'ran' | 'tried';
  /** The files or the command that it names. */
  readonly names: readonly string[];
  /** Whether it is about all of them: `all tests`. */
  readonly isWhole: boolean;
  /** The number of tests that it says passed. */
  readonly count: number | undefined;
  /** Whether it says that the command succeeded. */
  readonly succeeded: boolean;
}

const CODE = /`([^`\n]+)`/gu;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;
const FILE =
  /^(?:[\w@.+-]+\/)*[\w@.+-]*\.[A-Za-z][\w]{0,9}(?::\d+(?:-\d+)?)?$|^(?:[\w@.+-]+\/)+[\w@.+-]*$|^(?:README|LICENSE|Makefile|Dockerfile|CHANGELOG|AGENTS|CONTRIBUTING)(?:\.md)?$/u;
const QUESTION = /\?\s*$/u;
/** Characters of a clause that are read at once, because some patterns take the square of its length; and those that two parts share. */
const MAX_CLAUSE = 2_000;
const SHARED = 200;

/** Splits a text into its prose, and the lines of fenced blocks. */
function splitBlocks(text: string): { readonly prose: string; readonly quoted: readonly string[] } {
  const lines = text.split('\n');
  const prose: string[] = [];
  const quoted: string[] = [];
  let fence: string | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
      else quoted.push(line);
    } else if (mark === undefined || at === lines.length - 1) prose.push(line);
    else fence = mark;
  }
  return { prose: prose.join('\n'), quoted };
}

/** The clauses of a text, without fenced blocks. */
export function clauses(text: string): string[] {
  return splitBlocks(text)
    .prose.split(/\n+/u)
    .flatMap((line) =>
      line
        .replace(/^[\s>#|*-]+/u, '')
        .split(/(?<=[.!?])(?!\w)(?=\s|$|[*_"')\]])\s*|;\s+|,? (?:but|however|although|though|while|whereas|yet|except that)\b/u),
    )
    .flatMap(inParts)
    .flatMap(splitAnd)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}

/** Cuts a clause that is too long. */
function inParts(clause: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at === 0 || at + SHARED < clause.length; at += MAX_CLAUSE - SHARED) parts.push(clause.slice(at, at + MAX_CLAUSE));
  return parts;
}

const JOINT = /,? and (?:then )?|, (?:then )?/gu;

/** Splits at `and` and commas where each side says something of its own. */
function splitAnd(clause: string): string[] {
  const joints = [...clause.matchAll(JOINT)];
  const starts = [0, ...joints.map(({ index, 0: joint }) => index + joint.length)];
  const pieces = starts.map((start, at) => {
    const text = clause.slice(start, joints[at]?.index);
    return {
      start,
      end: start + text.length,
      says: SUCCESS.test(text) || FAILURE.test(text),
      names: CHECK_KINDS.some((kind) => NOUNS[kind].test(text)),
    };
  });
  const lastSaying = pieces.findLastIndex(({ says }) => says);
  const lastNaming = pieces.findLastIndex(({ names }) => names);
  const parts: string[] = [];
  let [from, hasSaid] = [0, false];
  for (const [at, { end, says }] of pieces.entries()) {
    hasSaid ||= says;
    if (!hasSaid || at >= lastSaying || at >= lastNaming) continue;
    parts.push(clause.slice(from, end));
    [from, hasSaid] = [pieces[at + 1]?.start ?? end, false];
  }
  return [...parts, clause.slice(from)];
}

function countOf(clause: string): number | undefined {
  const match = COUNT.exec(clause);
  const digits = match?.[1] ?? match?.[2];
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

/** The code spans and bare file names of a clause. */
function namesIn(clause: string): { readonly files: string[]; readonly commands: string[] } {
  const spans = [...clause.matchAll(CODE)].map(([, span = '']) => span.trim());
  const bare = clause
    .replaceAll(CODE, ' ')
    .split(/[\s,()"'*]+/u)
    .map((word) => word.replace(/[.:;!?]+$/u, ''))
    .filter((word) => FILE.test(word) && !/^(?:e\.g|i\.e|etc|vs)$/iu.test(word) && !/^\d/u.test(word));
  const files = [...spans.filter((span) => FILE.test(span) && !/\s/u.test(span)), ...bare];
  const commands = spans.filter(
    (span) => !files.includes(span) && /^[\w./-]+(?:\s|$)/u.test(span) && (/\s/u.test(span) || checkOf({ words: [span] }) !== undefined),
  );
  return { files, commands };
}

/** Reads what a text claims. Wishes, doubts, questions and failures are no claims of success. */
export function readClaims(text: string): Claim[] {
  return clauses(text).flatMap((clause) => claimsOf(clause));
}

/** The checks that a clause is about: those of its commands, and those that it names. */
function checksIn(plain: string, commands: readonly string[]): CheckKind[] {
  const ofCommands = new Set(commands.flatMap((command) => commandParts(command).flatMap((part) => checkOf(part)?.kind ?? [])));
  const prose = plain.replaceAll(CODE, ' ');
  return CHECK_KINDS.filter((kind) => ofCommands.has(kind) || NOUNS[kind].test(withoutOther(prose, kind)));
}

const isUnsure = (clause: string, plain: string): boolean => QUESTION.test(clause) || HEDGES.test(plain.replaceAll(CODE, ' '));

function claimsOf(clause: string): Claim[] {
  const plain = clause.replaceAll(CONFIRMS, ' ');
  if (isUnsure(clause, plain)) return [];
  const { files, commands } = namesIn(clause);
  const failed = FAILURE.test(plain.replaceAll(NO_FAILURE, ' ').replaceAll(CODE, ' '));
  const succeeded = !failed && SUCCESS.test(plain);
  const claims: Claim[] = [];
  const add = (kind: Claim['kind'], names: readonly string[]): void =>
    void claims.push({ text: clause, kind, names, isWhole: WHOLE.test(plain), count: kind === 'tests' ? countOf(plain) : undefined, succeeded });
  for (const kind of succeeded ? checksIn(plain, commands) : []) add(kind, [...files, ...commands]);
  if (commands.length > 0 && (RAN.test(plain) || (succeeded && claims.length === 0))) add('ran', commands);
  if (READ.test(plain) && files.length > 0 && !RAN.test(plain)) add('read', files);
  if (claims.length === 0 && TRIED.test(plain) && !READ.test(plain)) add('tried', commands);
  return claims;
}

function withoutOther(text: string, kind: CheckKind): string {
  const other = OTHER[kind];
  return other === undefined ? text : text.replaceAll(other, ' ');
}

/** Lines of fenced blocks that look like the summary of a test run: they claim an output. */
export function quotedSummaries(text: string): string[] {
  const summary = /\b\d+ (?:passed|passing|failed|failing|skipped)\b|\btests? run: \d|^ok\s+\S+|\btest result: \w+/iu;
  const lines = splitBlocks(text).quoted.map((line) => line.trim().replaceAll(/\s+/gu, ' '));
  return [...new Set(lines)].filter((line) => summary.test(line));
}
