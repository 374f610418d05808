import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { startChatServer, type Scripted } from '../agent/scripted-chat.ts';
import { makePlace, runCli, runCliProcess } from './run-cli.ts';

const works = (await findBubblewrap()) !== undefined;

const call = (id: string, name: string, input: unknown): Scripted => ({ kind: 'calls', calls: [{ id, name, input: JSON.stringify(input) }] });
const say = (text: string): Scripted => ({ kind: 'text', text });

describe.skipIf(!works)('a session in a branch', () => {
  it('is listed with its branch, and continues in it', async () => {
    const place = await makePlace({ 'a.txt': 'alpha\n' });
    await runCli(place, ['branch', 'new', 'fix']);
    await using server = await startChatServer((_, index) =>
      index % 2 === 0 ? call(String(index), 'write_file', { path: `made-${index}.txt`, content: 'x' }) : say('Done.'),
    );
    const model = ['--base-url', server.url, '--model', 'scripted', '--yes'];
    expect((await runCliProcess(place, ['run', 'Make it', ...model, '--branch', 'fix'])).code).toBe(0);
    const { sessions } = JSON.parse((await runCli(place, ['sessions', '--json'])).out) as { sessions: Array<{ id: string }> };
    expect(sessions).toMatchObject([{ branch: 'fix', task: 'Make it', status: 'done' }]);
    const id = sessions[0]?.id ?? '';
    expect((await runCli(place, ['sessions'])).out).toMatch(/scripted {2}fix {2}Make it/u);

    const resumed = await runCliProcess(place, ['resume', '--yes']);
    expect([resumed.code, resumed.out]).toEqual([0, 'Done.\n']);
    expect(JSON.parse((await runCli(place, ['branch', '--json'])).out)).toMatchObject([{ changes: 2 }]);
    expect(existsSync(join(place.folder, 'made-2.txt'))).toBe(false);

    await runCli(place, ['branch', 'drop', 'fix', '--yes']);
    expect(await runCliProcess(place, ['resume', id])).toMatchObject({
      code: 5,
      err: expect.stringContaining('branch fix of the session') as string,
    });
    await runCli(place, ['branch', 'new', 'other']);
    const elsewhere = await runCliProcess(place, ['resume', id, '--branch', 'other']);
    expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining('works in the branch fix') as string });
  });
});
