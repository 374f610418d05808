import { execFileSync } from 'node:child_process';
import { isSynapseError, type CallResult } from '@synapse/protocol';
import { UnrecordedChanges } from '../../branch/note-unrecorded.ts';
import type { Approver } from '../../approval/approver.ts';
import {
  contentsIn,
  differing,
  fileWith,
  isExecutable,
  isLink,
  must,
  PATHS,
  textOf,
  type Content,
  type Contents,
  type Name,
  type Path,
  type Who,
} from './content.ts';
import { linesIn, perform, shellOf, wholeText, type Operation } from './operations.ts';
import type { Touched } from './sides.ts';
import type { Call, Step } from './steps.ts';
import type { World } from './world.ts';

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };
const LATER: Approver = { name: 'later', ask: async () => ({ verdict: 'later' }) };

/** What the call was that applied a branch. */
interface Applied {
  readonly branch: Name;
  /** What the branch had changed then, and the paths of which a part was applied. */
  readonly touched: Map<Path, Touched>;
  readonly parts: readonly Path[];
}

interface Made {
  readonly call: string;
  readonly before: Contents;
  readonly after: Contents;
  readonly changed: readonly Path[];
  /** How often each path was changed when it ended, as this tells whether something else changed it since. */
  readonly times: ReadonlyMap<Path | '.git', number>;
  readonly applied?: Applied | undefined;
}

type UndoResult = Awaited<ReturnType<Awaited<ReturnType<World['handsOf']>>['undo']>>;

interface Waiting {
  readonly handle: string;
  readonly before: Contents;
  readonly own: Contents;
}

/** Calls of hands in the workspace and in branches, what waits of them, and what takes them back. */
export class Calls {
  readonly #world: World;
  readonly #made = new Map<Who, Made[]>();
  readonly #waiting = new Map<Who, Waiting[]>();
  readonly #figures = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  figures(): Record<string, number> {
    return Object.fromEntries([...this.#figures].toSorted(([one], [other]) => one.localeCompare(other)));
  }

  #count(name: string): void {
    this.#figures.set(name, (this.#figures.get(name) ?? 0) + 1);
  }

  forget(branch: Name): void {
    this.#made.delete(branch);
    this.#waiting.delete(branch);
  }

  async run(step: Exclude<Step, { kind: 'line' | 'ends' | 'whole' | 'binary' | 'delete' | 'move' | 'commit' | 'apply' | 'drop' }>): Promise<void> {
    if (step.kind === 'call') await this.#call(step);
    else if (step.kind === 'undo') await this.#undo(step.who, step.back);
    else if (step.kind === 'pending') await this.#settlePending(step.who, step.take);
    else if (step.kind === 'resolve') await this.#resolve(step.name, step.take);
    else await this.#past(step.name, step.back);
  }

  /** Notes a call that changed something, which can be taken back. */
  made(one: Who, call: string, before: Contents, after: Contents, applied?: Applied): void {
    const changed = differing(before, after);
    if (changed.length === 0) return;
    const { sides } = this.#world;
    const times = new Map(([...PATHS, '.git'] as const).map((at) => [at, sides.changedTimes(at)]));
    const all = this.#made.get(one) ?? [];
    this.#made.set(one, all);
    all.push({ call, before, after: new Map(after), changed, times, applied });
  }

