import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI, makePlace } from '../e2e/run-cli.ts';
import { startHttp } from '../e2e/start-http.ts';

const INSPECTOR = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
const run = promisify(execFile);
const FILES = { 'a.txt': 'hello\n' };

/** Asks as the inspector's command line does; gives what it prints. */
type Inspect = (...words: string[]) => Promise<unknown>;

async function inspect(target: readonly string[], words: readonly string[], environment: NodeJS.ProcessEnv): Promise<unknown> {
  // Its own settings must not be written into anybody's home.
  const HOME = await mkdtemp(join(tmpdir(), 'synapse-inspector-'));
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...target, ...words], { env: { ...environment, HOME } });
  return JSON.parse(stdout);
}

async function overStdio(): Promise<Inspect> {
  const { folder, environment } = await makePlace(FILES);
  const variables = Object.entries({ XDG_STATE_HOME: environment['XDG_STATE_HOME'] }).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return (...words) => inspect([process.execPath, CLI, 'mcp', '-w', folder], [...variables, ...words], environment);
}

async function overHttp(): Promise<Inspect> {
  const server = await startHttp([], FILES);
  onTestFinished(async () => void (await server.stop()));
  const header = ['--transport', 'http', '--header', `Authorization: Bearer ${server.token}`];
  return (...words) => inspect([server.url], [...header, ...words], server.place.environment);
}

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('the MCP inspector over %s', (_, open) => {
  it('lists and calls tools', async () => {
    const ask = await open();
    expect(await ask('--method', 'tools/list')).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'read_file' })]) as unknown,
    });
    const result = await ask('--method', 'tools/call', '--tool-name', 'read_file', '--tool-arg', 'path=a.txt');
    expect(result).toMatchObject({
      content: [{ type: 'text', text: expect.stringMatching(/^\[lines 1-1 of 1; version \w+\.\]\nhello\n$/u) as string }],
    });
  });

  it('lists and reads resources, prompts and templates', async () => {
    const ask = await open();
    const uri = 'synapse://reports/project-resurrection';
    expect(await ask('--method', 'resources/list')).toMatchObject({ resources: [{ uri: 'synapse://audit' }, { uri }] });
    expect(await ask('--method', 'resources/templates/list')).toMatchObject({
      resourceTemplates: expect.arrayContaining([expect.objectContaining({ uriTemplate: 'synapse://spills/{id}' })]) as unknown,
    });
    expect(await ask('--method', 'resources/read', '--uri', uri)).toMatchObject({
      contents: [{ uri, mimeType: 'text/markdown', text: expect.stringContaining('Suggested Next Steps') as string }],
    });
    expect(await ask('--method', 'prompts/list')).toMatchObject({ prompts: [{ name: 'project-resurrection' }] });
    expect(await ask('--method', 'prompts/get', '--prompt-name', 'project-resurrection')).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: expect.stringContaining('Step 5 of 5') as string } }],
    });
  });

  it('finds no tool schema that a client could stumble over', async () => {
    const ask = await open();
    await expect(ask('--method', 'tools/list', '--strict')).resolves.toMatchObject({ tools: expect.any(Array) as unknown });
  });
});
