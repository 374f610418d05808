import type { AnswerText } from './answer-text.ts';
import type { CallFacts } from '../sessions/call-facts.ts';
import { normalizersOf, sourceOf, type ProvenReason } from './normalizers.ts';
import { provenReasons } from './unsteady-text.ts';

/** An answer with what the audit log knows of its call. */
export interface Answered extends AnswerText {
  readonly facts: CallFacts | undefined;
}

/** Why an answer differs. `files`: it saw other files. `earlier`: an earlier call ended otherwise. */
export type DifferenceReason = ProvenReason | 'files' | 'earlier' | 'unknown';

/** How an answer differs from the recorded one. */
export interface Difference {
  readonly reasons: readonly DifferenceReason[];
  /** The first line that differs, of both. */
  readonly recorded: string;
  readonly again: string;
  /** Whether it left other files. */
  readonly leftOtherFiles: boolean;
}

/** What is known of the call. */
export interface ComparedCall {
  /** Its arguments as JSON. */
  readonly input: string;
  /** Whether an earlier call left other files than at the recording. */
  readonly hasDeparted: boolean;
}

/** The duration in the first line of a command's answer, which is about the run and no part of the output. */
const HEADER_DURATION = /^(\[[^\n\]·]{0,200}) · \d{1,9}(?:\.\d{1,9})? ?(?:ms|s|min|h)\b/u;
const withoutDuration = (text: string): string => text.replace(HEADER_DURATION, '$1');

/** A job in the first line: the command has not ended in the call. */
const GOES_ON = /^\[[^\n\]]{0,200}\bjob-[\da-f]{4,}/u;

/** Tools whose answer follows from the files alone. */
const OF_FILES: ReadonlySet<string | undefined> = new Set(['read', 'write']);

/** The versions of files that an answer names: hashes of their content, and nothing random. */
const versionsIn = (text: string): string => (text.match(/\bversion [\da-f]{16}\b/gu) ?? []).join(' ');

const changesIn = ({ facts }: Answered): string | undefined => facts?.changes?.join('\n');

/** The changes without the hashes of the contents. */
const placesIn = (changes: string): string => changes.replaceAll(/ [\da-f]{16,64}$/gmu, '');

/** Compares the answer of a call that ran again with the recorded one. Returns undefined if they are the same. */
export function compareAnswers(recorded: Answered, again: Answered, call: ComparedCall): Difference | undefined {
  const texts = [withoutDuration(recorded.text), withoutDuration(again.text)] as const;
  const [before, now] = [changesIn(recorded), changesIn(again)];
  const isSameChange = before === undefined || now === undefined || before === now;
  const isSameEnd = recorded.isError === again.isError && recorded.facts?.exit_code === again.facts?.exit_code;
  if (texts[0] === texts[1] && isSameEnd && isSameChange) return undefined;
  const shown = texts[0] === texts[1] ? firstDifference(before ?? '', now ?? '') : firstDifference(...texts);
  const reasons = reasonsOf(recorded, again, { ...call, texts, isSameEnd, changes: isSameChange ? undefined : [before ?? '', now ?? ''] });
  return { reasons, recorded: shown[0], again: shown[1], leftOtherFiles: !isSameChange };
}

interface Compared extends ComparedCall {
  readonly texts: readonly [recorded: string, again: string];
  readonly isSameEnd: boolean;
  /** Undefined if they are the same. */
  readonly changes: readonly [recorded: string, again: string] | undefined;
}

/** The reasons that explain each difference; undefined if one has none. */
function provenReasonsOf({ texts, isSameEnd, changes, input }: Compared): DifferenceReason[] | undefined {
  if (!isSameEnd || versionsIn(texts[0]) !== versionsIn(texts[1])) return undefined;
  const normalizers = normalizersOf(input);
  const proven = provenReasons(...texts, normalizers);
  if (proven === undefined || changes === undefined) return proven;
  const places = provenReasons(placesIn(changes[0]), placesIn(changes[1]), normalizers);
  if (places === undefined) return undefined;
  if (places.length > 0) return [...new Set([...proven, ...places])];
  // The contents that it left differ, and nothing in a hash tells why.
  const source = sourceOf(input);
  return source === undefined ? undefined : [...new Set([...proven, source])];
}

/** Whether files explain the difference: it shows nothing else, or the tree was another. */
function sawOtherFiles({ facts: before }: Answered, { facts: now }: Answered): boolean {
  if (OF_FILES.has(before?.effects ?? now?.effects)) return true;
  return before?.tree !== undefined && now?.tree !== undefined && before.tree !== now.tree;
}

function reasonsOf(recorded: Answered, again: Answered, compared: Compared): DifferenceReason[] {
  const { texts, hasDeparted } = compared;
  const proven = provenReasonsOf(compared);
  if (proven !== undefined) return proven;
  if (sawOtherFiles(recorded, again)) return [hasDeparted ? 'earlier' : 'files'];
  // How fast the machine was tells whether a command ends in its call. It is no other end.
  if (GOES_ON.test(texts[0]) !== GOES_ON.test(texts[1]) && recorded.isError === again.isError) return ['timing'];
  return [hasDeparted ? 'earlier' : 'unknown'];
}

/** Maximum characters of a line that is shown. */
const MAX_LINE = 300;

function firstDifference(recorded: string, again: string): readonly [string, string] {
  const [before, now] = [recorded.split('\n'), again.split('\n')];
  const at = before.findIndex((line, index) => line !== now[index]);
  const index = at === -1 ? before.length : at;
  const shown = (lines: readonly string[]): string => (lines[index] ?? '').slice(0, MAX_LINE).toWellFormed();
  return [shown(before), shown(now)];
}
