import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemProgram } from '../launch/system-program.ts';
import { SCRIPT_OPTIONS, sourceUrl } from '../testing/run-script.ts';
import { defaultStateFolder, stateProblem } from './state-folder.ts';

const cause = (code: string): Error => Object.assign(new Error(code), { code });

describe('a problem with the state folder', () => {
  it('is an error that says what to free, by a name that shows no path of the machine', () => {
    const at = (environment: NodeJS.ProcessEnv) =>
      stateProblem('It failed', join(defaultStateFolder(environment), 'audit'), cause('ENOSPC'), environment);
    expect(at({})).toMatchObject({
      code: 'unavailable',
      message: 'It failed: the disk of the state folder of Synapse is full.',
      hint: expect.stringMatching(
        /^Free some space on the disk with ~\/\.local\/state\/synapse, or set XDG_STATE_HOME to a folder on another\. /u,
      ) as string,
    });
    expect(at({ XDG_STATE_HOME: '/x/y' }).hint).toContain('the disk with $XDG_STATE_HOME/synapse');
    const own = stateProblem('It failed', '/given/state', cause('EDQUOT'), {});
    expect(own.hint).toContain('Free some space on the disk with the state folder of Synapse, or');
    expect(JSON.stringify([at({ XDG_STATE_HOME: '/x/y' }), own])).not.toMatch(/\/x\/y|\/given/u);
    expect(JSON.stringify(at({}))).not.toContain(homedir());
  });

  it('is no full disk if there is room', () => {
    const { message, hint } = stateProblem('It failed', mkdtempSync(join(tmpdir(), 'synapse-state-')), cause('EACCES'), {});
    expect([message, hint]).toEqual(['It failed.', 'Make the state folder of Synapse writable, or set XDG_STATE_HOME to one that is.']);
  });
});

const UNSHARE = systemProgram('unshare') ?? 'none';
/** A separate small file system, for tests that may mount one. */
const ON_SMALL_DISK = ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', 'mount -t tmpfs -o size=64k tmpfs "$1" && shift && exec "$@"', 'sh'];

it.skipIf(spawnSync(UNSHARE, [...ON_SMALL_DISK, tmpdir(), 'true']).status !== 0)('a database on a full disk cannot be opened, and says why', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-state-'));
  const script = `
    import { writeFileSync } from 'node:fs';
    import { openDatabase } from ${sourceUrl('state/database.ts')};
    const messageOf = (name) => { try { openDatabase(name, 'CREATE TABLE IF NOT EXISTS a (b)'); } catch (error) { return error.message; } };
    const [folder, filler] = ${JSON.stringify([folder, join(folder, 'filler')])};
    writeFileSync(folder + '/folder.db', '');
    try { writeFileSync(filler, Buffer.alloc(1024 * 1024)); } catch {}
    const full = messageOf(folder + '/folder.db');
    console.log(JSON.stringify([full, messageOf('/dev/null/x/y.db')]));`;
  const { stdout, stderr } = spawnSync(UNSHARE, [...ON_SMALL_DISK, folder, process.execPath, ...SCRIPT_OPTIONS, script], { encoding: 'utf8' });
  expect(JSON.parse(stdout || stderr)).toEqual([
    'The database folder.db of Synapse cannot be opened: the disk of the state folder of Synapse is full.',
    'The database y.db of Synapse cannot be opened.',
  ]);
});
