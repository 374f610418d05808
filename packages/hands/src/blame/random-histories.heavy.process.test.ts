import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { queryAudit } from '../audit/query-audit.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { blameFile } from './blame-file.ts';

const FIRST = 30;

/** A line of the file, and who wrote it: a name of a call, `before`, or `person-or-other`. */
interface Line {
  readonly text: string;
  readonly by: string;
}

type Random = (limit: number) => number;

/** Numbers that look random, the same for each seed. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (limit) => (state = (state * 48_271) % 2_147_483_647) % limit;
}

interface Replacing {
  readonly path: string;
  readonly text: string;
  readonly old: string;
  readonly fresh: string;
}

/** A call that replaces a line, in four ways. */
const REPLACING: ReadonlyArray<(given: Replacing) => readonly [tool: string, input: object]> = [
  ({ path, old, fresh }) => ['edit_file', { path, edits: [{ old_text: `${old}\n`, new_text: `${fresh}\n` }] }],
  ({ path, text, old, fresh }) => ['write_file', { path, content: text.replace(`${old}\n`, () => `${fresh}\n`) }],
  ({ path, old, fresh }) => ['run_command', { command: `sed -i 's/^${old}$/${fresh}/' ${path}` }],
  ({ path, old, fresh }) => ['run_command', { command: `sed 's/^${old}$/${fresh}/' ${path} > new.tmp && mv new.tmp ${path}` }],
];

/** A workspace with one file, and what is true of its lines. */
class Story {
  readonly #at: TemporaryHands;
  readonly #next: Random;
  #path = 'a.txt';
  #lines: readonly Line[];
  #step = 0;
  /** The file before the last call, if nothing else changed it since. */
  #before: { readonly path: string; readonly lines: readonly Line[] } | undefined;
  readonly done: string[] = [];

  constructor(at: TemporaryHands, seed: number, lines: readonly Line[]) {
    this.#at = at;
    this.#next = randomFrom(seed);
    this.#lines = lines;
  }

