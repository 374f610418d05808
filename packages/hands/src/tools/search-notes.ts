import { unappliedNote } from '../search/ignore-files.ts';
import type { OtherEncodings } from '../search/other-encodings.ts';
import type { TextFindings } from '../search/text-search.ts';
import { count } from '../text/amounts.ts';

/** Common mistakes in a pattern without matches. The first that applies is reported. */
const PATTERN_HINTS: ReadonlyArray<readonly [pattern: RegExp, hint: string]> = [
  [/\\(?:\||\{\d)/u, 'In this syntax | ( ) { } + ? have their meaning without a backslash, and \\| is the character itself.'],
  [/(?<!\\)\$\w/u, '$ is the end of a line, and \\$ the character. To find code by its structure, with $X for a part, use code with action "match".'],
  [/^\/.+\/[gimsu]*$/u, 'Leave out the slashes around the pattern.'],
  [/^(["'`]).+\1$/u, 'Leave out the quotes around the pattern, if they are not part of the text.'],
  [/^[^\\]*\p{Lu}/u, 'Upper and lower case count; "case": "insensitive" ignores them.'],
];

function patternHint({ pattern, ...given }: { pattern: string; case: string; literal: boolean }): string | undefined {
  const found = given.literal ? undefined : PATTERN_HINTS.find(([like]) => like.test(pattern));
  return found !== undefined && (found[0] !== PATTERN_HINTS.at(-1)?.[0] || given.case === 'sensitive') ? found[1] : undefined;
}

/** Says how the hidden files that a glob names are found. */
export function hiddenHint(globs: readonly string[], hidden: boolean): string | undefined {
  const namesHidden = globs.some((glob) => /^(?:.*\/)?\.[^./]/u.test(glob));
  return namesHidden && !hidden ? 'A name that begins with a dot is hidden: give "hidden": true to look at it.' : undefined;
}

/** The arguments of a search that its notes are about. */
interface Searched {
  readonly pattern: string;
  readonly case: string;
  readonly literal: boolean;
  readonly hidden: boolean;
  readonly ignore: boolean;
  readonly files_only: boolean;
  readonly counts: boolean;
  readonly per_file?: number | undefined;
}

interface SearchEnd {
  readonly findings: TextFindings;
  readonly globs: readonly string[];
  /** Number of files with matches. */
  readonly files: number;
  /** Whether the call named the only file with matches. */
  readonly isNamed: boolean;
  /** Whether no file fits the globs. */
  readonly noFiles: boolean;
  /** How the globs were understood. */
  readonly note: string | undefined;
  /** How the pattern was understood, if not as it is written. */
  readonly reading: string | undefined;
  /** Files in which the pattern has other bytes. */
  readonly others: OtherEncodings | undefined;
}

/** Says that nothing was found, and what was not searched. */
function nothingFound({ hidden, ignore }: Searched, { globs, noFiles, findings }: SearchEnd): string {
  // The note must not reveal whether withheld files match, so every search gets the same one.
  const left = [...(hidden ? [] : ['hidden']), ...(ignore ? ['ignored'] : []), 'withheld'].join(', ').replace(/, (?=\w+$)/u, ' and ');
  if (!noFiles) return `No matches${findings.inFolder ? `; ${left} files were not searched` : ''}.`;
  const considered = left === 'withheld' ? '' : `; ${left} files were not considered`;
  return `No files match the glob ${globs.join(', ')}, so nothing was searched${considered}.`;
}

/** Maximum number of files to name. */
const SHOWN_FILES = 5;

/** Says which files were not searched, as they are in an old encoding. */
function encodingNote({ files, more }: OtherEncodings): string {
  if (files.length === 0) return 'Text beyond ASCII is found only in files in UTF-8 or UTF-16.';
  const rest = files.length - SHOWN_FILES;
  const names = `${files.slice(0, SHOWN_FILES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const amount = more ? `At least ${count(files.length, 'file')}` : count(files.length, 'file');
  return `${amount} not in UTF-8 or UTF-16, where text beyond ASCII is not found: ${names}. Search for the ASCII part of the pattern there, or read_file.`;
}

function amountFound({ files_only: filesOnly, counts }: Searched, { files, isNamed, findings }: SearchEnd): string {
  if (filesOnly && !counts) return count(files, 'file');
  const hits = count(findings.matches.length, 'match', 'matches');
  return isNamed ? hits : `${hits} in ${count(files, 'file')}`;
}

/** Says how many results are left out for a reason. */
export function leftOutNote(amount: number, what: string, why: string): string[] {
  return amount === 0 ? [] : [`${count(amount, what)} ${why} ${amount === 1 ? 'is' : 'are'} left out.`];
}

/** What a search says beside its matches, a sentence each. */
export function searchNotes(searched: Searched, end: SearchEnd): string[] {
  const { files_only: filesOnly, per_file: perFile } = searched;
  const { note, files, isNamed, noFiles, reading, others } = end;
  const { matches, tooLong, changed, unreadable, leftOut } = end.findings;
  // Its line says all. Elsewhere, a path comes first, and the line above it that no file can name stays.
  const saysAll = isNamed && matches.length === 1;
  const hint = files > 0 || noFiles ? undefined : (hiddenHint(end.globs, searched.hidden) ?? patternHint(searched));
  return [
    note,
    ...(saysAll ? [] : [files > 0 ? `${amountFound(searched, end)}.` : nothingFound(searched, end)]),
    ...(!filesOnly && perFile !== undefined ? [`At most ${perFile} per file.`] : []),
    ...leftOutNote(tooLong, 'matching line', 'too long to be read'),
    ...leftOutNote(changed, 'result', 'changed during the search and'),
    ...(others === undefined || (others.files.length === 0 && files > 0) ? [] : [encodingNote(others)]),
    ...(unreadable ? ['Some files could not be read.'] : []),
    ...unappliedNote(leftOut),
    hint,
    reading,
  ].filter((line) => line !== undefined);
}
