import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { BranchStore, type StoredBranch } from './branch-store.ts';
import { holdBranch, isReleased, type HeldBranch } from './hold-branch.ts';

/** Steps in all; `STEPS=100000` for a long run. */
const STEPS = Number(process.env['STEPS'] ?? 240);
/** Steps in one workspace. */
const LENGTH = 80;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const NAMES = ['one', 'two', 'three'] as const;
type Name = (typeof NAMES)[number];
const PATHS = ['a', 'b', 'd/x', 'd/y', 'd/e/z'] as const;
type Path = (typeof PATHS)[number];
type Who = Name | 'person';

interface Change {
  readonly kind: 'line' | 'whole' | 'binary' | 'delete';
  readonly who: Who;
  readonly path: Path;
  readonly line: number;
  readonly atomic: boolean;
}

type Step =
  | Change
  | { readonly kind: 'move'; readonly who: Who; readonly path: Path; readonly to: Path }
  | { readonly kind: 'commit'; readonly who: Who }
  | { readonly kind: 'apply'; readonly name: Name; readonly path: Path | undefined }
  | { readonly kind: 'drop'; readonly name: Name };

const [who, path, name] = [fc.constantFrom<Who>(...NAMES, 'person'), fc.constantFrom(...PATHS), fc.constantFrom(...NAMES)];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 48,
    arbitrary: fc.record({
      kind: fc.constantFrom<'line' | 'whole' | 'binary' | 'delete'>('line', 'line', 'line', 'whole', 'binary', 'delete'),
      who,
      path,
      line: fc.nat({ max: 7 }),
      atomic: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('move' as const), who, path, to: path }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('commit' as const), who }) },
  { weight: 16, arbitrary: fc.record({ kind: fc.constant('apply' as const), name, path: fc.option(path, { nil: undefined, freq: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), name }) },
);

/** The content of a file; null if there is none. */
type Content = string | null;

/** A file that a branch has a version of. */
interface Touched {
  /** What the branch saw of the workspace when it changed it first; more than one where that may have been another time. */
  readonly bases: readonly Content[];
  readonly own: Content;
  /** Whether the branch changed nothing of what it saw, so that it may have no version of its own. */
  readonly isLoose: boolean;
}

const linesOf = (content: Content): string[] => content?.split('\n').filter((line) => line !== '') ?? [];

function contentOf(folder: string, at: Path): Content {
  try {
    return readFileSync(join(folder, at), 'utf8');
  } catch {
    return null;
  }
}

/** Branches, the workspace and a person, on disk and as what they must have. */
class World implements AsyncDisposable {
  readonly #bench: TemporaryHands;
  readonly #store: BranchStore;
  readonly #stateFolder: string;
  readonly #held = new Map<Name, HeldBranch>();
  readonly #touched = new Map<Name, Map<Path, Touched>>();
  readonly #workspace = new Map<Path, Content>();
  readonly #commits = new Map<Who, Set<string>>();
  #count = 0;
  readonly figures = { applied: 0, conflicts: 0, merged: 0, commits: 0 };

  constructor(bench: TemporaryHands) {
    this.#bench = bench;
    this.#stateFolder = join(bench.folder, '../state');
    this.#store = new BranchStore(this.#stateFolder, bench.folder);
    for (const at of PATHS) this.#workspace.set(at, contentOf(bench.folder, at));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const held of this.#held.values()) held[Symbol.dispose]();
    await this.#bench[Symbol.asyncDispose]();
  }

  readonly #trace: string[] = [];

  async run(next: Step): Promise<void> {
    this.#trace.push(JSON.stringify(next));
    if ('line' in next) await this.#again(next.who, async () => await this.#change(next));
    else if (next.kind === 'move') await this.#again(next.who, async () => await this.#move(next.who, next.path, next.to));
    else if (next.kind === 'commit') await this.#commit(next.who);
    else if (next.kind === 'apply') await this.#apply(next.name, next.path);
    else await this.#drop(next.name);
    this.#check();
  }

