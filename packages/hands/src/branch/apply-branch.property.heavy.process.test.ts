import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { sourceUrl } from '../testing/run-script.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { BranchStore } from './branch-store.ts';
import { holdBranch } from './hold-branch.ts';

const works = (await findBubblewrap()) !== undefined;
/** Number of histories; `RUNS=200` for more. Each starts some processes. */
const RUNS = Number(process.env['RUNS'] ?? 3);
const SEED = Number(process.env['SEED'] ?? 27);
const FILES = ['a', 'b', 'c'] as const;
const LINES = 9;
const { signal } = new AbortController();

/** What one side does to one file. Lines have names of their own, so that it is known who wrote each. */
const edit = fc.record({
  file: fc.constantFrom(...FILES),
  line: fc.nat(LINES - 1),
  kind: fc.constantFrom('replace', 'replace', 'insert', 'cut', 'delete'),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
const round = fc.record({
  by: fc.constantFrom('person', 'recorded', 'unrecorded'),
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  commits: fc.boolean(),
});

/** The edit as the text of a function, because it also runs in the branch: takes a text or undefined, returns another one. */
function edited(text: string | undefined, { line, kind }: Edit, mark: string): string | undefined {
  if (kind === 'delete') return undefined;
  const lines = (text ?? '').split(/(?<=\n)/u);
  lines.splice(Math.min(line, lines.length), kind === 'insert' ? 0 : 1, ...(kind === 'cut' ? [] : [`${mark}\n`]));
  return lines.join('');
}

/** Does edits in the branch with hands, or without. */
async function inBranch({ folder }: TemporaryHands, script: string): Promise<string> {
  const stateFolder = join(folder, '../state');
  const stored = new BranchStore(stateFolder, folder).get('one');
  using held = await holdBranch(stored.folder, stored.record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
  const argv = [process.execPath, '--conditions=synapse-source', '--input-type=module', '-e', script] as const;
  const [program, ...words] = held.enter(argv, folder);
  return execFileSync(program, words, { encoding: 'utf8' });
}

const script = (folder: string, work: readonly (readonly [Edit, string])[], isRecorded: boolean, commits: boolean): string => `
  import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
  import { execFileSync } from 'node:child_process';
  const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
  const edited = ${edited.toString()};
  const folder = ${JSON.stringify(folder)};
  const seen = [];
  const read = (file) => existsSync(folder + '/' + file) ? readFileSync(folder + '/' + file, 'utf8') : undefined;
  await using hands = await createHands({ workspace: folder, stateFolder: ${JSON.stringify(join(folder, '../state'))}, allow: ['write', 'exec'] });
  for (const [edit, mark] of ${JSON.stringify(work)}) {
    const before = read(edit.file);
    seen.push(before ?? '');
    const after = edited(before, edit, mark);
    if (before === after) continue;
    if (!${isRecorded}) {
      if (after === undefined) rmSync(folder + '/' + edit.file);
      else writeFileSync(folder + '/' + edit.file, after);
      continue;
    }
    const { ok, error } = after === undefined ? await hands.call('delete_file', { path: edit.file }) : await hands.call('write_file', { path: edit.file, content: after });
    if (!ok) throw new Error(error.message);
  }
  if (${commits}) try { execFileSync('git', ['commit', '-qam', 'branch'], { cwd: folder, stdio: 'ignore' }); } catch {}
  console.log(JSON.stringify({ seen, files: Object.fromEntries(${JSON.stringify(FILES)}.map((file) => [file, read(file) ?? null])) }));
`;

function changeAsPerson({ at }: TemporaryHands, work: ReadonlyArray<readonly [Edit, string]>): void {
  for (const [one, mark] of work) {
    const path = at(one.file);
    const after = edited(existsSync(path) ? readFileSync(path, 'utf8') : undefined, one, mark);
    if (after === undefined) rmSync(path, { force: true });
    else writeFileSync(path, after);
  }
}

const linesOf = (text: string | null | undefined): string[] => (text ?? '').split('\n').filter((line) => line !== '');

describe.skipIf(!works)(`a branch and a workspace that change beside each other (seed ${SEED})`, () => {
  it('lose no change and get no line from elsewhere', { timeout: 60_000 + RUNS * 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 4 }), async (rounds) => {
        const initial = (file: string): string => Array.from({ length: LINES }, (_, at) => `${file}${at}\n`).join('');
        await using bench = await temporaryHands(Object.fromEntries(FILES.map((file) => [file, initial(file)])));
        const { hands, at, folder } = bench;
        initRepository(folder);
        git(folder, 'config', 'user.name', 'Ada');
        git(folder, 'config', 'user.email', 'ada@example.com');
        git(folder, 'add', '-A');
        git(folder, 'commit', '-qm', 'first');
        await hands.createBranch('one');
        const read = (file: string): string | undefined => (existsSync(at(file)) ? readFileSync(at(file), 'utf8') : undefined);
        const written = new Set(FILES.flatMap((file) => linesOf(initial(file))));
        const seen = new Set<string>();
        let count = 0;
        for (const { by, edits, commits } of rounds) {
          const work = edits.map((one) => [one, `${by}-${(count += 1)}`] as const);
          for (const [, mark] of work) written.add(mark);
          if (by === 'person') {
            changeAsPerson(bench, work);
            if (commits) execFileSync('git', ['commit', '-qam', 'person', '--allow-empty'], { cwd: folder, stdio: 'ignore' });
          } else {
            const told = JSON.parse(await inBranch(bench, script(realpathSync(folder), work, by === 'recorded', commits))) as { seen: string[] };
            for (const line of told.seen.flatMap(linesOf)) seen.add(line);
          }
        }
        const look = script(realpathSync(folder), [], false, false);
        const own = (JSON.parse(await inBranch(bench, look)) as { files: Record<string, string | null> }).files;
        const before = Object.fromEntries(FILES.map((file) => [file, read(file)]));
        const result = await hands.applyBranch('one');
        expect(result).toMatchObject({ ok: true });
        if (!result.ok) return;
        const conflicts = new Set(result.data.conflicts.map(({ path }) => path));
        const kept = (JSON.parse(await inBranch(bench, look)) as { files: Record<string, string | null> }).files;
        for (const file of FILES) {
          const after = read(file);
          expect(linesOf(after).filter((line) => !written.has(line))).toEqual([]);
          if (conflicts.has(file)) expect([file, after, kept[file]]).toEqual([file, before[file], own[file]]);
          // What the branch has never seen of a person stays.
          for (const line of linesOf(before[file])) if (line.startsWith('person') && !seen.has(line)) expect(linesOf(after)).toContain(line);
          if (conflicts.has(file)) continue;
          for (const line of linesOf(own[file])) if (/^(?:un)?recorded/u.test(line)) expect(linesOf(after)).toContain(line);
        }
        expect(git(folder, 'fsck', '--no-dangling')).toBe('');
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
  });
});
