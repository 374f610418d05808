import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { git } from '../../packages/hands/src/testing/git-repository.ts';
import { startChatServer } from '../agent/scripted-chat.ts';
import { recordSession, replayedStates, repositoryPlace, run, write, type Step } from './record-session.ts';
import { makePlace, runCli, runCliProcess, type Outcome, type Place } from './run-cli.ts';

const works = (await findBubblewrap()) !== undefined;

interface Recorded {
  readonly place: Place;
  readonly replay: (...words: string[]) => Promise<Outcome>;
  readonly text: (name: string) => string;
}

/** A repository, in which a session of a model made these calls. */
async function record(steps: (place: Place) => readonly Step[], flags?: readonly string[]): Promise<Recorded> {
  const place = await repositoryPlace({ 'a.txt': 'one\n', 'package.json': '{}\n' });
  const id = await recordSession(place, steps(place), flags);
  return {
    place,
    replay: async (...words) => await runCliProcess(place, ['replay', id, ...words]),
    text: (name) => readFileSync(join(place.folder, name), 'utf8'),
  };
}

describe.skipIf(!works)('synapse replay', () => {
  it('runs the calls of a session again from its start, and says what differs and why', async () => {
    const { place, replay, text } = await record(() => [
      ['read_file', { path: 'a.txt' }],
      write('b.txt', 'bee\n'),
      ['edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }],
      run('cat a.txt b.txt; rm b.txt; echo made > c.txt'),
      run('date +%s%N'),
      run('echo $RANDOM; false'),
      run('git add -A && git commit -qm second && git status --short'),
      ['read_file', { path: 'nope' }],
      ['search_text', { pattern: 'two' }],
      ['todo_list', { items: [{ text: 'x' }] }],
      ['git_log', {}],
    ]);
    const same = Array.from({ length: 4 }, () => 'same');
    const again = await replay('--json');
    expect(replayedStates(again)).toEqual([...same, 'differs: time', 'differs: random', 'same', 'same', 'same', 'same', 'differs: random']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ branch: null, calls: 11, same: 8, differs: 3, not_replayed: 0, reasons: { random: 2, time: 1 } });
    const told = await replay();
    expect(told.out).toContain('same          edit_file(a.txt) → 1 edit\n');
    expect(told.out).toMatch(/\(times or durations\)\n {2}recorded: \d{19}\n {2}again: {4}\d{19}\n/u);
    expect(told.out).toContain('11 calls: 8 same, 3 differ, 0 not replayed (random 2, time 1).\n');
    // The workspace and the list of branches are as before.
    expect([text('a.txt'), text('c.txt'), (await runCli(place, ['branch', 'list', '--json'])).out]).toEqual(['two\n', 'made\n', '[]\n']);
    expect(git(place.folder, 'log', '--format=%s')).toBe('second\nfirst');
  });

  it('stops after a call and keeps the branch, as the workspace was then', async () => {
    const { place, replay, text } = await record(() => [write('a.txt', 'two\n'), run('echo three > a.txt'), write('a.txt', 'four\n')]);
    const { code, out, err } = await replay('--until', '2:0', '--keep', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { calls: 2, same: 2 }]);
    const { branch } = JSON.parse(out) as { branch: string };
    expect(err).toContain(`synapse branch diff ${branch}`);
    expect((await runCliProcess(place, ['branch', 'run', branch, '--', 'cat', 'a.txt'])).out).toBe('three\n');
    expect(text('a.txt')).toBe('four\n');
    expect(await replay('--until', '9:0')).toMatchObject({ code: 5, err: expect.stringContaining('Call not found: s-') as string });
    expect((await runCli(place, ['branch', 'list'])).out).toContain(branch);
  });

  it('answers questions as they were answered: what waited or was refused is not done', async () => {
    const { replay, text } = await record(
      () => [
        run('echo x > x.txt; git add -A; git commit -qm second; git log --format=%s'),
        run('sleep 600', { background: true }),
        write('y.txt', 'y'),
      ],
      ['--allow', 'write'],
    );
    expect(() => text('x.txt')).toThrow('ENOENT');
    const again = await replay('--yes', '--json');
    expect([again.code, replayedStates(again)]).toEqual([0, ['same', 'not replayed: refused', 'same']]);
  });

  it('does what reaches more than files only with --yes, and follows the ids of jobs', async () => {
    const { replay } = await record(() => [run('sleep 600', { background: true }), ['job', { action: 'list' }]]);
    const without = await replay('--json');
    expect([without.code, replayedStates(without)[0]]).toEqual([1, 'not replayed: needs approval']);
    const allowed = await replay('--yes', '--json');
    expect([allowed.code, replayedStates(allowed)[0]]).toEqual([0, 'same']);
  });

  it('says that a person changed a file meanwhile, and which calls saw that', async () => {
    const { place, replay } = await record(({ folder }) => [
      ['read_file', { path: 'package.json' }],
      ['read_file', { path: 'package.json' }, () => writeFileSync(join(folder, 'package.json'), '{"a":1}\n')],
      run('cat package.json'),
    ]);
    const again = await replay('--json');
    expect([again.code, replayedStates(again)]).toEqual([1, ['differs: files', 'same', 'same']]);
    writeFileSync(join(place.folder, 'package.json'), '{"b":1}\n');
    expect(replayedStates(await replay('--json'))).toEqual(['differs: files', 'differs: files', 'differs: files']);
  });

  it('starts where the session did, whatever was changed or undone since', async () => {
    const place = await makePlace({ 'a.txt': 'one\n' });
    expect((await runCli(place, ['call', 'write_file', 'path=b.txt', 'content=b', '--yes'])).code).toBe(0);
    const id = await recordSession(place, [
      ['read_file', { path: 'b.txt' }],
      ['edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }],
    ]);
    const replay = async (): Promise<unknown> => {
      const again = await runCliProcess(place, ['replay', id, '--json']);
      return [again.code, replayedStates(again)];
    };
    expect((await runCli(place, ['undo', '--last', '2', '--yes'])).code).toBe(0);
    expect(await replay()).toEqual([0, ['same', 'same']]);
    writeFileSync(join(place.folder, 'a.txt'), 'a person\n');
    expect(await replay()).toEqual([0, ['same', 'same']]);
    expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('a person\n');
  });

  it('lets another model work on the task from the same start', async () => {
    const { place, replay, text } = await record(() => [write('a.txt', 'two\n'), write('b.txt', 'bee\n')]);
    await using server = await startChatServer((body, index) =>
      index === 0
        ? { kind: 'calls', calls: [{ id: 'c', name: 'edit_file', input: '{"path":"a.txt","edits":[{"old_text":"one","new_text":"three"}]}' }] }
        : { kind: 'text', text: JSON.stringify(body.messages[1]?.content) },
    );
    const { code, out, err } = await replay('--base-url', server.url, '--model', 'other');
    expect([code, out]).toEqual([0, '"Do it"\n']);
    expect(err).toMatch(/^Recorded {2}s-[\da-f]{8}: scripted, done, 2 calls\nNow {7}s-[\da-f]{8}: other, done, 1 call\n/mu);
    const branch = /synapse branch diff (?<name>\S+)/u.exec(err)?.groups?.['name'] ?? '';
    expect((await runCliProcess(place, ['branch', 'run', branch, '--', 'sh', '-c', 'cat a.txt; ls'])).out).toBe('three\na.txt\npackage.json\n');
    expect(text('a.txt')).toBe('two\n');
    expect(await replay('--model', 'openai/x', '--until', '1:0')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--until is for recorded calls') as string,
    });
  });

  it('makes no branch where the start is not known any more', async () => {
    const { place, replay } = await record(() => [write('a.txt', 'two\n')]);
    expect(await runCli(place, ['replay', 's-00000000'])).toMatchObject({ code: 5, err: expect.stringContaining('Session not found') as string });
    rmSync(join(place.environment['XDG_STATE_HOME'] ?? '', 'synapse', 'journal'), { recursive: true });
    expect(await replay()).toMatchObject({ code: 5, err: expect.stringContaining('The undo journal does not reach back') as string });
    expect((await runCli(place, ['branch', 'list', '--json'])).out).toBe('[]\n');
  });
});