  get #text(): string {
    return this.#lines.map(({ text }) => `${text}\n`).join('');
  }

  /** A place of a line, not beside another one. */
  #place(others: readonly number[] = []): number {
    const free = this.#lines.map((_, at) => at).filter((at) => others.every((other) => Math.abs(other - at) > 2));
    return free[this.#next(free.length)] ?? 0;
  }

  #replace(at: number, text: string, by: string): void {
    this.#lines = this.#lines.toSpliced(at, 1, { text, by });
  }

  #named(tool: string, input: object): { readonly name: string; readonly input: object } {
    this.#before = { path: this.#path, lines: this.#lines };
    this.done.push(`${this.#step} ${tool} ${JSON.stringify(input)}`);
    return { name: tool, input };
  }

  async #call(tool: string, input: object): Promise<string> {
    const called = this.#named(tool, input);
    const result = await this.#at.hands.call<string>(called.name, called.input);
    if (!result.ok) throw new Error(result.error.message);
    // What a call left is kept at the end of the turn in which it was answered.
    await new Promise((resolve) => setImmediate(resolve));
    return result.meta.callId;
  }

  /** A line, its replacement, and the call for that. */
  #replacing(at: number, text: string, more = ''): { readonly fresh: string; readonly tool: string; readonly input: object } {
    const fresh = `step ${this.#step}${more}${' z'.repeat(this.#next(3) * 50)}`;
    const make = REPLACING[this.#next(REPLACING.length)];
    const [tool, input] = make?.({ path: this.#path, text, old: this.#lines[at]?.text ?? '', fresh }) ?? ['', {}];
    return { fresh, tool, input };
  }

  readonly #kinds: ReadonlyArray<() => Promise<void> | void> = [
    () => this.#person(),
    () => this.#edit(),
    () => this.#edit(),
    () => this.#format(),
    () => this.#move(),
    () => this.#undo(),
    () => this.#program(),
    () => this.#branch(),
  ];

  async step(): Promise<void> {
    this.#step += 1;
    // What was changed before the first call is from before.
    await (this.#step === 1 ? this.#edit() : this.#kinds[this.#next(this.#kinds.length)]?.());
  }

  #person(others: readonly number[] = []): void {
    const at = this.#place(others);
    this.#replace(at, `person ${this.#step}`, 'person-or-other');
    this.done.push(`${this.#step} person ${at}`);
    this.#before = undefined;
    writeFileSync(this.#at.at(this.#path), this.#text);
  }

  async #edit(): Promise<void> {
    const at = this.#place();
    const { fresh, tool, input } = this.#replacing(at, this.#text);
    this.#replace(at, fresh, await this.#call(tool, input));
  }

  /** A command that changes how two lines are laid out. */
  async #format(): Promise<void> {
    const one = this.#place();
    const places = [one, this.#place([one])];
    const command = `sed -i -E '${places.map((at) => `${at + 1}s/^ *(.*[^;]);*$/  \\1;/`).join(';')}' ${this.#path}`;
    const old = this.#lines;
    const call = await this.#call('run_command', { command });
    for (const at of places) {
      const { text, by } = old[at] ?? { text: '', by: '' };
      const laidOut = `  ${text.replace(/^ +/u, '').replace(/;+$/u, '')};`;
      const isHuman = ['before', 'person-or-other'].includes(by);
      if (laidOut !== text) this.#replace(at, laidOut, `${call} over ${isHuman ? by : (by.split(' over ').at(-1) ?? '')}`);
    }
  }

  async #move(): Promise<void> {
    const to = `${['', 'folder/', 'other/'][this.#next(3)] ?? ''}${this.#step}.txt`;
    const isCommand = this.#next(2) === 0;
    const folder = to.includes('/') ? `mkdir -p ${to.slice(0, to.indexOf('/'))} && ` : '';
    if (isCommand) await this.#call('run_command', { command: `${folder}mv ${this.#path} ${to}` });
    else await this.#call('move_path', { from: this.#path, to });
    this.#path = to;
  }

  async #undo(): Promise<void> {
    if (this.#before === undefined) return this.#person();
    const { path, lines } = this.#before;
    const undone = await this.#at.hands.undo({ last: 1 });
    if (!undone.ok) throw new Error(undone.error.message);
    await new Promise((resolve) => setImmediate(resolve));
    this.done.push(`${this.#step} undo`);
    this.#path = path;
    this.#lines = lines;
    this.#before = undefined;
  }

  async #program(): Promise<void> {
    const code: string[] = [];
    const made: Array<{ readonly at: number; readonly fresh: string }> = [];
    let text = this.#text;
    const before = this.#lines;
    for (let part = 0; part < 2; part += 1) {
      const at = this.#place(made.map((one) => one.at));
      const { fresh, tool, input } = this.#replacing(at, text, ` part ${part}`);
      text = text.replace(`${this.#lines[at]?.text ?? ''}\n`, () => `${fresh}\n`);
      code.push(`await hands.${tool}(${JSON.stringify(input)});`);
      made.push({ at, fresh });
    }
    this.#lines = before;
    const program = await this.#call('run_program', { code: code.join('\n') });
    const calls = [...queryAudit(join(this.#at.folder, '..', 'state'), this.#at.folder, { parent: program })].toReversed();
    for (const [index, { at, fresh }] of made.entries()) this.#replace(at, fresh, calls[index]?.call ?? '');
  }

  async #branch(): Promise<void> {
    const before = { path: this.#path, lines: this.#lines };
    const name = `branch-${this.#step}`;
    const places: number[] = [];
    {
      await using branch = await this.#at.hands.branch(name);
      let text = this.#text;
      for (let part = 0; part <= this.#next(3); part += 1) {
        const at = this.#place(places);
        places.push(at);
        const { fresh, tool, input } = this.#replacing(at, text, ` part ${part}`);
        text = text.replace(`${this.#lines[at]?.text ?? ''}\n`, () => `${fresh}\n`);
        this.done.push(`${this.#step} in branch: ${tool} ${JSON.stringify(input)}`);
        const result = await branch.call<string>(tool, input);
        if (!result.ok) throw new Error(result.error.message);
        this.#replace(at, fresh, result.meta.callId);
      }
    }
    const inBranch = this.#lines;
    // A person changes the workspace meanwhile.
    this.#lines = before.lines;
    if (this.#next(2) === 0) this.#person(places);
    for (const at of places) this.#lines = this.#lines.toSpliced(at, 1, inBranch[at] ?? { text: '', by: '' });
    const applied = await this.#at.hands.applyBranch(name);
    if (!applied.ok || applied.data.conflicts.length > 0) throw new Error('not applied');
    await this.#at.hands.dropBranch(name);
    await new Promise((resolve) => setImmediate(resolve));
    this.done.push(`${this.#step} applied`);
    this.#before = undefined;
  }

  /** The lines whose text or writer is another one than what was done. */
  async wrong(): Promise<string[]> {
    const blamed = await blameFile(this.#at.folder, join(this.#at.folder, '..', 'state'), this.#path);
    const told = blamed.map(({ text, by, call, formatted }): Line => {
      const over = formatted === undefined ? '' : ` over ${formatted.call ?? formatted.by}`;
      return { text, by: `${by === 'hands' ? (call ?? 'hands') : by}${over}` };
    });
    const isAll = told.length === this.#lines.length && readFileSync(this.#at.at(this.#path), 'utf8') === this.#text;
    const wrong = told.flatMap(({ text, by }, at) => {
      const line = this.#lines[at];
      return line?.text === text && line.by === by ? [] : [`${text}: ${by}, not ${line?.text ?? ''}: ${line?.by ?? ''}`];
    });
    return isAll ? wrong : ['other lines', ...wrong];
  }
}

it.each((process.env['BLAME_SEEDS'] ?? '1,2,3,4').split(',').map(Number))(
  'names the call that wrote each line, in the random history %i',
  async (seed) => {
    const lines = Array.from({ length: FIRST }, (_, at): Line => ({ text: `line ${at}`, by: 'before' }));
    await using at = await temporaryHands({ 'a.txt': lines.map(({ text }) => `${text}\n`).join('') });
    const story = new Story(at, seed * 7_919, lines);
    for (let step = 0; step < 20; step += 1) {
      await story.step();
      expect(await story.wrong(), story.done.join('\n')).toEqual([]);
    }
  },
  120_000,
);
