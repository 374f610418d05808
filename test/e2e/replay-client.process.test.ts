import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { replayedStates, repositoryPlace, run, write, type Step } from './record-session.ts';
import { CLI, runCli, runCliProcess, type Outcome, type Place } from './run-cli.ts';

const works = (await findBubblewrap()) !== undefined;

/** Lets an MCP client make calls. Returns the id of its session. */
async function callOverMcp(place: Place, calls: readonly Step[]): Promise<string> {
  const client = new Client({ name: 'e2e', version: '0' });
  onTestFinished(() => client.close());
  const args = [CLI, 'mcp', '--workspace', place.folder, '--allow', 'write,exec'];
  const env = Object.fromEntries(Object.entries(place.environment).filter((entry): entry is [string, string] => entry[1] !== undefined));
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  for (const [name, input] of calls) await client.callTool({ name, arguments: { ...(input as Record<string, unknown>) } });
  await client.close();
  const { calls: logged } = JSON.parse((await runCli(place, ['log', '--json'])).out) as { calls: { start: { session: string } }[] };
  return logged[0]?.start.session ?? '';
}

/** The id of a recorded call. */
function replayedCall({ out }: Outcome, index: number): string {
  const { replayed } = JSON.parse(out) as { replayed: { call: string }[] };
  return replayed[index]?.call ?? '';
}

describe.skipIf(!works)('synapse replay of a client', () => {
  it('compares outcomes, changes and hashes of outputs, where only the audit log knows a session', async () => {
    const place = await repositoryPlace({ 'a.txt': 'one\n' });
    const long = Array.from({ length: 200 }, (_, index) => `line ${index} of a long file\n`).join('');
    const id = await callOverMcp(place, [
      ['read_file', { path: 'a.txt' }],
      write('long.txt', long),
      run('cat a.txt; wc -l long.txt; echo made > c.txt'),
      run('date +%s%N'),
      run('exit 3'),
      ['edit_file', { path: 'long.txt', edits: [{ old_text: long.slice(200), new_text: `${long.slice(200)}more\n` }] }],
      ['read_file', { path: 'nope' }],
    ]);
    const again = await runCliProcess(place, ['replay', id, '--json']);
    expect([again.err, replayedStates(again)]).toEqual([
      expect.stringContaining('Only the audit log knows this session'),
      ['same', 'same', 'same', 'differs: time', 'same', 'not replayed: arguments', 'same'],
    ]);
    // From that call on, the files are not those of the session.
    expect(again.code).toBe(1);
    const until = await runCliProcess(place, ['replay', id.slice(0, 8), '--json', '--until', replayedCall(again, 4)]);
    expect([until.code, replayedStates(until)]).toEqual([0, ['same', 'same', 'same', 'differs: time', 'same']]);
    expect(readFileSync(join(place.folder, 'long.txt'), 'utf8')).toBe(`${long}more\n`);
    expect(await runCliProcess(place, ['replay', 'no-such-session'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('Session not found') as string,
    });
  });
});