  /** A file that was replaced below may refuse a change in a branch until that is mounted anew. */
  async #again(one: Who, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { errno } = error as NodeJS.ErrnoException;
      if (one === 'person' || errno === undefined || ![-constants.errno.ESTALE, -constants.errno.ENOENT].includes(errno)) throw error;
      await this.#mountAnew(one);
      await work();
    }
  }

  async #mountAnew(branch: Name): Promise<void> {
    this.#release(branch);
    await isReleased((await this.#stored(branch)).folder, AbortSignal.timeout(30_000));
  }

  async #stored(branch: Name): Promise<StoredBranch> {
    if (!this.#touched.has(branch)) await this.#bench.hands.createBranch(branch);
    if (!this.#touched.has(branch)) this.#touched.set(branch, new Map());
    return this.#store.get(branch);
  }

  async #hold(branch: Name): Promise<HeldBranch> {
    const { folder, record } = await this.#stored(branch);
    const known = this.#held.get(branch);
    if (known !== undefined) return known;
    const locks = new FileLocks(join(this.#stateFolder, 'locks'));
    const held = await holdBranch(folder, record, { stateFolder: this.#stateFolder, locks, signal: AbortSignal.timeout(30_000) });
    this.#held.set(branch, held);
    return held;
  }

  async #folderOf(one: Who): Promise<string> {
    return one === 'person' ? this.#bench.folder : (await this.#hold(one)).path(this.#bench.folder);
  }

  /** @param seen what was there before, as the one who wrote it saw it */
  #note(one: Who, at: Path, seen: Content, content: Content): void {
    if (one === 'person') {
      this.#workspace.set(at, content);
      return;
    }
    const touched = this.#touched.get(one) ?? new Map<Path, Touched>();
    const known = touched.get(at);
    const bases = [...(known?.isLoose === false ? [] : [seen]), ...(known?.bases ?? [])];
    // Where the workspace deleted it too, a branch needs no mark, and so has none if it comes back.
    touched.set(at, { bases, own: content, isLoose: bases.includes(content) || content === null });
  }

  async #change({ who: one, path: at, kind, line, atomic }: Change): Promise<void> {
    const folder = await this.#folderOf(one);
    const before = contentOf(folder, at);
    this.#count += 1;
    const token = `${one} ${this.#count}`;
    const lines = linesOf(before);
    const edited = lines.length === 0 ? [token] : lines.with(Math.min(line, lines.length - 1), token);
    const content = { line: `${edited.join('\n')}\n`, whole: `${token}\nend ${token}\n`, binary: `\0${token}`, delete: null }[kind];
    if (content === null && before === null) return;
    if (content === null) rmSync(join(folder, at));
    else if (atomic) {
      writeFileSync(join(folder, `${at}.tmp`), content);
      renameSync(join(folder, `${at}.tmp`), join(folder, at));
    } else writeFileSync(join(folder, at), content);
    this.#note(one, at, before, content);
  }

  async #move(one: Who, from: Path, to: Path): Promise<void> {
    const folder = await this.#folderOf(one);
    const content = contentOf(folder, from);
    const replaced = contentOf(folder, to);
    if (content === null || from === to) return;
    renameSync(join(folder, from), join(folder, to));
    this.#note(one, from, content, null);
    this.#note(one, to, replaced, content);
  }

  async #git(one: Who, ...words: string[]): Promise<string> {
    if (one === 'person') return git(this.#bench.folder, ...words);
    const [program, ...rest] = (await this.#hold(one)).enter(['git', ...words], this.#bench.folder);
    return execFileSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  }

  async #commit(one: Who): Promise<void> {
    // What the kernel goes on showing does not fit its list of the folder, on which git fails. A new mount shows all as it is.
    if (one !== 'person') await this.#mountAnew(one);
    await this.#git(one, 'add', '-A');
    this.#count += 1;
    await this.#git(one, 'commit', '-q', '--allow-empty', '-m', `${one} ${this.#count}`);
    const made = this.#commits.get(one) ?? new Set();
    this.#commits.set(one, made.add(await this.#git(one, 'rev-parse', 'HEAD')));
    this.figures.commits += 1;
  }

  async #drop(branch: Name): Promise<void> {
    if (!this.#touched.has(branch)) return;
    this.#release(branch);
    await this.#bench.hands.dropBranch(branch);
    this.#touched.delete(branch);
    this.#commits.delete(branch);
  }

  #release(branch: Name): void {
    this.#held.get(branch)?.[Symbol.dispose]();
    this.#held.delete(branch);
  }

  async #apply(branch: Name, only: Path | undefined): Promise<void> {
    const touched = this.#touched.get(branch);
    if (touched === undefined || (only !== undefined && !touched.has(only))) return;
    this.#release(branch);
    const result = await this.#bench.hands.applyBranch(branch, only === undefined ? {} : { paths: [only] });
    // A path whose change is one of time alone, or that the workspace has too, is no change.
    if (!result.ok && only !== undefined) expect(result.error.code).toBe('not_found');
    else expect(result, JSON.stringify(result)).toMatchObject({ ok: true });
    const folder = await this.#folderOf(branch);
    for (const [at, entry] of [...touched]) this.#settle(branch, at, entry, contentOf(folder, at));
    for (const hash of this.#commits.get(branch) ?? []) {
      const exists = async (one: Who): Promise<boolean> => (await this.#git(one, 'cat-file', '-t', hash).catch(() => '')) === 'commit';
      expect((await exists('person')) || (await exists(branch)), `commit ${hash} of ${branch} is lost`).toBe(true);
    }
    for (const one of ['person', branch] as const) expect(await this.#git(one, 'fsck', '--no-dangling'), one).toBe('');
    // An index with entries of both sides would name objects that are missing.
    expect(await this.#git('person', 'write-tree')).toMatch(/^[0-9a-f]{40}$/u);
  }

  /** Compares what applying made of a file with what it may make of it. */
  #settle(branch: Name, at: Path, { bases, own }: Touched, seen: Content): void {
    const before = this.#workspace.get(at) ?? null;
    const now = contentOf(this.#bench.folder, at);
    const why = JSON.stringify({ branch, at, bases, own, before, now, seen });
    this.#trace.push(why);
    const touched = this.#touched.get(branch);
    if (now !== before) {
      // Each side's new lines are there, or the workspace had what the branch began with.
      if (now !== own || !bases.includes(before)) {
        const isKept = (line: string): boolean => linesOf(now).includes(line);
        const news = (base: Content): string[] => [before, own].flatMap(linesOf).filter((line) => !linesOf(base).includes(line));
        expect(
          bases.some((base) => news(base).every(isKept)),
          `lost: ${why}`,
        ).toBe(true);
        for (const line of linesOf(now)) expect([...linesOf(before), ...linesOf(own)], `nobody wrote ${line}: ${why}`).toContain(line);
        this.figures.merged += 1;
      }
      this.#note('person', at, before, now);
      this.figures.applied += 1;
    } else if (own !== now && !bases.includes(own) && own !== null) {
      expect(seen, `the version of the branch is lost: ${why}`).toBe(own);
      this.figures.conflicts += 1;
    }
    expect([own, now], `nobody wrote this: ${why}`).toContain(seen);
    if (seen !== now) return;
    if (now === before) touched?.set(at, { bases: [now], own: now, isLoose: true });
    else touched?.delete(at);
  }

  #check(): void {
    for (const at of PATHS) {
      expect(contentOf(this.#bench.folder, at), `${at} in the workspace: ${this.#trace.slice(-40).join('\n')}`).toBe(this.#workspace.get(at) ?? null);
      // Of a file that a branch has not changed, the kernel may go on showing what was replaced in the workspace since it was mounted.
      for (const [branch, held] of this.#held) {
        const touched = this.#touched.get(branch)?.get(at);
        if (touched === undefined || touched.isLoose) continue;
        const why = `${at} in ${branch}: ${this.#trace.slice(-40).join('\n')}`;
        expect(contentOf(held.path(this.#bench.folder), at), why).toBe(touched.own);
      }
    }
  }
}

async function world(): Promise<World> {
  const lines = Array.from({ length: 8 }, (_, index) => `line ${index}\n`).join('');
  const bench = await temporaryHands(Object.fromEntries(PATHS.map((at) => [at, `${at}\n${lines}`])));
  mkdirSync(bench.at('keep'));
  initRepository(bench.folder);
  for (const [key, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.com'],
    ['gc.auto', '0'],
  ] as const)
    git(bench.folder, 'config', key, value);
  git(bench.folder, 'add', '-A');
  git(bench.folder, 'commit', '-qm', 'first');
  return new World(bench);
}

describe.skipIf((await findBubblewrap()) === undefined)(`branches, a workspace and a person (seed ${seed})`, () => {
  it('lose no update, make no file that nobody wrote, and keep the repository whole', { timeout: 120_000 + STEPS * 1_000 }, async () => {
    const figures = { steps: 0, applied: 0, conflicts: 0, merged: 0, commits: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: LENGTH, maxLength: LENGTH }), async (steps) => {
        await using all = await world();
        for (const next of steps) await all.run(next);
        figures.steps += steps.length;
        for (const key of ['applied', 'conflicts', 'merged', 'commits'] as const) figures[key] += all.figures[key];
      }),
      { seed, numRuns: Math.ceil(STEPS / LENGTH), endOnFailure: true },
    );
    process.stdout.write(`branches, seed ${seed}: ${JSON.stringify(figures)}\n`);
    expect(figures.applied).toBeGreaterThan(0);
    expect(figures.conflicts).toBeGreaterThan(0);
  });
});
