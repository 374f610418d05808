import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS } from './attack-table.ts';
import type { Attack } from './attack.ts';
import { RESOURCES } from './resource-attacks.ts';
import { DOORS, memoryOf, openBranch, openCliProcess, type Answer, type Door } from './doors.ts';
import { buildPlace, type Place } from './place.ts';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { listTree } from './list-tree.ts';

/** The most an answer may hold: 50 KiB for the model, twice where a door also gives the typed value, and escapes. */
const MAX_ANSWER = 400_000;
/** What a hostile file may cost beyond what the process already used. */
const MAX_MORE_MEMORY = 64 * 1024 * 1024;

function judge(attack: Attack, answer: Answer): void {
  if (attack.verdict === 'allow' || attack.verdict === 'limit') expect(answer, answer.text.slice(0, 500)).toMatchObject({ ok: true });
  if (attack.verdict === 'deny' || attack.verdict === 'missing') expect(answer, answer.text.slice(0, 500)).toMatchObject({ ok: false });
  if (attack.verdict === 'missing' && answer.code !== undefined) expect(answer.code).toBe('not_found');
  // A refusal is a decision, never a crash that happens to look like one.
  expect(answer.code).not.toBe('internal');
  expect(answer.code).not.toBe('timeout');
  expect(answer.text.length).toBeLessThan(MAX_ANSWER);
  if (attack.says !== undefined) expect(answer.text.replaceAll('\\\\', '\\')).toContain(attack.says);
}

/** Rows that get a process of their own, which takes long: those about memory and time, one in twenty of the others, and one for each verdict. */
const SAMPLE = ATTACKS.filter(
  (attack, index) => RESOURCES.includes(attack) || index % 20 === 0 || ATTACKS.find(({ verdict }) => verdict === attack.verdict) === attack,
);

/** The doors whose process answers all calls, and no test. Only their memory can be measured. */
const MEASURED: ReadonlySet<string> = new Set(['mcp', 'mcp-http']);

it('the memory that a call takes in another process is seen, and would fail', async () => {
  const take = `process.stdin.once('data', () => { Buffer.alloc(${2 * MAX_MORE_MEMORY}, 1); console.log('taken'); }); console.log('ready');`;
  const child = spawn(process.execPath, ['-e', take], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  const { reset, peak } = memoryOf(() => child.pid);
  const before = reset();
  child.stdin.write('x');
  await once(lines, 'line');
  expect(peak() - before).toBeGreaterThanOrEqual(MAX_MORE_MEMORY);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

/** Branches need what commands on a copy need. */
const BRANCH = (await findBubblewrap()) === undefined ? [] : [['branch', (place: Place) => openBranch(place), ATTACKS] as const];

describe.each([
  ...Object.entries(DOORS).map(([name, open]) => [name, open, ATTACKS] as const),
  ['cli-process', openCliProcess, SAMPLE] as const,
  ...BRANCH,
])('attacks through the %s door', (name, open, attacks) => {
  let place: Place;
  let door: Door;
  let outside: string;
  let workspace: string;
  let seen: Place;

  beforeAll(async () => {
    place = await buildPlace();
    workspace = listTree(place.root);
    door = await open(place);
    const { view } = door;
    seen = view === undefined ? place : { ...place, at: (path) => join(view, path) };
    await door.call('read_file', { path: 'ok.txt' });
    outside = place.outsideHash();
  }, 120_000);
  afterAll(async () => {
    await door[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  it('is measured if its process answers all calls', () => {
    expect(door.memory !== undefined).toBe(MEASURED.has(name));
  });

  it.for(attacks.map((attack) => [attack.id, attack] as const))('%s', async ([, attack], { skip }) => {
    // A visible skip: a row that could not be tried has not passed.
    if (attack.needs?.(seen) === false) skip();
    const before = door.memory?.reset();
    const answer = await door.call(attack.tool, attack.input(place));
    // Rows that send megabytes themselves are left out: there the arguments are what is large.
    if (door.memory !== undefined && before !== undefined && RESOURCES.includes(attack) && attack.id !== 'C29')
      expect(door.memory.peak() - before).toBeLessThan(MAX_MORE_MEMORY);
    judge(attack, answer);
    expect(answer.text).not.toContain(place.secret);
    expect(place.outsideHash()).toBe(outside);
    if (attack.after !== undefined) expect(attack.after(seen)).toBe(true);
    if (door.lasting) expect(await door.call('file_info', { path: 'ok.txt' })).toMatchObject({ ok: true });
  });

  // The rows that get a process of their own may change nothing.
  it.skipIf(name === 'cli-process')('changes the workspace, but not from a branch', () => {
    expect(listTree(place.root) === workspace).toBe(door.view !== undefined);
  });
});
