import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { git } from '../../packages/hands/src/testing/git-repository.ts';
import { recordSession, replayedStates, repositoryPlace, run, write } from './record-session.ts';
import { makePlace, runCli, runCliProcess, type Place } from './run-cli.ts';

const works = (await findBubblewrap()) !== undefined;
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

/** Another machine: other folders, and a clone of the repository at its first commit. */
async function otherMachine(place: Place): Promise<Place> {
  const other = await makePlace();
  rmSync(other.folder, { recursive: true });
  execFileSync('git', ['clone', '-q', place.folder, other.folder]);
  git(other.folder, 'config', 'user.name', 'Ada');
  git(other.folder, 'config', 'user.email', 'ada@example.com');
  return other;
}

async function exported(place: Place, id: string): Promise<string> {
  const { code, out } = await runCli(place, ['sessions', 'export', id]);
  expect(code).toBe(0);
  const file = join(place.environment['XDG_STATE_HOME'] ?? '', `${id}.jsonl`);
  writeFileSync(file, out);
  return file;
}

describe.skipIf(!works)('synapse sessions import', () => {
  it('takes a session to another machine, where its calls run again', async () => {
    const place = await repositoryPlace({ 'a.txt': 'one\n' });
    const other = await otherMachine(place);
    const id = await recordSession(place, [
      ['read_file', { path: join(place.folder, 'a.txt') }],
      write('b.txt', 'bee\n'),
      run(`cat ${place.folder}/a.txt b.txt; pwd`),
      run('sleep 600', { background: true }),
      run(`echo ${SECRET}; echo made > c.txt`),
    ]);
    const file = await exported(place, id);
    const imported = await runCli(other, ['sessions', 'import', file, '--json']);
    expect(JSON.parse(imported.out)).toMatchObject({ id, workspace: other.folder, importedFrom: place.folder, calls: 5, model: 'scripted' });
    expect(imported.out).not.toContain('baseUrl');
    const again = await runCliProcess(other, ['replay', id, '--json', '--yes']);
    expect([again.err, replayedStates(again)]).toEqual(['', ['same', 'same', 'same', 'same', 'not replayed: arguments']]);
    expect([again.code, JSON.parse(again.out)]).toMatchObject([1, { at: null, notes: [], branch: null }]);
    expect((await runCli(other, ['sessions', 'show', id])).out).toContain('[redacted]');
  });

  it('says that the folder is not as it was at the start', async () => {
    const place = await repositoryPlace({ 'a.txt': 'one\n' });
    const id = await recordSession(place, [['read_file', { path: 'a.txt' }], write('b.txt', 'bee\n'), run('git add -A && git commit -qm second')]);
    const file = await exported(place, id);
    const other = await otherMachine(place);
    writeFileSync(join(other.folder, 'a.txt'), 'other\n');
    expect((await runCli(other, ['sessions', 'import', file])).out).toBe(`${id}\n`);
    const { code, err, out } = await runCliProcess(other, ['replay', id]);
    expect(err).toMatch(
      /^The session began at the commit [\da-f]{12}, and this folder is at [\da-f]{12}\.\nNot as at the start: a\.txt, b\.txt\.\n$/u,
    );
    expect([code, out]).toEqual([1, expect.stringContaining('differs       read_file(a.txt)')]);
    // Under another id, beside the first.
    const twice = (await runCli(other, ['sessions', 'import', file])).out.trim();
    expect(twice).not.toBe(id);
    git(other.folder, 'checkout', '-q', 'HEAD~1');
    writeFileSync(join(other.folder, 'a.txt'), 'one\n');
    expect(await runCliProcess(other, ['replay', twice])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('3 calls: 3 same') as string,
    });
  });

  it('writes no secret, and is never continued', async () => {
    const place = await repositoryPlace({ 'a.txt': 'one\n' });
    const own = { ...place, environment: { ...place.environment, MY_SERVICE_TOKEN: 'plain words of mine' } };
    const id = await recordSession(own, [
      write('n.txt', `key ${SECRET}\n`),
      run('echo plain words of mine; cat n.txt'),
      ['read_file', { path: 'n.txt' }],
    ]);
    const text = (await runCli(own, ['sessions', 'export', id])).out;
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('plain words of mine');
    expect(text.split('\n').filter((line) => line.includes('[redacted]'))).not.toHaveLength(0);
    const file = await exported(place, id);
    const again = (await runCli(place, ['sessions', 'import', file])).out.trim();
    expect(await runCli(place, ['resume', again])).toMatchObject({
      code: 3,
      err: expect.stringContaining('is from a file, and cannot be continued') as string,
    });
  });
});

it.each([
  ['', 'line 1:'],
  ['{"type":"message"}', 'line 1:'],
  ['[1]', 'line 1:'],
  ['{', 'line 1: it is not JSON'],
  ['{"type":"session","id":"../x","workspace":"/w","model":"m","task":"t","status":"done","createdAt":1,"updatedAt":1}', 'line 1: id'],
])('refuses a file that is no session: %s', async (text, message) => {
  const place = await makePlace({ 'a.txt': text });
  expect(await runCli(place, ['sessions', 'import', join(place.folder, 'a.txt')])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining(message) as string,
  });
});
