import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nodeOf } from '../../scripts/node-versions.mjs';
import { CLI, makePlace } from './run-cli.ts';

const run = promisify(execFile);
const EVERY_POWER = fileURLToPath(new URL('fixtures/every-power.mjs', import.meta.url));

interface Report {
  readonly node: string;
  readonly outcomes: ReadonlyArray<{ readonly name: string; readonly ok: boolean; readonly text: string }>;
}

describe.each(['22.13.0', '26.10.0'])('what was built, on Node %s', (version) => {
  const node = nodeOf(version);

  it.skipIf(node === undefined)('reads, writes, searches and runs', async () => {
    const { stdout } = await run(node ?? '', [EVERY_POWER]);
    const { node: ran, outcomes } = JSON.parse(stdout) as Report;
    expect(ran).toBe(`v${version}`);
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
    expect(outcomes.map(({ name }) => name)).toContain('run_command');
  });

  it.skipIf(node === undefined)('is a command, without a word about the runtime', async () => {
    const { folder, environment } = await makePlace({ 'a.txt': 'content\n' });
    const { stdout, stderr } = await run(node ?? '', [CLI, 'call', 'read_file', '{"path":"a.txt"}'], { cwd: folder, env: environment });
    expect(stdout).toContain('content');
    expect(stderr).not.toMatch(/warning|sqlite|node/iu);
  });

  it.skipIf(node === undefined)('judges the requests of a command', async () => {
    const { folder, environment } = await makePlace({});
    const input = JSON.stringify({ command: 'curl -s http://10.9.8.7/y' });
    const { stdout } = await run(node ?? '', [CLI, 'call', 'run_command', input, '--network', '10.9.8.7 GET /x', '--yes', '--json'], {
      cwd: folder,
      env: environment,
    });
    expect(stdout).toContain('refused: GET 10.9.8.7/y');
  });
});

describe('a Node that is too old', () => {
  const node = nodeOf('20.19.0');

  it.skipIf(node === undefined)('says in one sentence what is needed, at import', async () => {
    await expect(run(node ?? '', [EVERY_POWER])).rejects.toMatchObject({
      stderr: expect.stringMatching(/^Error: Synapse needs Node 22\.13 or newer; this is v20\.19\.0\. Install /mu) as string,
    });
  });
});
