import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { startChatServer, type ChatBody, type ChatServer, type Scripted } from '../agent/scripted-chat.ts';
import { makePlace, outcome, runCli, runCliProcess, startCli, type Place } from './run-cli.ts';
import { onTerminal } from './talk.ts';

const works = (await findBubblewrap()) !== undefined;

const call = (id: string, name: string, input: unknown): Scripted => ({ kind: 'calls', calls: [{ id, name, input: JSON.stringify(input) }] });
const say = (text: string): Scripted => ({ kind: 'text', text });
const write = (id: string, content: string): Scripted => call(id, 'write_file', { path: 'a.txt', content });

/** A server whose models answer by their name and the number of calls they have made. */
const models = async (script: (model: string, turn: number) => Scripted | Promise<Scripted>): Promise<ChatServer> =>
  await startChatServer(async (body: ChatBody) => {
    const turn = body.messages.filter(({ role }) => role === 'assistant').length;
    return await script(String(body['model']), turn);
  });

const Report = z.looseObject({
  attempts: z.array(
    z.looseObject({
      branch: z.string(),
      model: z.string().nullable(),
      status: z.string(),
      session: z.string().nullable(),
      calls: z.number(),
      changes: z.number(),
      check: z.looseObject({ passed: z.boolean(), ending: z.string() }).nullable(),
    }),
  ),
  applied: z.looseObject({ branch: z.string() }).nullable(),
  kept: z.array(z.string()),
  dropped: z.array(z.string()),
});

const place = (): Promise<Place> => makePlace({ 'a.txt': 'wrong\n', 'b.txt': 'beta\n' });
const words = (server: ChatServer, ...more: string[]): string[] => ['run', 'Fix a.txt', '--base-url', server.url, ...more];
const content = ({ folder }: Place): string => readFileSync(join(folder, 'a.txt'), 'utf8');
const branches = async (at: Place): Promise<string[]> =>
  z
    .array(z.looseObject({ name: z.string() }))
    .parse(JSON.parse((await runCli(at, ['branch', '--json'])).out))
    .map(({ name }) => name);
const sessions = async (at: Place) =>
  z
    .looseObject({ sessions: z.array(z.looseObject({ id: z.string(), status: z.string(), branch: z.string().optional(), calls: z.number() })) })
    .parse(JSON.parse((await runCli(at, ['sessions', '--json'])).out)).sessions;

describe.skipIf(!works)('a session in a branch', () => {
  it.each(['overlay', 'folder'])('is listed with its branch, and continues in it, kept as %s', async (backEnd) => {
    const at = await place();
    at.environment['SYNAPSE_BRANCHES'] = backEnd;
    await runCli(at, ['branch', 'new', 'fix']);
    await using server = await startChatServer((_, index) =>
      index % 2 === 0 ? call(String(index), 'write_file', { path: `made-${index}.txt`, content: 'x' }) : say('Done.'),
    );
    const model = ['--base-url', server.url, '--model', 'scripted', '--yes'];
    expect((await runCliProcess(at, ['run', 'Make it', ...model, '--branch', 'fix'])).code).toBe(0);
    const [session] = await sessions(at);
    expect(session).toMatchObject({ branch: 'fix', task: 'Make it', status: 'done' });
    const id = session?.id ?? '';
    expect((await runCli(at, ['sessions'])).out).toMatch(/scripted {2}fix {2}Make it/u);

    const resumed = await runCliProcess(at, ['resume', '--yes']);
    expect([resumed.code, resumed.out]).toEqual([0, 'Done.\n']);
    expect(JSON.parse((await runCli(at, ['branch', '--json'])).out)).toMatchObject([{ changes: 2 }]);
    expect(existsSync(join(at.folder, 'made-2.txt'))).toBe(false);

    await runCli(at, ['branch', 'drop', 'fix', '--yes']);
    expect(await runCliProcess(at, ['resume', id])).toMatchObject({ code: 5, err: expect.stringContaining('branch fix of the session') as string });
    await runCli(at, ['branch', 'new', 'other']);
    const elsewhere = await runCliProcess(at, ['resume', id, '--branch', 'other']);
    expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining('works in the branch fix') as string });
  });
});

