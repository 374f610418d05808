import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { CLI, makePlace, runCli, type Place } from './run-cli.ts';

const READ = { name: 'read_file', arguments: { path: 'name.txt' } };

/** A folder with one file that says which it is. */
async function makeFolder(name: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'synapse-folder-')));
  await writeFile(join(folder, 'name.txt'), name);
  return folder;
}

interface Connected {
  readonly client: Client;
  /** What the answer to {@link READ} says. */
  readonly read: () => Promise<string>;
  /** Opens other folders in the client. */
  readonly open: (...folders: string[]) => Promise<void>;
}

/** Starts the server in a folder, as a client does that has these roots; undefined for one that knows none. */
async function connect(place: Place, cwd: string, roots?: string[] | Error, words: readonly string[] = []): Promise<Connected> {
  let now = roots;
  const client = new Client({ name: 'e2e', version: '0' }, { capabilities: roots === undefined ? {} : { roots: { listChanged: true } } });
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => {
      if (now instanceof Error) throw now;
      return { roots: (now ?? []).map((folder) => ({ uri: pathToFileURL(folder).href })) };
    });
  }
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', ...words],
      env: place.environment as Record<string, string>,
      cwd,
      stderr: 'pipe',
    }),
  );
  return {
    client,
    read: async () => JSON.stringify((await client.callTool(READ)).content),
    open: async (...folders) => {
      now = folders;
      await client.sendRootsListChanged();
    },
  };
}

const track = async (place: Place, folder: string): Promise<void> => {
  expect(await runCli(place, ['projects', 'add', folder])).toMatchObject({ code: 0 });
};

it('says what to type in a folder that is not tracked, and works once it was typed', async () => {
  const place = await makePlace();
  const folder = await makeFolder('mine');
  const { client, read } = await connect(place, folder);
  expect(client.getInstructions()).toMatch(/added it as a project\.\nCommands have no network.*\nCommands get no terminal/u);
  expect((await client.listTools()).tools.length).toBeGreaterThan(15);
  const refused = await client.callTool(READ);
  expect(refused).toMatchObject({ isError: true, _meta: { 'synapse/code': 'denied' } });
  expect(JSON.stringify(refused.content)).toContain('Project not tracked');
  expect(JSON.stringify(refused.content)).toContain(`synapse projects add ${folder}`);
  await track(place, folder);
  expect(await read()).toContain('mine');
});

it('works in the folder that it is started in for a client that has nothing open', async () => {
  const place = await makePlace({ 'name.txt': 'started here' });
  const { read, open } = await connect(place, place.folder, []);
  expect(await read()).toContain('started here');
  const other = await makeFolder('opened');
  await track(place, other);
  await open(other);
  await expect.poll(read).toContain('opened');
});

it('follows the folder that it is started in', async () => {
  const place = await makePlace({ 'name.txt': 'started here' });
  const { client, read } = await connect(place, place.folder);
  expect(client.getInstructions()).toContain('Reading runs at once');
  expect(await read()).toContain('started here');
});

it('follows the roots of the client, and their changes', async () => {
  const place = await makePlace({ 'name.txt': 'started here' });
  const [one, other, none] = [await makeFolder('one'), await makeFolder('other'), await makeFolder('none')];
  await track(place, one);
  await track(place, other);
  const { client, read, open } = await connect(place, place.folder, [none, one]);
  expect(await read()).toContain('one');
  await open(other, one);
  await expect.poll(read).toContain('other');
  await open(none);
  await expect.poll(read).toContain('Project not tracked');
  expect((await client.listTools()).tools.length).toBeGreaterThan(15);
  await open(one);
  await expect.poll(read).toContain('one');
});

it('never works in a root that is not tracked', async () => {
  const place = await makePlace({ 'name.txt': 'started here' });
  const { read } = await connect(place, place.folder, [await makeFolder('none')]);
  expect(await read()).toContain('Project not tracked');
});

it('works where it was started for a client that fails to tell its roots', async () => {
  const place = await makePlace({ 'name.txt': 'started here' });
  const { read } = await connect(place, place.folder, new Error('not now'));
  expect(await read()).toContain('started here');
});

it('keeps to a folder that was named', async () => {
  const place = await makePlace({ 'name.txt': 'named' });
  const other = await makeFolder('other');
  await track(place, other);
  const client = new Client({ name: 'e2e', version: '0' }, { capabilities: { roots: {} } });
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(other).href }] }));
  onTestFinished(() => client.close());
  const args = [CLI, 'mcp', '--workspace', place.folder];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: place.environment as Record<string, string>, cwd: other }));
  expect(JSON.stringify((await client.callTool(READ)).content)).toContain('named');
});

it('follows in the words of a dialect, and in what is read beside calls', async () => {
  const place = await makePlace();
  const folder = await makeFolder('mine');
  const { client } = await connect(place, folder, [folder], ['--dialect', 'claude-code']);
  const read = { name: 'Read', arguments: { file_path: join(folder, 'name.txt') } };
  expect(JSON.stringify(await client.callTool(read))).toContain('Project not tracked');
  await expect(client.readResource({ uri: 'synapse://audit' })).rejects.toThrow('Project not tracked');
  await track(place, folder);
  expect(JSON.stringify(await client.callTool(read))).toContain('mine');
  expect(JSON.stringify(await client.readResource({ uri: 'synapse://audit' }))).toContain('read_file');
});
