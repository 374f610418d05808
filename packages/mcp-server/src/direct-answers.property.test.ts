import { createHands } from '@synapse/hands';
import fc from 'fast-check';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runMcpServer } from './run-mcp-server.ts';

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

const value = fc.oneof(
  fc.constantFrom('a.txt', 'sub', '.', '../x', 'missing', '.env', '', 1, -1, 2 ** 40, true, null, [], {}, '__proto__'),
  fc.string({ maxLength: 6 }),
);
const fields = fc.dictionary(fc.constantFrom('path', 'offset', 'limit', 'pattern', 'glob', 'content', 'extra', '__proto__'), value, { maxKeys: 4 });
const parameters = fc.record({
  name: fc.constantFrom('read_file', 'list_directory', 'file_info', 'find_files', 'write_file', 'fetch_url', 'nope', '', 'constructor', 'mcp__a__b'),
  arguments: fc.oneof({ weight: 8, arbitrary: fields }, { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, {}) }),
});

it('answers past the SDK what it answers through it', { timeout: 60_000 }, async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const stateFolder = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  await mkdir(join(workspace, 'sub'));
  for (const [name, text] of [
    ['a.txt', 'one\ntwo\n'],
    ['.env', 'KEY=1\n'],
  ] as const)
    await writeFile(join(workspace, name), text);
  await using hands = await createHands({ workspace, stateFolder });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = runMcpServer({ hands, name: 'test', version: '1', input, output });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params: unknown): Promise<unknown> => {
    id += 1;
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { id: answered, ...answer } = JSON.parse(String((await lines.next()).value)) as { id: unknown };
    expect(answered).toBe(id);
    return answer;
  };
  await ask('initialize', INITIALIZE);
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  let failures = 0;
  await fc.assert(
    fc.asyncProperty(parameters, async (given) => {
      const direct = await ask('tools/call', given);
      // Anything more in it makes it a call for the SDK.
      const through = await ask('tools/call', { ...given, _meta: { 'test/odd': 1 } });
      expect(direct).toEqual(through);
      if (JSON.stringify(direct).includes('error')) failures += 1;
    }),
    { numRuns: 300 },
  );
  expect(failures).toBeGreaterThan(10);
  input.end();
  await served;
});
