import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { BranchStore, type StoredBranch } from '../../branch/branch-store.ts';
import { holdBranch, isReleased, type HeldBranch } from '../../branch/hold-branch.ts';
import type { Branch } from '../../runtime/hands.ts';
import { FileLocks } from '../../workspace/file-lock.ts';
import { git } from '../git-repository.ts';
import type { TemporaryHands } from '../temporary-hands.ts';
import { Calls } from './calls.ts';
import {
  contentOf,
  contentsIn,
  fileWith,
  isExecutable,
  isLink,
  must,
  PATHS,
  putText,
  type Content,
  type Name,
  type Path,
  type Who,
} from './content.ts';
import { linesIn, wholeText } from './operations.ts';
import { Sides, type Touched } from './sides.ts';
import type { Change, Step } from './steps.ts';

/** Branches, the workspace and a person, on disk and as what they must have. */
export class World implements AsyncDisposable {
  readonly bench: TemporaryHands;
  readonly sides: Sides;
  readonly #store: BranchStore;
  readonly #stateFolder: string;
  readonly #held = new Map<Name, HeldBranch>();
  /** Branches that were mounted before the workspace was changed last: the kernel may go on showing what it had. */
  readonly #old = new Set<Name>();
  readonly #sessions = new Map<Name, Branch>();
  readonly #commits = new Map<Who, Set<string>>();
  readonly #calls: Calls;
  #count = 0;
  #commitsMade = 0;

  constructor(bench: TemporaryHands) {
    this.bench = bench;
    this.#stateFolder = join(bench.folder, '../state');
    this.#store = new BranchStore(this.#stateFolder, bench.folder);
    this.sides = new Sides(contentsIn(bench.folder));
    this.#calls = new Calls(this);
  }

