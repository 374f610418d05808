import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { createHands } from './create-hands.ts';

async function withTool({ folder }: TemporaryHands) {
  const configFolder = join(folder, '..', 'config');
  mkdirSync(configFolder);
  writeFileSync(join(configFolder, 'config.jsonc'), '{ "tools": { "line_writers": true }, "permissions": { "deny": ["read(secret.txt)"] } }');
  return await createHands({ workspace: folder, stateFolder: join(folder, '..', 'state'), configFolder, allow: ['write'] });
}

it('is offered only where a person turned it on', async () => {
  await using at = await temporaryHands({ 'a.txt': 'one\n' });
  await using hands = await withTool(at);
  const names = (given: { tools(): ReadonlyArray<{ readonly name: string }> }): string[] => given.tools().map(({ name }) => name);
  expect(names(hands)).toEqual([...names(at.hands), 'line_writers']);
  expect(await at.hands.call<string>('line_writers', { path: 'a.txt' })).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
});

it('says who wrote the lines that a call may read', async () => {
  await using at = await temporaryHands({ 'a.txt': 'one\n', 'secret.txt': 'hidden words\n' });
  await using hands = await withTool(at);
  const { meta } = await hands.call<string>('write_file', { path: 'a.txt', content: 'one\ntwo\n' });
  const told = await hands.call<string>('line_writers', { path: 'a.txt', start_line: 2 });
  expect(told).toMatchObject({
    ok: true,
    output: expect.stringContaining(`2\twrite_file ${meta.callId.slice(0, 8)}\ttwo`) as string,
    data: { path: 'a.txt', lines: [{ line: 2, text: 'two', by: 'hands', tool: 'write_file', call: meta.callId }], more: 0 },
  });
  symlinkSync('secret.txt', at.at('link.txt'));
  for (const path of ['secret.txt', 'link.txt', '../outside/x', '/etc/passwd']) {
    const result = await hands.call<string>('line_writers', { path });
    expect(result.ok, path).toBe(false);
    expect(JSON.stringify(result)).not.toContain('hidden words');
  }
});
