import { createHands, type Hands } from '@synapse/hands';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, NOT_MEASURED } from '../measure.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const GROUP = 'What safety costs';
/** Maximum milliseconds, from the issues. */
const SANDBOX_BUDGET = 8;
const GUARD_BUDGET = 0.1;
const EXPLAIN_BUDGET = 2;
const EXPLAINED_CHARACTERS = 2_000;

async function must(hands: Hands, name: string, input: unknown): Promise<void> {
  const result = await hands.call(name, input);
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
}

/** Measures the sandbox of a command, the checks of a read, and the analysis of a long command. */
export async function safetyCases({ folder, state }: Scratch): Promise<Row[]> {
  const allow = ['write', 'exec'] as const;
  await using boxed = await createHands({ workspace: folder, stateFolder: join(state, 'boxed'), allow, sandbox: 'required' });
  await using open = await createHands({ workspace: folder, stateFolder: join(state, 'open'), allow, sandbox: 'none' });
  const [inside = NOT_MEASURED, outside = NOT_MEASURED, bare = NOT_MEASURED] = await measure(
    [
      { name: 'sandbox', run: () => must(boxed, 'run_command', { command: 'true' }) },
      { name: 'none', run: () => must(open, 'run_command', { command: 'true' }) },
      { name: 'spawn', run: () => once(spawn('/bin/sh', ['-c', 'true'], { cwd: folder }), 'close') },
    ],
    { rounds: 20, perRound: 10, warmUp: 5 },
  );
  const [read = NOT_MEASURED, plain = NOT_MEASURED] = await measure(
    [
      { name: 'read_file', run: () => must(open, 'read_file', { path: 'f4k.txt' }) },
      { name: 'readFileSync', run: async () => readFileSync(join(folder, 'f4k.txt'), 'utf8') },
    ],
    { rounds: 15, perRound: 200, warmUp: 3_000 },
  );
  const command = `${'git log --oneline | grep -v "x y" && '
    .repeat(100)
    .slice(0, EXPLAINED_CHARACTERS - 10)
    .replace(/ && [^&]*$/u, '')} && true`;
  const [explained = NOT_MEASURED] = await measure([{ name: 'explain', run: async () => open.explain('run_command', { command }) }], {
    rounds: 10,
    perRound: 20,
  });
  const [sandboxed, direct, spawned] = [inside.median, outside.median, bare.median];
  const guard = read.median - plain.median;
  const judging = explained.median;
  return [
    {
      group: GROUP,
      what: 'run_command true, in the sandbox',
      ours: time(sandboxed),
      peer: `${time(direct)} (without the sandbox)`,
      compared: `+${time(sandboxed - direct)}; ${time(spawned)} for a bare spawn`,
      target: `≤ +${SANDBOX_BUDGET} ms`,
      met: sandboxed - direct <= SANDBOX_BUDGET,
    },
    {
      group: GROUP,
      what: 'policy, audit, limits and the rest around a read of 4 KB',
      ours: time(read.median),
      peer: `${time(plain.median)} (readFileSync)`,
      compared: `+${time(guard)}`,
      target: `≤ +${time(GUARD_BUDGET)}`,
      met: guard <= GUARD_BUDGET,
    },
    {
      group: GROUP,
      what: `policy explain, a command of ${command.length} characters`,
      ours: time(judging),
      peer: '',
      compared: '',
      target: `< ${EXPLAIN_BUDGET} ms`,
      met: judging < EXPLAIN_BUDGET,
    },
  ];
}