  get figures(): Readonly<Record<string, number>> {
    return { ...this.sides.figures, commits: this.#commitsMade, ...this.#calls.figures() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#sessions.keys()) await this.release(name);
    for (const held of this.#held.values()) held[Symbol.dispose]();
    await this.bench[Symbol.asyncDispose]();
  }

  async run(next: Step): Promise<void> {
    this.sides.log(next);
    try {
      await this.#step(next);
      this.#check();
    } catch (error) {
      throw new Error(`${String(error)}\n${this.sides.trace()}`, { cause: error });
    }
  }

  async #step(next: Step): Promise<void> {
    if ('atomic' in next) await this.#again(next.who, async () => await this.#change(next));
    else if (next.kind === 'move') await this.#again(next.who, async () => await this.#move(next.who, next.path, next.to));
    else if (next.kind === 'commit') await this.#commit(next.who);
    else if (next.kind === 'apply') await this.#apply(next.name, next.path, next.hunk);
    else if (next.kind === 'drop') await this.#drop(next.name);
    else await this.#calls.run(next);
  }

  /** A text that nothing else writes. */
  token(one: Who): string {
    this.#count += 1;
    return `${one} ${this.#count}`;
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
    await this.release(branch);
    await isReleased((await this.stored(branch)).folder, AbortSignal.timeout(60_000));
  }

  async stored(branch: Name): Promise<StoredBranch> {
    if (!this.sides.touched.has(branch)) await this.bench.hands.createBranch(branch);
    if (!this.sides.touched.has(branch)) this.sides.touched.set(branch, new Map());
    return this.#store.get(branch);
  }

  async hold(branch: Name): Promise<HeldBranch> {
    const { folder, record } = await this.stored(branch);
    const known = this.#held.get(branch);
    if (known !== undefined) return known;
    const locks = new FileLocks(join(this.#stateFolder, 'locks'));
    const held = await holdBranch(folder, record, { stateFolder: this.#stateFolder, locks, signal: AbortSignal.timeout(60_000) });
    this.#held.set(branch, held);
    return held;
  }

  /** Hands that work where somebody does. */
  async handsOf(one: Who): Promise<TemporaryHands['hands'] | Branch> {
    if (one === 'person') return this.bench.hands;
    const known = this.#sessions.get(one);
    if (known !== undefined) return known;
    await this.stored(one);
    const session = await this.bench.hands.branch(one, { create: false });
    this.#sessions.set(one, session);
    return session;
  }

  async folderOf(one: Who): Promise<string> {
    return one === 'person' ? this.bench.folder : (await this.hold(one)).path(this.bench.folder);
  }

  /** The same, as the workspace is now. */
  async freshFolderOf(one: Who): Promise<string> {
    if (one !== 'person' && this.#old.has(one)) await this.#mountAnew(one);
    return await this.folderOf(one);
  }

  workspaceChanged(): void {
    for (const branch of this.#held.keys()) this.#old.add(branch);
  }

  async #change({ who: one, path: at, kind, line, atomic }: Change): Promise<void> {
    const folder = await this.folderOf(one);
    const before = contentOf(folder, at);
    const token = this.token(one);
    const lines = linesIn(before);
    const edited = lines.with(Math.min(line, lines.length - 1), token);
    const ends = [token, ...lines.slice(1, -1), `end ${token}`];
    const text = {
      line: `${edited.join('\n')}\n`,
      ends: `${ends.join('\n')}\n`,
      whole: wholeText(token),
      binary: `\0${token}`,
      delete: null,
    }[kind];
    if (text === null && before === null) return;
    const isNew = atomic || isLink(before);
    if (text === null) rmSync(join(folder, at));
    else {
      putText(folder, isNew ? `${at}.tmp` : at, text);
      if (isNew) renameSync(join(folder, `${at}.tmp`), join(folder, at));
    }
    this.#note(one, at, before, text === null ? null : fileWith(text, !isNew && isExecutable(before)));
  }

  #note(one: Who, at: Path, seen: Content, content: Content): void {
    this.sides.note(one, at, seen, content);
    if (one === 'person') this.workspaceChanged();
  }

  async #move(one: Who, from: Path, to: Path): Promise<void> {
    const folder = await this.folderOf(one);
    const content = contentOf(folder, from);
    const replaced = contentOf(folder, to);
    if (content === null || from === to) return;
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    // A file that is renamed below a mounted branch stays the one that the branch has changed, for the kernel: a documented limit.
    const isCopied = one === 'person' && !isLink(content);
    if (isCopied) copyFileSync(join(folder, from), join(folder, `${to}.tmp`));
    renameSync(join(folder, isCopied ? `${to}.tmp` : from), join(folder, to));
    if (isCopied) rmSync(join(folder, from));
    this.#note(one, from, content, null);
    this.#note(one, to, replaced, content);
  }

  async #git(one: Who, ...words: string[]): Promise<string> {
    if (one === 'person') return git(this.bench.folder, ...words);
    const [program, ...rest] = (await this.hold(one)).enter(['git', ...words], this.bench.folder);
    return execFileSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  }

  async #commit(one: Who): Promise<void> {
    // What the kernel goes on showing does not fit its list of the folder, on which git fails. A new mount shows all as it is.
    if (one !== 'person') await this.#mountAnew(one);
    await this.#git(one, 'add', '-A');
    await this.#git(one, 'commit', '-q', '--allow-empty', '-m', this.token(one));
    if (one === 'person') this.sides.changed('.git');
    const made = this.#commits.get(one) ?? new Set();
    this.#commits.set(one, made.add(await this.#git(one, 'rev-parse', 'HEAD')));
    this.#commitsMade += 1;
  }

  async #drop(branch: Name): Promise<void> {
    if (!this.sides.touched.has(branch)) return;
    await this.release(branch);
    await this.bench.hands.dropBranch(branch);
    this.sides.forget(branch);
    this.#commits.delete(branch);
    this.#calls.forget(branch);
  }

  async release(branch: Name): Promise<void> {
    await this.#sessions.get(branch)?.[Symbol.asyncDispose]();
    this.#sessions.delete(branch);
    this.#held.get(branch)?.[Symbol.dispose]();
    this.#held.delete(branch);
    this.#old.delete(branch);
  }

  /** Checks that each commit of a branch is still in a repository. */
  async #checkCommits(branch: Name): Promise<void> {
    for (const hash of this.#commits.get(branch) ?? []) {
      const exists = async (one: Who): Promise<boolean> => (await this.#git(one, 'cat-file', '-t', hash).catch(() => '')) === 'commit';
      must((await exists('person')) || (await exists(branch)), `commit ${hash} of ${branch} is lost`);
    }
  }

  /** Compares what applying a branch made of each path. @returns the paths of which a part was applied */
  async #settle(branch: Name, touched: ReadonlyMap<Path, Touched>, part: Path | undefined): Promise<Path[]> {
    const folder = await this.folderOf(branch);
    const parts: Path[] = [];
    for (const at of PATHS.filter((one) => touched.has(one))) {
      const outcome = { seen: contentOf(folder, at), now: contentOf(this.bench.folder, at) };
      if (at === part && outcome.seen !== outcome.now) {
        this.sides.settlePart(branch, at, outcome);
        parts.push(at);
      } else this.sides.settle(branch, at, outcome);
    }
    return parts;
  }

