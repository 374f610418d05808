import { FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

/** What passed or was skipped, and what frames the rest. */
const NOISE = /^\s*(?:[✓↓] |RUN +v\d|(?:Start at|Duration) {2}|⎯{4,}|- Expected$|\+ Received$)|^⎯{4,}/u;
/** A failure in the list of files. The output repeats it in full below. */
const LISTED = /^ +(?:❯ \S+ \(\d+ tests?\b|× )/u;
const REASON = /^ +→ /u;
const FRAME_LINE = /^\s*\d+\|/u;
const CARET = /^\s*\|\s*\^/u;

/** The output of vitest's reporters `default`, `verbose` and `tree`. */
export const vitest: RunnerOutput = {
  name: 'vitest',
  sign: /^ RUN +v\d+\.\d+/mu,
  condense(lines) {
    const toldInFull = lines.some((line) => /^ ?FAIL {2}/u.test(line));
    const kept: string[] = [];
    let inReason = false;
    for (const [index, line] of lines.entries()) {
      // A reason may have several lines.
      if (inReason && !isBlank(line) && !NOISE.test(line) && !LISTED.test(line) && !REASON.test(line) && !/^(?:stdout|stderr) \|/u.test(line))
        continue;
      inReason = toldInFull && REASON.test(line);
      if (inReason || isBlank(line) || NOISE.test(line) || CARET.test(line)) continue;
      if (toldInFull && LISTED.test(line)) continue;
      if (FRAME_LINE.test(line) && !CARET.test(lines[index + 1] ?? '')) continue;
      if (line.startsWith(' ❯ ') && FOREIGN_FRAME.test(line)) continue;
      kept.push(line.trimEnd());
    }
    return kept;
  },
};
