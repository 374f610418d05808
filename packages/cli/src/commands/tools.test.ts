import { TOOL_FORMATS } from '@synapse/hands/providers';
import { CANONICAL_TOOLS } from '@synapse/hands/tools';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Output } from '../output/output.ts';
import { command } from './tools.ts';

async function run(...words: string[]): Promise<{ code: number; out: string }> {
  let text = '';
  const out: Output = { isTerminal: false, columns: 100, write: (part) => void (text += part), show: () => {} };
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  const code = await command.start(words, { out, err: out, stdin, signal: new AbortController().signal, version: '0' });
  return { code, out: text };
}

it('names every format in the help of --format', () => {
  expect(command.options['format']?.description).toContain(TOOL_FORMATS.join(', '));
});

it.each(TOOL_FORMATS)('prints the tools as %s', async (format) => {
  const { code, out } = await run('--format', format);
  expect(code).toBe(0);
  for (const { name } of CANONICAL_TOOLS) expect(out).toContain(name);
  if (format !== 'markdown') expect(JSON.parse(out)).toBeTypeOf('object');
});

it('answers an unknown format with the list', async () => {
  await expect(run('--format', 'antropic')).rejects.toMatchObject({
    code: 'invalid_arguments',
    hint: `Did you mean anthropic? The formats are: ${TOOL_FORMATS.join(', ')}.`,
  });
});
