import type { RealEdit } from '../real-edits.ts';
import type { Attempt } from './edit-class.ts';

/** A reason for which a mistake makes another edit of an attempt, which is right as it stands. Each is judged for one attempt. */
interface OtherEdit {
  readonly reason: string;
  readonly is: (attempt: Attempt, edit: RealEdit) => boolean;
}

const hasLines = (text: string, lines: string): boolean => `\n${text}`.includes(`\n${lines}\n`);
const editsOf = ({ made }: Attempt): ReadonlyArray<readonly [old: string, fresh: string]> => ('edits' in made ? made.edits : []);
const hunkLines = ({ made }: Attempt): string[] => ('patch' in made ? made.patch.split('\n').filter((line) => /^[ +-](?!--|\+\+)/u.test(line)) : []);
const withMark = (lines: readonly string[], marks: string): string[] =>
  lines.flatMap((line) => (marks.includes(line[0] ?? '#') ? [line.slice(1)] : []));

/** Every reason for which an attempt of a class is left out. */
const OTHER_EDITS: readonly OtherEdit[] = [
  { reason: 'both texts are the same', is: (attempt) => editsOf(attempt).some(([old, fresh]) => old === fresh) },
  {
    reason: 'the old text is in the file elsewhere, exactly as the mistake has it',
    is: (attempt, edit) => editsOf(attempt).some(([old]) => !old.startsWith(edit.old.join('\n')) && hasLines(attempt.before, old)),
  },
  {
    reason: 'one line without its indentation is a part of the line, so the new text is literal as well',
    is: (attempt, edit) => editsOf(attempt).some(([old]) => edit.old.length === 1 && edit.old[0] !== old && edit.old[0]?.trim() === old),
  },
  {
    reason: 'the old lines of the patch are in the file elsewhere, exactly as the mistake has them',
    is(attempt, edit) {
      const old = withMark(hunkLines(attempt), ' -');
      // Less lines than those of the edit are no mistake in them.
      const isMistaken = old.some((line) => line.trim() !== '' && !edit.old.includes(line));
      return isMistaken && hasLines(attempt.before, old.join('\n'));
    },
  },
  {
    reason: 'the lines of the edit are in the file elsewhere, further in',
    is: ({ before, made }, edit) =>
      'patch' in made && before.includes(`\n${edit.old.map((line) => (line.trim() === '' ? line : `    ${line}`)).join('\n')}\n`),
  },
  {
    reason: 'the edit moves lines by what the mistake moves them, so both texts are one reading of it',
    is(attempt, edit) {
      const [removed, added] = [withMark(hunkLines(attempt), '-'), withMark(hunkLines(attempt), '+')];
      return removed.some((line) => line.trim() !== '' && !edit.old.includes(line) && added.includes(line) && edit.new.includes(line));
    },
  },
  {
    reason: 'a new function of Python whose body is three dots is a stub',
    is(attempt, edit) {
      const stub = editsOf(attempt).flatMap(
        ([, fresh]) => /^[ \t]*(?:async )?(?<def>def .*:)\n\s*(?:""".*"""\n\s*)?\.{3}$/mu.exec(fresh)?.groups?.['def'] ?? [],
      );
      return /\.pyi?$/u.test(edit.path) && stub.some((line) => !attempt.before.includes(line));
    },
  },
  {
    reason: 'an ellipsis in prose, in a file that has neither kind',
    is(attempt, edit) {
      const fresh = [...editsOf(attempt).map(([, text]) => text), ...withMark(hunkLines(attempt), '+')].join('\n');
      return /\.(?:md|txt|rst)$/u.test(edit.path) && fresh.includes('…') && !/…|\.{3}/u.test(attempt.before);
    },
  },
  {
    reason: 'the edit has dashes of both kinds, and the mistake leaves one, so nothing shows which is meant',
    is(attempt, edit) {
      const fresh = [...editsOf(attempt).map(([, text]) => text), withMark(hunkLines(attempt), '+').join('\n')].join('\n');
      const real = edit.new.join('\n');
      return real.includes('—') && real.includes('-') && !fresh.includes('-');
    },
  },
  {
    reason: 'tabs indent a fenced block that is all new, in a file that has others indented by tabs',
    is(attempt, edit) {
      const added = withMark(hunkLines(attempt), '+');
      return (
        added.some((line) => line.trim().startsWith('```')) &&
        added.some((line) => line.startsWith('\t') && !edit.new.includes(line)) &&
        attempt.before.includes('\n\t')
      );
    },
  },
];

/** Why a mistake makes another edit of an attempt; undefined if it is a mistake. */
export function otherEdit(attempt: Attempt, edit: RealEdit): string | undefined {
  return attempt.isJudged === true ? undefined : OTHER_EDITS.find(({ is }) => is(attempt, edit))?.reason;
}
