import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { initRepository } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Number of histories; `RUNS=200` for more. */
const RUNS = Number(process.env['RUNS'] ?? 3);
const SEED = Number(process.env['SEED'] ?? 27);
const STEPS = 30;
const LINES = 9;

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

/** What a call or a person runs. `$B` is one of four branches, `$N` a number of its own. */
const COMMANDS: ReadonlyArray<readonly [command: string, weight: number]> = [
  ['sed -i "$L s/.*/$N/" $F; git commit -qam $N', 9],
  ['sed -i "$L s/.*/$N/" $F', 2],
  ['echo > new-$N; git add -A', 1],
  ['git commit -q --amend --allow-empty -m $N', 1],
  ['git switch -qc $B', 1],
  ['git switch -q $B', 1],
  ['git switch -q main', 1],
  ['git branch -q $B', 4],
  ['git branch -qD $B', 1],
  ['git tag t-$N', 6],
  ['git merge -q --no-edit $B || git merge --abort', 2],
  ['git rebase -q $B || git rebase --abort', 1],
  ['git reset -q --hard HEAD~1', 1],
  ['git stash -q', 1],
  ['git stash pop -q', 1],
  ['git notes add -m $N HEAD', 1],
  ['git pack-refs --all', 1],
  ['git repack -q', 1],
  ['git repack -adq', 1],
  ['git gc -q', 1],
];
const command = fc
  .record({
    text: fc.oneof(...COMMANDS.map(([text, weight]) => ({ weight, arbitrary: fc.constant(text) }))),
    line: fc.integer({ min: 1, max: LINES }),
    file: fc.constantFrom('a', 'b', 'c'),
    branch: fc.constantFrom('b-1', 'b-2', 'b-3', 'b-4'),
  })
  .map(({ text, line, file, branch }) => `L=${line} F=${file} B=${branch}; ${text}`);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ by: fc.constant('call' as const), command }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('person' as const), command }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('undo' as const), back: fc.nat({ max: 2 }) }) },
);

describe.skipIf((await findBubblewrap()) === undefined)(`undos of what calls did with git (SEED=${SEED})`, () => {
  it('leave a repository whole, with all commits of a person', { timeout: 60_000 + RUNS * 30_000 }, async () => {
    let undone = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
        const lines = Array.from({ length: LINES }, (_, index) => `${index}\n`).join('');
        await using bench = await temporaryHands({ a: lines, b: lines, c: lines }, { allow: [], approver: YES });
        const shell = (script: string): string => {
          const env = { ...process.env, GIT_COMMITTER_NAME: 'Person' };
          const { stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: bench.folder, encoding: 'utf8', env });
          return stdout + stderr;
        };
        initRepository(bench.folder);
        shell('git config user.name Ada; git config user.email ada@example.com; git config gc.auto 0; git add -A; git commit -qm first');
        const calls: string[] = [];
        const commits = new Set([shell('git rev-parse HEAD').trim()]);
        for (const [index, next] of steps.entries()) {
          if (next.by === 'person') {
            shell(`N=${index}; ${next.command}`);
            // HEAD may be at a commit of a call, which may go when that is undone.
            const [committer, commit = ''] = shell('git log -1 --format=%cn%n%H').trim().split('\n');
            if (committer === 'Person') commits.add(commit);
          } else if (next.by === 'call') {
            const { ok, meta } = await bench.hands.call('run_command', { command: `N=${index}; ${next.command}` });
            if (ok) calls.push(meta.callId);
          } else {
            const call = calls.at(-1 - next.back);
            const undo = call === undefined ? undefined : await bench.hands.undo({ call }).catch(() => undefined);
            // An undo can be undone, too.
            if (undo?.ok === true) calls.splice(calls.indexOf(call ?? ''), 1, undo.meta.callId);
            if (undo?.ok === true) undone += 1;
          }
          // Nothing of this says anything of a repository that is whole and has commits where HEAD is.
          expect(shell('git fsck --full --no-dangling; git log --all --oneline >/dev/null; git status >/dev/null')).toBe('');
          expect(shell(`git cat-file --batch-check='%(objecttype)' <<'.'\n${[...commits].join('\n')}\n.`).trim()).toMatch(/^(?:commit\n?)*$/u);
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
    expect(undone).toBeGreaterThan(0);
  });
});