  async #apply(branch: Name, only: Path | undefined, hunk: number | undefined): Promise<void> {
    const touched = this.sides.touched.get(branch);
    if (touched === undefined || (only !== undefined && !touched.has(only))) return;
    await this.release(branch);
    const before = new Map(this.sides.workspace);
    const isPart = only !== undefined && hunk !== undefined;
    const hunks = isPart ? { hunks: [{ path: only, take: [hunk] }] } : {};
    const wanted = only === undefined ? {} : { paths: [only], ...hunks };
    const result = await this.bench.hands.applyBranch(branch, wanted);
    // A path whose change is one of time alone, or that the workspace has too, is no change. Most changes have no hunks, or fewer.
    const may = [...(only === undefined ? [] : ['not_found']), ...(isPart ? ['wrong_type', 'invalid_arguments'] : [])];
    must(result.ok || may.includes(result.error.code), JSON.stringify(result));
    const parts = await this.#settle(branch, touched, isPart && result.ok ? only : undefined);
    this.sides.changed('.git');
    if (result.ok) this.#calls.made('person', result.meta.callId, before, this.sides.workspace, { branch, touched, parts });
    this.workspaceChanged();
    await this.#checkCommits(branch);
    await this.checkRepositories('person', branch);
  }

  /** An apply was taken back: with what the repository had before, its commits may be gone. */
  forgetCommits(branch: Name): void {
    this.#commits.delete(branch);
  }

  async checkRepositories(...all: readonly Who[]): Promise<void> {
    for (const one of all) must((await this.#git(one, 'fsck', '--no-dangling')) === '', `the repository of ${one} is broken`);
    // An index with entries of both sides would name objects that are missing.
    must(/^[0-9a-f]{40}$/u.test(await this.#git('person', 'write-tree')), 'the index is mixed');
  }

  #check(): void {
    for (const at of PATHS) {
      must(
        contentOf(this.bench.folder, at) === (this.sides.workspace.get(at) ?? null),
        `${at} in the workspace is ${JSON.stringify(contentOf(this.bench.folder, at))}`,
      );
      // Of a file that a branch has not changed, the kernel may go on showing what was replaced in the workspace since it was mounted.
      for (const [branch, held] of this.#held) {
        const touched = this.sides.touched.get(branch)?.get(at);
        if (touched === undefined || touched.isLoose) continue;
        const seen = contentOf(held.path(this.bench.folder), at);
        must(seen === touched.own, `${at} in ${branch} is ${JSON.stringify(seen)} in place of ${JSON.stringify(touched.own)}`);
      }
    }
  }
}
