import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository, setAuthor } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Histories; `RUNS=100` for a long run. */
const RUNS = Number(process.env['RUNS'] ?? 2);
const seed = Number(process.env['SEED'] ?? 1);
const STEPS = 24;
const AGENTS = ['one', 'two', 'three'] as const;
const FILES = ['a.txt', 'b.txt', 'dir/c.txt'] as const;

/** What each side does with git. All that it writes are lines of its own. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      who: fc.constantFrom(...AGENTS, 'person' as const),
      file: fc.constantFrom(...FILES),
      all: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      who: fc.constantFrom(...AGENTS),
      command: fc.constantFrom(
        'git status',
        'git stash -q; git stash pop -q || true',
        'git reset -q --hard',
        'git clean -qfd',
        'git checkout -q .',
        'git add -A',
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('merge' as const), who: fc.constantFrom(...AGENTS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who: fc.constantFrom(...AGENTS) }) },
);

it.skipIf((await findBubblewrap()) === undefined)(
  `what agents commit in branches, and a person merges, is all in the end (seed ${seed})`,
  { timeout: 60_000 + RUNS * 60_000 },
  async () => {
    let merges = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
        const line = (file: string, name: string): string => `# ${name} of ${file}\n${'.\n'.repeat(3)}`;
        const files = Object.fromEntries(FILES.map((file) => [file, [...AGENTS, 'person'].map((name) => line(file, name)).join('')]));
        // An agent that commits all files commits what others changed, too, as it was then: both versions of a line are taken.
        await using bench = await temporaryHands(
          { ...files, '.gitattributes': '*.txt merge=union\n' },
          { approver: { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) } },
        );
        const { folder, hands } = bench;
        const person = (command: string): string => execFileSync('/bin/sh', ['-ec', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
        initRepository(folder);
        setAuthor(folder);
        person('git add -A; git commit -qm first');
        for (const name of AGENTS) await hands.createBranch(name);
        type Branch = Awaited<ReturnType<typeof hands.branch>>;
        const open = new Map<string, Branch>();
        const leave = async (name: string): Promise<void> => {
          await open.get(name)?.[Symbol.asyncDispose]();
          open.delete(name);
        };
        const run = async (name: string, command: string): Promise<void> => {
          const branch = open.get(name) ?? (await hands.branch(name));
          open.set(name, branch);
          expect(await branch.call('run_command', { command }), command).toMatchObject({ ok: true, data: { exit_code: 0 } });
        };
        /** Lines that were committed, by who did. */
        const committed = new Map<string, string[]>([...AGENTS, 'person'].map((name) => [name, []]));
        const merge = async (name: string): Promise<void> => {
          await leave(name);
          const { held } = await hands.showBranch(name);
          // Commits alone, for git to merge, if HEAD moved; otherwise all as it is.
          const isHeld = held.some(({ commits }) => commits.length > 0);
          if (!isHeld && held.length > 0) return;
          const result = await hands.applyBranch(name, isHeld ? { paths: ['.git'] } : {});
          expect(result).toMatchObject({ ok: true });
          for (const { commit } of result.ok ? result.data.commits : []) {
            // Only what was not committed is in the way of git: reverts of others that an agent did not mean.
            person(`git merge -q --no-edit ${commit}`);
            merges += 1;
          }
        };
        for (const [index, one] of steps.entries()) {
          if (one.kind === 'look') await run(one.who, one.command);
          else if (one.kind === 'leave') await leave(one.who);
          else if (one.kind === 'merge') await merge(one.who);
          else {
            const text = `${one.who} ${index}`;
            const command = `sed -i '/# ${one.who} of/a ${text}' ${one.file}; ${one.all ? 'git add -A' : `git add ${one.file}`}; git commit -qm '${text}'`;
            if (one.who === 'person') person(command);
            else await run(one.who, command);
            committed.get(one.who)?.push(text);
          }
        }
        for (const name of AGENTS) await merge(name);
        const all = FILES.map((file) => readFileSync(bench.at(file), 'utf8')).join('');
        expect([...committed.values()].flat().filter((text) => !all.includes(`${text}\n`))).toEqual([]);
        git(folder, 'fsck', '--connectivity-only');
        for (const name of AGENTS) await leave(name);
      }),
      { seed, numRuns: RUNS, endOnFailure: true },
    );
    expect(merges).toBeGreaterThanOrEqual(RUNS);
  },
);
