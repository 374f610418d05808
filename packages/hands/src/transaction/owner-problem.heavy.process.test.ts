import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { CHECKOUT_USERS } from '../testing/sandbox-bench.ts';

const canRun = process.getuid?.() === 0 && (await findBubblewrap()) !== undefined && CHECKOUT_USERS.includes('user');
const USER = 65534;
/** A group that the user is in besides their own. */
const SHARED = 54321;

// Found in a folder of a project group: no command could change a file, and each said "Value too large for defined data type".
describe.skipIf(!canRun)('as a normal user, a command', () => {
  it.each([
    ['in a folder that is shared with a group', SHARED, 0o2770, SHARED, 'live'],
    ['in a repository that is shared with a group', USER, 0o755, SHARED, 'live'],
    // A control: all of it is the user's own.
    ['in a folder of their own', USER, 0o755, USER, 'copy'],
    // One folder of another group, as containers leave it, is no reason to do without copies.
    ['in a folder whose own group is another', SHARED, 0o770, USER, 'copy'],
  ])('%s changes files and commits', { timeout: 60_000 }, async (_, group, mode, inner, way) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-owner-')));
    const workspace = join(base, 'workspace');
    mkdirSync(workspace);
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: workspace });
    writeFileSync(join(workspace, 'a.txt'), 'a\n');
    chmodSync(base, 0o755);
    execFileSync('chown', ['-R', `${USER}:${USER}`, base]);
    execFileSync('chown', ['-R', `${USER}:${inner}`, workspace]);
    execFileSync('chown', [`${USER}:${group}`, workspace]);
    chmodSync(workspace, mode);
    const options = {
      workspace,
      stateFolder: join(base, 'state'),
      configFolder: join(base, 'config'),
      allow: ['write', 'exec'],
      sandbox: 'required',
    };
    const script = `
    process.env.HOME = ${JSON.stringify(base)};
    process.setgroups([${SHARED}]);
    process.setgid(${USER});
    process.setuid(${USER});
    const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
    await using hands = await createHands(${JSON.stringify(options)});
    const command = 'echo b >> a.txt && git add -A && git -c user.name=x -c user.email=x@x commit -qm one && git show HEAD:a.txt';
    const { data, meta, error, output } = await hands.call('run_command', { command });
    console.log(JSON.stringify(error ?? [data.exit_code, data.stdout, meta.ran, /It ran in the workspace itself, because .*\\.\\s/u.exec(output)?.[0] ?? '']));`;
    const [code, stdout, ran, why] = JSON.parse(await runScript(script).output) as unknown[];
    expect([code, stdout, ran]).toEqual([0, 'a\nb\n', way]);
    if (way === 'copy') expect(why).toBe('');
    else expect(why).toContain('because commands cannot run on a copy of it here (the files here belong to another user or group');
  });
});
