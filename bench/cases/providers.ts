import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHands } from '@synapse/hands';
import { handleAnthropic, handleOpenAiResponses } from '@synapse/hands/providers';
import { measure } from '../measure.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

/** Number of processes per median. */
const PROCESSES = 15;
/** Maximum milliseconds for the first writing of all definitions in a process. */
const DEFINITIONS_MS = 5;
/** Maximum milliseconds that a dialect or a provider format may add to a call. */
const MAPPING_MS = 0.02;

const FORMATS = [['openai-strict'], ['openai-responses'], ['anthropic'], ['gemini'], ['anthropic', 'claude-code']] as const;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Returns the milliseconds to write all tools, in a separate process. */
function definitions(words: readonly string[]): number {
  const script = fileURLToPath(new URL('definitions.ts', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

function definitionRows(): Row[] {
  const samples = new Map<string, number[]>(FORMATS.map((words) => [words.join(' '), []]));
  // Interleaved, so that a machine that slows down affects all of them.
  for (let run = 0; run < PROCESSES; run += 1) for (const words of FORMATS) samples.get(words.join(' '))?.push(definitions(words));
  return FORMATS.map(([format, dialect]) => {
    const took = median(samples.get([format, dialect].filter((word) => word !== undefined).join(' ')) ?? []);
    return {
      group: 'Providers and dialects',
      what: `all definitions for ${format}${dialect === undefined ? '' : ` as ${dialect}`}, first in a process`,
      ours: time(took),
      peer: '',
      compared: '',
      target: '< 5 ms',
      met: took < DEFINITIONS_MS,
    };
  });
}

/** Measures the cost of dialects and provider formats. */
export async function providerCases({ folder, state }: Scratch): Promise<Row[]> {
  await writeFile(join(folder, 'mapped.txt'), 'one line\n');
  await using hands = await createHands({ workspace: folder, stateFolder: state });
  const path = 'mapped.txt';
  const speaking = hands.dialect('claude-code');
  const output = [{ type: 'function_call', call_id: 'c', name: 'read_file', arguments: JSON.stringify({ path }) }];
  const content = [{ type: 'tool_use', id: 'c', name: 'read_file', input: { path } }];
  const [plain, ...mapped] = await measure(
    [
      { name: 'hands.call', run: () => hands.call('read_file', { path }) },
      { name: "a call as claude-code's Read", run: () => speaking.call('Read', { file_path: path }) },
      { name: 'a call of the Responses API', run: () => handleOpenAiResponses(hands, { output }) },
      { name: 'a call of the Messages API', run: () => handleAnthropic(hands, { content }) },
    ],
    { rounds: 25, perRound: 200 },
  );
  const rows = mapped.map(({ name, median: took }) => {
    const more = took - (plain?.median ?? 0);
    return {
      group: 'Providers and dialects',
      what: name,
      ours: time(took),
      peer: `${time(plain?.median ?? 0)} (hands.call)`,
      compared: `${more >= 0 ? '+' : '−'}${time(Math.abs(more))}`,
      target: '≤ +20 µs',
      met: more <= MAPPING_MS,
    };
  });
  return [...definitionRows(), ...rows];
}
