import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { BranchStore, type StoredBranch } from '../branch/branch-store.ts';
import { holdBranch, isReleased, type HeldBranch } from '../branch/hold-branch.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { git } from './git-repository.ts';
import type { TemporaryHands } from './temporary-hands.ts';

function must(isTrue: boolean, why: string): void {
  if (!isTrue) throw new Error(why);
}

export const NAMES = ['one', 'two', 'three'] as const;
type Name = (typeof NAMES)[number];
export const PATHS = ['a', 'b', 'd/x', 'd/y', 'd/e/z'] as const;
type Path = (typeof PATHS)[number];
export type Who = Name | 'person';

export interface Change {
  /** `ends`: changes far from each other. */
  readonly kind: 'line' | 'ends' | 'whole' | 'binary' | 'delete';
  readonly who: Who;
  readonly path: Path;
  readonly line: number;
  readonly atomic: boolean;
}

export type Step =
  | Change
  | { readonly kind: 'move'; readonly who: Who; readonly path: Path; readonly to: Path }
  | { readonly kind: 'commit'; readonly who: Who }
  | { readonly kind: 'apply'; readonly name: Name; readonly path: Path | undefined; /** Of the path, from 1. */ readonly hunk: number | undefined }
  | { readonly kind: 'drop'; readonly name: Name };

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
export class World implements AsyncDisposable {
  readonly #bench: TemporaryHands;
  readonly #store: BranchStore;
  readonly #stateFolder: string;
  readonly #held = new Map<Name, HeldBranch>();
  readonly #touched = new Map<Name, Map<Path, Touched>>();
  readonly #workspace = new Map<Path, Content>();
  readonly #commits = new Map<Who, Set<string>>();
  #count = 0;
  readonly figures = { applied: 0, conflicts: 0, merged: 0, commits: 0, parts: 0 };

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
    else if (next.kind === 'apply') await this.#apply(next.name, next.path, next.hunk);
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
    const ends = [token, ...lines.slice(1, -1), `end ${token}`];
    const content = {
      line: `${edited.join('\n')}\n`,
      ends: `${ends.join('\n')}\n`,
      whole: Array.from({ length: 16 }, (_, index) => `${token} ${index}\n`).join(''),
      binary: `\0${token}`,
      delete: null,
    }[kind];
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
    // A file that is renamed below a mounted branch stays the one that the branch has changed, for the kernel: a documented limit.
    if (one === 'person') copyFileSync(join(folder, from), join(folder, `${to}.tmp`));
    renameSync(join(folder, one === 'person' ? `${to}.tmp` : from), join(folder, to));
    if (one === 'person') rmSync(join(folder, from));
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

  async #apply(branch: Name, only: Path | undefined, hunk: number | undefined): Promise<void> {
    const touched = this.#touched.get(branch);
    if (touched === undefined || (only !== undefined && !touched.has(only))) return;
    this.#release(branch);
    const isPart = only !== undefined && hunk !== undefined;
    const wanted = only === undefined ? {} : { paths: [only], ...(hunk === undefined ? {} : { hunks: [{ path: only, take: [hunk] }] }) };
    const result = await this.#bench.hands.applyBranch(branch, wanted);
    // A path whose change is one of time alone, or that the workspace has too, is no change. Most changes have no hunks, or fewer.
    const may = [...(only === undefined ? [] : ['not_found']), ...(isPart ? ['wrong_type', 'invalid_arguments'] : [])];
    must(result.ok || may.includes(result.error.code), JSON.stringify(result));
    const folder = await this.#folderOf(branch);
    for (const [at, entry] of touched) {
      const seen = contentOf(folder, at);
      if (isPart && at === only && result.ok && seen !== contentOf(this.#bench.folder, at)) this.#settlePart(branch, at, entry, seen);
      else this.#settle(branch, at, entry, seen);
    }
    for (const hash of this.#commits.get(branch) ?? []) {
      const exists = async (one: Who): Promise<boolean> => (await this.#git(one, 'cat-file', '-t', hash).catch(() => '')) === 'commit';
      must((await exists('person')) || (await exists(branch)), `commit ${hash} of ${branch} is lost`);
    }
    for (const one of ['person', branch] as const) must((await this.#git(one, 'fsck', '--no-dangling')) === '', `the repository of ${one} is broken`);
    // An index with entries of both sides would name objects that are missing.
    must(/^[0-9a-f]{40}$/u.test(await this.#git('person', 'write-tree')), 'the index is mixed');
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
        must(
          bases.map(news).some((lines) => lines.every(isKept)),
          `lost: ${why}`,
        );
        for (const line of linesOf(now)) must([before, own].flatMap(linesOf).includes(line), `written by neither side: ${line}: ${why}`);
        this.figures.merged += 1;
      }
      this.#note('person', at, before, now);
      this.figures.applied += 1;
    } else if (own !== now && !bases.includes(own) && own !== null) {
      must(seen === own, `the version of the branch is lost: ${why}`);
      this.figures.conflicts += 1;
    }
    must(seen === own || seen === now, `written by neither side: ${why}`);
    if (seen !== now) return;
    if (now === before) touched?.set(at, { bases: [now], own: now, isLoose: true });
    else touched?.delete(at);
  }

  /** The same of a file of which a part was applied: the branch has all of it, and what the workspace has is a part of that. */
  #settlePart(branch: Name, at: Path, { bases, own }: Touched, seen: Content): void {
    const before = this.#workspace.get(at) ?? null;
    const now = contentOf(this.#bench.folder, at);
    const why = JSON.stringify({ branch, at, bases, own, before, now, seen });
    this.#trace.push(why);
    if (now === before) return;
    const news = (side: Content, base: Content): string[] => linesOf(side).filter((line) => !linesOf(base).includes(line));
    const isWhole = bases.some((base) => {
      const theirs = base === before ? [] : news(before, base);
      return [...theirs, ...news(own, base)].every((line) => linesOf(seen).includes(line)) && theirs.every((line) => linesOf(now).includes(line));
    });
    must(isWhole, `lost by a part: ${why}`);
    for (const line of linesOf(now)) must([before, own].flatMap(linesOf).includes(line), `written by neither side: ${line}: ${why}`);
    this.#note('person', at, before, now);
    this.#touched.get(branch)?.set(at, { bases: [now], own: seen, isLoose: false });
    this.figures.parts += 1;
  }

  #check(): void {
    for (const at of PATHS) {
      const trace = this.#trace.slice(-40).join('\n');
      must(contentOf(this.#bench.folder, at) === (this.#workspace.get(at) ?? null), `${at} in the workspace: ${trace}`);
      // Of a file that a branch has not changed, the kernel may go on showing what was replaced in the workspace since it was mounted.
      for (const [branch, held] of this.#held) {
        const touched = this.#touched.get(branch)?.get(at);
        if (touched === undefined || touched.isLoose) continue;
        must(contentOf(held.path(this.#bench.folder), at) === touched.own, `${at} in ${branch}: ${trace}`);
      }
    }
  }
}
