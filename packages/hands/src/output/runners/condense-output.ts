import { belowRoot } from '../../workspace/byte-name.ts';
import { buildSteps } from './build-steps.ts';
import { cargo } from './cargo.ts';
import { coverageTable } from './coverage-table.ts';
import { eslint } from './eslint.ts';
import { goTest } from './go-test.ts';
import { jest } from './jest.ts';
import { nodeSpec, nodeTap } from './node-test.ts';
import { pytest } from './pytest.ts';
import { ruff } from './ruff.ts';
import type { RunnerOutput } from './runner-output.ts';
import { tsc } from './tsc.ts';
import { vitest } from './vitest.ts';

/** The runners whose output is read. One command may run several. */
const RUNNERS: readonly RunnerOutput[] = [buildSteps, vitest, jest, nodeSpec, nodeTap, pytest, goTest, ruff, cargo, tsc, eslint, coverageTable];

/** Largest share of the whole that is worth it: the rest is one call away, and a call costs as much as some lines. */
const MAX_SHARE = 0.8;

/** Longer lines are no reports, and would make the expressions slow. In characters. */
const MAX_LINE = 2_000;

/** A text with what matters of it. */
export interface CondensedOutput {
  readonly text: string;
  readonly runners: readonly string[];
}

/**
 * What matters of the output of test runners, compilers and linters: failures with their places in the workspace, and totals. Lines
 * of anything else stay as they are. Undefined if nothing was recognized, or if it would hardly be shorter.
 *
 * @param root the workspace, whose name is left out of paths
 */
export function condenseOutput(text: string, root: string): CondensedOutput | undefined {
  const signed = RUNNERS.filter(({ sign }) => sign.test(text));
  if (signed.length === 0) return undefined;
  const all = text.split('\n');
  if (all.some((line) => line.length > MAX_LINE)) return undefined;
  let lines: readonly string[] = all;
  const runners: string[] = [];
  for (const { name, condense } of signed) {
    const before = lines.length;
    lines = condense(lines);
    if (lines.length < before) runners.push(name);
  }
  const short = `${belowRoot(root)(lines.join('\n').trimEnd())}\n`;
  return short.trim() === '' || Buffer.byteLength(short) > MAX_SHARE * Buffer.byteLength(text) ? undefined : { text: short, runners };
}
