import { isBlank, type RunnerOutput } from './runner-output.ts';

const HEADER =
  /^(?:platform |cachedir: |rootdir: |configfile: |testpaths: |plugins: |benchmark: |hypothesis profile |asyncio: |collect(?:ed|ing) |using )/u;
/** The progress of files or of tests. */
const PROGRESS = /^(?:\S+ )?[.FEsxX]+ +\[ *\d+%\]$|^\S+::.*\[ *\d+%\]$|^[.FEsxX]+$/u;
const SECTION = /^(?:=+|_+) (.+?) (?:=+|_+)$/u;
const CAPTURED = /^-+ (Captured .+?) -+$/u;
const SUMMARY = /^(FAILED|ERROR) (\S+)(?: - .*)?$/u;

/** The output of pytest. */
export const pytest: RunnerOutput = {
  name: 'pytest',
  sign: /^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$/mu,
  condense(lines) {
    const toldInFull = lines.some((line) => /^=+ (?:FAILURES|ERRORS) =+$/u.test(line));
    const kept: string[] = [];
    let place: 'outside' | 'failure' | 'captured' = 'outside';
    for (const [index, line] of lines.entries()) {
      const section = SECTION.exec(line)?.[1];
      const captured = CAPTURED.exec(line)?.[1];
      if (section !== undefined) {
        place = line.startsWith('_') ? 'failure' : 'outside';
        if (!/^(?:test session starts|short test summary info|_)/u.test(section)) kept.push(section);
      } else if (captured !== undefined) {
        place = 'captured';
        kept.push(`${captured}:`);
      } else if (isBlank(line) || /^(?:_ )+_?$/u.test(line)) continue;
      else if (place === 'outside' && (HEADER.test(line) || PROGRESS.test(line))) continue;
      // The code around the line that failed. In short form, the line after its place is the one.
      else if (place === 'failure' && /^ {4}/u.test(line) && !/^\S+:\d+: in /u.test(lines[index - 1] ?? '')) continue;
      else kept.push(toldInFull ? line.replace(SUMMARY, '$1 $2') : line);
    }
    return kept;
  },
};