  #noteAll(one: Who, before: Contents, after: Contents): void {
    this.#world.sides.noteAll(one, before, after);
    if (one === 'person') this.#world.workspaceChanged();
  }

  async #call({ who, as, operations }: Call): Promise<void> {
    if (as === 'own' && who === 'person') return;
    if (as !== 'file') {
      await this.#run(who, as, operations);
      return;
    }
    for (const operation of operations) await this.#run(who, as, [operation]);
  }

  async #run(who: Who, as: Call['as'], operations: readonly Operation[]): Promise<void> {
    const folder = await this.#world.freshFolderOf(who);
    const before = contentsIn(folder);
    const expected = new Map(before);
    const tokens = operations.map(() => this.#world.token(who));
    for (const [index, operation] of operations.entries()) perform(expected, operation, tokens[index] ?? '');
    const shell = operations.map((operation, index) => shellOf(operation, tokens[index] ?? '')).join('\n');
    this.#count(as);
    if (as === 'own' && who !== 'person') {
      await this.#own(who, shell);
    } else {
      const result = await this.#deliver(who, as, { operations, tokens, shell, before });
      if (this.#isUnchanged(who, as, result, { before, expected })) {
        this.#same(before, contentsIn(await this.#world.folderOf(who)), `${as} by ${who}: ${JSON.stringify(result)}`);
        return;
      }
      this.made(who, result.meta.callId, before, expected);
    }
    this.#same(expected, contentsIn(await this.#world.folderOf(who)), `${as} by ${who}`);
    this.#noteAll(who, before, expected);
  }

  #same(expected: Contents, found: Contents, why: string): void {
    for (const at of differing(expected, found))
      must(false, `${at} is ${JSON.stringify(found.get(at))} in place of ${JSON.stringify(expected.get(at))} after ${why}`);
  }

  /** Whether a call must have changed nothing. */
  #isUnchanged(who: Who, as: Call['as'], result: CallResult, { before, expected }: { before: Contents; expected: Contents }): boolean {
    const { pending } = result.meta;
    if (pending !== undefined) {
      must(as === 'later', `pending: ${JSON.stringify(result)}`);
      const waiting = this.#waiting.get(who) ?? [];
      this.#waiting.set(who, waiting);
      waiting.push({ handle: pending, before, own: expected });
      this.#count('waiting');
      return true;
    }
    if (!result.ok) {
      this.#count(`${as} ${result.error.code}`);
      this.#world.sides.log(result.error);
      return true;
    }
    return as === 'tried' || as === 'failing';
  }

  async #own(branch: Name, shell: string): Promise<void> {
    const held = await this.#world.hold(branch);
    using _changes = await UnrecordedChanges.begin((await this.#world.stored(branch)).folder, held);
    const [program, ...words] = held.enter(['/bin/sh', '-ec', shell], this.#world.bench.folder);
    execFileSync(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async #deliver(
    who: Who,
    as: Call['as'],
    { operations, tokens, shell, before }: { operations: readonly Operation[]; tokens: readonly string[]; shell: string; before: Contents },
  ): Promise<CallResult> {
    const hands = await this.#world.handsOf(who);
    const [first] = operations;
    if (as === 'file' && first !== undefined) {
      const [tool, input] = fileCall(first, tokens[0] ?? '', before) ?? ['run_command', { command: shell }];
      return await hands.call(tool, input, { approver: YES });
    }
    if (as === 'command' || as === 'later' || (as === 'tried' && operations.length === 1))
      return await hands.call('run_command', { command: shell }, { approver: as === 'later' ? LATER : YES, dryRun: as === 'tried' });
    const calls = operations.map((operation, index) => {
      const token = tokens[index] ?? '';
      const [tool, input] =
        operation.kind === 'whole' && !isLink(before.get(operation.path) ?? null) && operations.length === 1
          ? ['write_file', { path: operation.path, content: wholeText(token) }]
          : ['run_command', { command: shellOf(operation, token) }];
      return `await hands.${tool}(${JSON.stringify(input)});`;
    });
    const code = [...calls, ...(as === 'failing' ? ['throw new Error("no")'] : [])].join('\n');
    return await hands.call('run_program', { code }, { approver: YES, dryRun: as === 'tried' });
  }

  /** Takes a call back; undefined if hands refuse to try. */
  async #tryUndo(who: Who, call: string): Promise<UndoResult | undefined> {
    const hands = await this.#world.handsOf(who);
    try {
      return await hands.undo({ call }, { approver: YES });
    } catch (error) {
      if (!isSynapseError(error)) throw error;
      this.#count(`undo ${error.code}`);
      must(who !== 'person' || error.code !== 'not_found', `the call is gone: ${error.message}`);
      return undefined;
    }
  }

  /** Checks that a call could not be taken back because something else changed one of its places. */
  #checkLeft(who: Who, made: Made, why: string): void {
    // A folder that was deleted is put back as a whole, where nothing is by now.
    const near = PATHS.filter((at) => made.changed.some((one) => one.split('/')[0] === at.split('/')[0]));
    const places: Array<Path | '.git'> = [...near, ...(made.applied === undefined ? [] : ['.git' as const])];
    const isTouched = who !== 'person' || places.some((at) => this.#world.sides.changedTimes(at) !== made.times.get(at));
    must(isTouched, `not undone: ${why}`);
  }

  async #undo(who: Who, back: number): Promise<void> {
    const all = this.#made.get(who) ?? [];
    const made = all.at(-1 - (back % Math.max(all.length, 1)));
    if (made === undefined) return;
    const { sides } = this.#world;
    const before = contentsIn(await this.#world.freshFolderOf(who));
    const result = await this.#tryUndo(who, made.call);
    if (result === undefined) return;
    const after = contentsIn(await this.#world.folderOf(who));
    const why = `undo by ${who} of ${JSON.stringify({ call: made.call, changed: made.changed })}: ${JSON.stringify(result)}`;
    if (!result.ok || result.data.left.length > 0) {
      this.#count('undo refused');
      this.#same(before, after, why);
      this.#checkLeft(who, made, why);
      return;
    }
    this.#count(made.applied === undefined ? `undo ${who === 'person' ? 'in the workspace' : 'in a branch'}` : 'undo of an apply');
    const expected = new Map(before);
    for (const at of made.changed) {
      must((before.get(at) ?? null) === (made.after.get(at) ?? null), `took back a change of something else: ${at}: ${why}`);
      expected.set(at, made.before.get(at) ?? null);
    }
    this.#same(expected, after, why);
    this.#noteAll(who, before, after);
    all.splice(all.indexOf(made), 1);
    if (who === 'person') sides.changed('.git');
    this.made(who, result.meta.callId, before, after);
    if (made.applied === undefined) return;
    const { branch, touched, parts } = made.applied;
    for (const at of parts) sides.partTakenBack(touched, at);
    this.#world.forgetCommits(branch);
    await this.#world.checkRepositories('person');
  }

  async #settlePending(who: Who, take: boolean): Promise<void> {
    const waiting = this.#waiting.get(who) ?? [];
    const first = waiting.shift();
    if (first === undefined) return;
    const { handle, before: base, own } = first;
    const before = contentsIn(await this.#world.freshFolderOf(who));
    const hands = await this.#world.handsOf(who);
    if (!take) {
      await hands.dropPending(handle);
      this.#same(before, contentsIn(await this.#world.folderOf(who)), 'dropped');
      this.#count('pending dropped');
      return;
    }
    const result = await hands.applyPending(handle);
    must(result.ok, JSON.stringify(result));
    if (!result.ok) return;
    const after = contentsIn(await this.#world.folderOf(who));
    for (const at of differing(before, after)) {
      const sides = { at, base: base.get(at), own: own.get(at), before: before.get(at), after: after.get(at) };
      must(sides.after === sides.own && sides.before === sides.base, `lost by pending changes: ${JSON.stringify(sides)}`);
    }
    for (const at of differing(base, own))
      if (result.data.conflicts.length === 0)
        must((after.get(at) ?? null) === (own.get(at) ?? null), `not applied: ${at}: ${JSON.stringify(result)}`);
    // A person who applies them again has seen what the workspace has now.
    for (const other of new Set(result.data.conflicts.map((one) => one.handle))) {
      const left = differing(base, own).filter((at) => result.data.conflicts.some(({ path }) => `${at}/`.startsWith(`${path}/`)));
      waiting.push({ handle: other, before: after, own: new Map([...after, ...left.map((at) => [at, own.get(at) ?? null] as const)]) });
    }
    this.#count(result.data.conflicts.length > 0 ? 'pending conflict' : 'pending applied');
    this.#noteAll(who, before, after);
    if (result.data.applied > 0) this.made(who, result.meta.callId, before, after);
  }

  async #resolve(branch: Name, take: 'branch' | 'workspace' | 'merged'): Promise<void> {
    const { sides, bench } = this.#world;
    const touched = sides.touched.get(branch);
    if (touched === undefined) return;
    await this.#world.release(branch);
    const { conflicts } = await bench.hands.showBranch(branch);
    const paths = new Set(conflicts.map(({ path }) => path));
    const at = PATHS.find((path) => paths.has(path));
    if (at === undefined) return;
    const [own, other] = [touched.get(at)?.own ?? null, sides.workspace.get(at) ?? null];
    const text = `${this.#world.token(branch)} merged\n`;
    const isMerged = take === 'merged' && ![own, other].some(isLink);
    const side = take === 'workspace' ? 'workspace' : 'branch';
    const result = await bench.hands.resolveBranch(branch, at, isMerged ? { content: Buffer.from(text) } : side);
    must(result.ok, JSON.stringify(result));
    const merged: Content = fileWith(text, isExecutable(other ?? own));
    sides.choose(branch, at, isMerged ? merged : side === 'branch' ? own : other);
    this.#count(`resolve ${isMerged ? 'merged' : side}`);
  }

  async #past(branch: Name, back: number): Promise<void> {
    const { sides, bench } = this.#world;
    const all = this.#made.get('person') ?? [];
    const made = all.at(-1 - (back % Math.max(all.length, 1)));
    if (made === undefined || sides.touched.has(branch)) return;
    await bench.hands.createBranch(branch, { at: made.call });
    const touched = new Map<Path, Touched>();
    sides.touched.set(branch, touched);
    this.#count('past');
    const seen = contentsIn(await this.#world.folderOf(branch));
    const isKnown = [...made.changed].every((at) => sides.changedTimes(at) === made.times.get(at));
    for (const at of differing(sides.workspace, seen)) {
      touched.set(at, { bases: [sides.workspace.get(at) ?? null], own: seen.get(at) ?? null, isLoose: false });
    }
    if (!isKnown) return;
    for (const at of made.changed)
      must((seen.get(at) ?? null) === (made.before.get(at) ?? null), `${at} before ${made.call} is ${JSON.stringify(seen.get(at))}`);
  }
}

/** The call of a tool for files that does an operation; undefined if there is none. */
function fileCall(operation: Operation, token: string, before: Contents): readonly [tool: string, input: Record<string, unknown>] | undefined {
  if (operation.kind === 'folder' || isLink(before.get(operation.path) ?? null)) return undefined;
  const { kind, path } = operation;
  const now = before.get(path) ?? null;
  if (kind === 'whole') return ['write_file', { path, content: wholeText(token) }];
  if (now === null) return undefined;
  if (kind === 'remove') return ['delete_file', { path }];
  if (kind !== 'line') return undefined;
  const line = linesIn(now)[operation.line];
  if (line === undefined || line === '' || textOf(now).split(line).length !== 2) return undefined;
  return ['edit_file', { path, edits: [{ old_text: line, new_text: token }] }];
}
