import { expect, it, describe } from 'vitest';
import { commandLock, unlockCommands } from '../quarantine/command-records.ts';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const LONG = 'd'.repeat(200);
/** Goes down so far that no path reaches what is made there. */
const deep = (command: string): string => `i=0; while [ $i -lt 30 ]; do mkdir -p ${LONG}; cd -P ${LONG}; i=$((i+1)); done; ${command}`;

describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('what cannot be looked at, as %s', (user) => {
  it('locks the workspace for commands until a person has looked', async () => {
    await using bench = await SandboxBench.open(user);
    const folder = `${bench.state}/quarantine`;
    const left = await bench.inside(deep('mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && echo made'));
    expect(left).toMatchObject({ stdout: 'made\n', quarantined: [{ reason: 'not-searched', action: 'reported' }] });
    await expect(bench.inside('true')).rejects.toMatchObject({ code: 'denied', hint: expect.stringContaining('synapse quarantine unlock') });
    expect(commandLock(folder)?.reason).toContain('could not be judged');
    unlockCommands(folder);
    // It is still there, and nothing could keep it from the next command.
    await expect(bench.inside('true')).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('deeper') });
    await bench.outsideOf(`rm -rf ${LONG}`);
    expect(await bench.inside('true')).toMatchObject({ exitCode: 0, quarantined: [] });
  });

  it('does not lock for folders that are only deep', async () => {
    await using bench = await SandboxBench.open(user);
    expect(await bench.inside(deep('touch x && echo made'))).toMatchObject({ stdout: 'made\n', quarantined: [] });
    expect(await bench.inside('true')).toMatchObject({ exitCode: 0 });
    await bench.outsideOf(`rm -rf ${LONG}`);
  });

  it.each(['objects', 'refs', 'logs', 'lfs', 'modules/sub', 'modules/sub/objects'])('looks into .git/%s', async (name) => {
    await using bench = await SandboxBench.open(user);
    await bench.outsideOf('git init -q .');
    const { quarantined } = await bench.inside(`mkdir -p .git/${name}/x; git init -q .git/${name}/x; echo x > .git/${name}/x/.git/hooks/update`);
    expect(quarantined.map(({ path }) => path)).toEqual([`.git/${name}/x/.git/hooks/update`]);
  });
});