describe.skipIf(!works)('a session in a branch whose command line is killed', () => {
  it('ends with it, and continues', async () => {
    const at = await place();
    await runCli(at, ['branch', 'new', 'fix']);
    const reached = Promise.withResolvers<void>();
    await using server = await models(async (_, turn) => {
      if (turn === 0) return write('1', 'half\n');
      reached.resolve();
      return await new Promise<Scripted>(() => {});
    });
    const child = startCli(at, words(server, '--model', 'one', '--branch', 'fix', '--yes'));
    await reached.promise;
    child.kill('SIGKILL');
    // Its stdin stays open, as that of a client that kills its server.
    await expect.poll(async () => (await sessions(at)).map(({ status }) => status)).toEqual(['cancelled']);
    await expect.poll(async () => JSON.parse((await runCli(at, ['branch', '--json'])).out) as unknown).toMatchObject([{ changes: 1, in_use: false }]);
    expect((await runCli(at, ['branch', 'apply', 'fix', '--yes'])).code).toBe(0);
    expect(content(at)).toBe('half\n');
  });
});

describe.skipIf(!works)('synapse run --attempts', () => {
  it('ranks attempts by the check, then by size, applies the best green one with --yes, and deletes the others', async () => {
    const at = await place();
    await using server = await models((model, turn) => {
      if (turn > 0) return say(`${model} is done.`);
      if (model === 'red') return write('1', 'right?\n');
      return write('1', model === 'large' ? 'right\nand\nmuch\nmore\n' : 'right\n');
    });
    const check = ['--check', 'echo checked > report.txt; grep -qx right a.txt'];
    const { code, out, err } = await runCliProcess(at, words(server, '--models', 'large,red,small', ...check, '--yes', '--json'));
    expect(code, err).toBe(0);
    const report = Report.parse(JSON.parse(out));
    expect(report.attempts.map(({ model, check: checked }) => [model, checked?.passed, checked?.ending])).toEqual([
      ['small', true, 'exit code 0'],
      ['large', true, 'exit code 0'],
      ['red', false, 'exit code 1'],
    ]);
    expect(report.applied?.branch).toBe(report.attempts[0]?.branch);
    expect([report.kept, report.dropped.length, await branches(at)]).toEqual([[], 3, []]);
    expect([content(at), existsSync(join(at.folder, 'report.txt'))]).toEqual(['right\n', false]);
    expect((await runCli(at, ['undo', '--yes'])).code).toBe(0);
    expect(content(at)).toBe('wrong\n');
    // Its session goes on in the workspace, and those of deleted branches are passed over.
    expect(await runCliProcess(at, ['resume'])).toMatchObject({ code: 0, out: 'small is done.\n' });
    const left = (await sessions(at)).map(({ id, branch }) => [id, branch === undefined]);
    expect(left).toEqual(expect.arrayContaining([[report.attempts[0]?.session, true]]));
    expect(left.filter(([, isInWorkspace]) => isInWorkspace === true)).toHaveLength(1);
  });

  it('applies nothing without a yes, and names what is kept', async () => {
    const at = await place();
    await using server = await models((_, turn) => (turn > 0 ? say('Done.') : write('1', 'right\n')));
    const { code, out, err } = await runCliProcess(at, words(server, '--model', 'one', '--attempts', '3', '--check', 'grep right a.txt'));
    expect([code, out, content(at)]).toEqual([4, 'Done.\n', 'wrong\n']);
    const names = await branches(at);
    expect(names).toHaveLength(3);
    for (const name of names) expect(err).toContain(`synapse branch apply ${name} · synapse resume s-`);
    expect(err).toMatch(/^1 {2}attempt-[0-9a-f]{6}-1 {2}passed {2}1 change {2}\+1 -1 {2}1 call {2}220 tokens {2}/mu);
    expect((await runCli(at, ['branch', 'apply', names[1] ?? '', '--yes'])).code).toBe(0);
    expect(content(at)).toBe('right\n');
  });

  it('applies nothing where no attempt passes the check, also with --yes', async () => {
    const at = await place();
    await using server = await models((_, turn) => (turn > 0 ? say('Done.') : write('1', 'worse\n')));
    const { code, out, err } = await runCliProcess(at, words(server, '--models', 'a,b', '--check', 'exit 3', '--yes', '--json'));
    expect([code, content(at)]).toEqual([1, 'wrong\n']);
    expect(err).toContain('No attempt passed the check, and nothing was applied.');
    const report = Report.parse(JSON.parse(out));
    expect([report.applied, report.kept.length, report.attempts[0]?.check?.ending]).toEqual([null, 2, 'exit code 3']);
    expect(await branches(at)).toEqual(report.kept.toSorted());
  });

  it('is no success for a script where a conflict stays, whatever else was applied', async () => {
    const at = await place();
    const bothWrote = Promise.withResolvers<void>();
    let wrote = 0;
    await using server = await models(async (_, turn) => {
      if (turn === 0) return write('1', 'right\n');
      if (turn === 1) return call('2', 'write_file', { path: 'b.txt', content: 'model\n' });
      // An attempt that writes the file after the person has no conflict.
      if ((wrote += 1) === 2) bothWrote.resolve();
      await bothWrote.promise;
      writeFileSync(join(at.folder, 'b.txt'), 'person\n');
      return say('Done.');
    });
    const { code, out } = await runCliProcess(
      at,
      words(server, '--model', 'one', '--attempts', '2', '--check', 'grep -qx right a.txt', '--yes', '--json'),
    );
    const report = Report.parse(JSON.parse(out));
    expect([code, content(at), readFileSync(join(at.folder, 'b.txt'), 'utf8'), report.kept.length]).toEqual([1, 'right\n', 'person\n', 2]);
  });

  it('leaves no branch of a task that changes nothing', async () => {
    const at = await place();
    await using server = await models(() => say('It says wrong.'));
    const { code, out, err } = await runCliProcess(at, words(server, '--model', 'one', '--attempts', '2', '--check', 'true'));
    expect([code, out, await branches(at)]).toEqual([0, 'It says wrong.\n', []]);
    expect(err).toContain('No attempt changed anything.');
    expect(await sessions(at)).toHaveLength(2);
  });

  it('spends one budget of calls and tokens on all attempts', async () => {
    const at = await place();
    await using server = await models((_, turn) =>
      turn < 9 ? call(String(turn), 'write_file', { path: `n-${turn}.txt`, content: 'n' }) : say('Done.'),
    );
    const { out } = await runCliProcess(at, words(server, '--model', 'one', '--attempts', '3', '--max-calls', '7', '--json'));
    const report = Report.parse(JSON.parse(out));
    expect(report.attempts.reduce((sum, { calls }) => sum + calls, 0)).toBe(7);
    expect((await sessions(at)).reduce((sum, { calls }) => sum + calls, 0)).toBe(7);
    expect(report.attempts.map(({ status }) => status)).toEqual(['limit', 'limit', 'limit']);
    const before = server.requests.length;
    const tokens = await runCliProcess(at, words(server, '--model', 'one', '--attempts', '2', '--max-tokens', '500', '--jsonl'));
    // A turn has 110 tokens, and the last one begins below the limit. What the first one of an attempt costs is not known before.
    expect([5, 6]).toContain(server.requests.length - before);
    const last = Report.parse(JSON.parse(tokens.out.trim().split('\n').at(-1) ?? ''));
    expect(last.attempts.map(({ status }) => status)).toEqual(['limit', 'limit']);
  });

  it('refuses options that do not go together, before it makes a branch', async () => {
    const at = await place();
    const rows: Array<[string[], string]> = [
      [['--attempts', '2', '--models', 'a,b,c'], '--models names 3 models for --attempts 2.'],
      [['--models', 'a,b', '-m', 'c'], '--model and --models exclude each other.'],
      [['--attempts', '99', '-m', 'c'], '99 attempts are too many.'],
      [['--attempts', '2', '-m', 'c', '--max-cost', '1'], 'No price for --max-cost.'],
      [['-m', 'c', '--check', 'true'], '--check is for --attempts.'],
      [['--attempts', '2', '--remote', 'ws://127.0.0.1:9#x'], '--attempts and --remote exclude each other.'],
    ];
    for (const [more, message] of rows) {
      const { code, err } = await runCli(at, ['run', 'Fix', '--base-url', 'http://127.0.0.1:9/v1', ...more]);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
    expect((await runCli(at, ['run', 'Fix', '--attempts', '2'])).err).toContain('No model given.');
    expect(await branches(at)).toEqual([]);
  });

  it('asks a person, shows a diff, applies the chosen one and keeps the others', async () => {
    const at = await place();
    await using server = await models((model, turn) => (turn > 0 ? say('Done.') : write('1', `by ${model}\n${model === 'long' ? 'more\n' : ''}`)));
    const { code, screen } = await onTerminal(at, words(server, '--models', 'long,short', '--check', 'grep -q short a.txt'), [
      ['which one?', 'd 2\r'],
      ['+more', 'x\r'],
      ['which one?', '2\r'],
      ['Delete the other', 'n\r'],
    ]);
    expect(code, screen).toBe(0);
    expect(content(at)).toBe('by long\nmore\n');
    expect(await branches(at)).toEqual([expect.stringMatching(/^attempt-[0-9a-f]{6}-2$/u)]);
  });

  it('deletes nothing where the workspace was changed meanwhile, and nothing at the end of the input', async () => {
    const at = await place();
    const written = Promise.withResolvers<void>();
    let attempts = 0;
    await using server = await models(async (_, turn) => {
      if (turn === 0) return write('1', 'right\n');
      attempts += 1;
      if (attempts === 2) {
        writeFileSync(join(at.folder, 'a.txt'), 'by a person\n');
        written.resolve();
      }
      await written.promise;
      return say('Done.');
    });
    const command = words(server, '--model', 'one', '--attempts', '2');
    const { code, err } = await runCliProcess(at, [...command, '--check', 'true', '--yes']);
    expect([code, err, content(at)]).toEqual([1, expect.stringContaining('Not applied: a.txt'), 'by a person\n']);
    expect(await branches(at)).toHaveLength(2);
    const { code: ended, screen } = await onTerminal(at, command, [['which one?', '\u0004']]);
    expect([ended, screen]).toEqual([3, expect.stringContaining('You said no, and nothing was applied.')]);
    expect(await branches(at)).toHaveLength(4);
  });

  it('keeps attempts that pause', async () => {
    const at = await place();
    const server = await models(() => say(''));
    await server[Symbol.asyncDispose]();
    const { code, err } = await runCliProcess(at, words(server, '--model', 'one', '--attempts', '2'));
    expect([code, err]).toEqual([1, expect.stringMatching(/^\[1\] Ended: Model not reachable/mu)]);
    for (const name of await branches(at)) expect(err).toContain(`${name} · synapse resume s-`);
    expect((await sessions(at)).map(({ status }) => status)).toEqual(['paused', 'paused']);
  });

  it('keeps all attempts at Ctrl+C, and each continues in its branch', async () => {
    const at = await place();
    const started = Promise.withResolvers<void>();
    let waiting = 0;
    let isStopped = false;
    await using server = await models(async (_, turn) => {
      if (turn === 0) return write('1', 'half\n');
      if (isStopped) return say('Resumed.');
      waiting += 1;
      if (waiting === 2) started.resolve();
      return await new Promise<Scripted>(() => {});
    });
    const child = startCli(at, words(server, '--model', 'one', '--attempts', '2', '--check', 'true'));
    const ending = outcome(child);
    await started.promise;
    child.kill('SIGINT');
    const { code, err } = await ending;
    expect([code, content(at)]).toEqual([130, 'wrong\n']);
    const listed = await sessions(at);
    expect(listed.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(await branches(at)).toHaveLength(2);
    isStopped = true;
    for (const { id, branch } of listed) {
      expect(err).toContain(`synapse branch apply ${branch} · synapse resume ${id}`);
      expect(await runCliProcess(at, ['resume', id])).toMatchObject({ code: 0, out: 'Resumed.\n' });
    }
  });

  it('loses nothing when it is killed, and its attempts end', async () => {
    const at = await place();
    const started = Promise.withResolvers<void>();
    let waiting = 0;
    await using server = await models(async (_, turn) => {
      if (turn === 0) return write('1', 'half\n');
      waiting += 1;
      if (waiting === 2) started.resolve();
      return await new Promise<Scripted>(() => {});
    });
    const child = startCli(at, words(server, '--model', 'one', '--attempts', '2'));
    const ending = outcome(child);
    await started.promise;
    child.kill('SIGKILL');
    await ending;
    await expect.poll(async () => (await sessions(at)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await expect
      .poll(async () => JSON.parse((await runCli(at, ['branch', '--json'])).out) as unknown)
      .toMatchObject([
        { changes: 1, in_use: false },
        { changes: 1, in_use: false },
      ]);
    const [name = ''] = await branches(at);
    expect((await runCli(at, ['branch', 'apply', name, '--yes'])).code).toBe(0);
    expect(content(at)).toBe('half\n');
  });

  it('ends a check when it is killed', async () => {
    const at = await place();
    await using server = await models((_, turn) => (turn > 0 ? say('Done.') : write('1', 'right\n')));
    const child = startCli(at, words(server, '--model', 'one', '--attempts', '1', '--check', 'exec sleep 604.25'));
    const ending = outcome(child);
    const sleeping = (): number => processes('cmdline', (words) => words.includes('604.25')).length;
    await expect.poll(sleeping).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await ending;
    await expect.poll(async () => JSON.parse((await runCli(at, ['branch', '--json'])).out) as unknown).toMatchObject([{ changes: 1, in_use: false }]);
    expect(sleeping()).toBe(0);
  });

  it('goes on when one attempt is killed, and keeps what that one changed', async () => {
    const at = await place();
    const reached = Promise.withResolvers<void>();
    await using server = await models(async (model, turn) => {
      if (turn === 0) return write('1', model === 'dies' ? 'half\n' : 'right\n');
      if (model !== 'dies') return say('Done.');
      reached.resolve();
      return await new Promise<Scripted>(() => {});
    });
    const child = startCli(at, words(server, '--models', 'dies,lives', '--check', 'grep -q right a.txt', '--json'));
    const ending = outcome(child);
    await reached.promise;
    // The process of the attempt is the one that works in its branch.
    const inside = await runCli(at, ['branch', '--json']);
    const dying = z.array(z.looseObject({ name: z.string() })).parse(JSON.parse(inside.out))[0]?.name ?? '';
    process.kill(processIn(dying), 'SIGKILL');
    const { code, out } = await ending;
    expect(code).toBe(4);
    const report = Report.parse(JSON.parse(out));
    expect(report.attempts.map(({ model, status, check }) => [model, status, check?.passed])).toEqual([
      ['lives', 'done', true],
      ['dies', 'killed', false],
    ]);
    expect(report.kept).toHaveLength(2);
  });
});

/** The processes of this machine of which a file of /proc is so. */
function processes(file: 'cmdline' | 'environ', isSo: (words: readonly string[]) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        return isSo(readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0'));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The process of an attempt, by the branch that its environment names. */
function processIn(branch: string): number {
  const [found] = processes('environ', (words) => words.includes(`SYNAPSE_BRANCH=${branch}`));
  if (found === undefined) throw new Error(`No process works in ${branch}.`);
  return found;
}
