import { createHands } from '@synapse/hands';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openMcp } from '../mcp-session.ts';
import { measure, median } from '../measure.ts';
import { time, type Row } from '../result.ts';

const GROUP = 'Programs over the tools';
const FILES = 100;
/** What a program may cost beyond its calls, and the first one of a process, in milliseconds. */
const OVER_READS_MS = 60;
const COLD_MS = 40;
/** Milliseconds between programs: a model thinks longer, and the next thread is prepared meanwhile. */
const PAUSE_MS = 300;

const READ_ALL = `const read = await Promise.all(Array.from({ length: ${FILES} }, (_, i) => hands.read_file({ path: 'f' + i }))); return read.length;`;

/** The first program of a server that offers programs alone, once it has started: in milliseconds. */
async function firstOfServer(workspace: string, base: string): Promise<number> {
  const cli = fileURLToPath(new URL('../../packages/cli/bin/synapse.js', import.meta.url));
  const environment = { ...process.env, XDG_STATE_HOME: join(base, 'server-state'), XDG_CONFIG_HOME: join(base, 'server-config') };
  spawnSync(process.execPath, [cli, 'projects', 'add', workspace], { env: environment });
  await using session = await openMcp([process.execPath, cli, 'mcp', '--workspace', workspace, '--tools', 'program'], environment);
  await pause(PAUSE_MS);
  const began = performance.now();
  await session.call('run_program', { code: 'return 1' });
  return performance.now() - began;
}

/** Programs, compared with the calls that they make. */
export async function programCases(): Promise<Row[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-programs-')));
  const workspace = mkdtempSync(join(base, 'workspace-'));
  for (let index = 0; index < FILES; index += 1) writeFileSync(join(workspace, `f${index}`), `line ${index}\n`);
  try {
    await using hands = await createHands({ workspace, stateFolder: join(base, 'state'), allow: ['write', 'exec'] });
    const run = async (code: string): Promise<void> => {
      const result = await hands.call('run_program', { code });
      if (!result.ok || result.meta.completion !== 'ok') throw new Error(result.ok ? result.output : result.error.message);
    };
    const began = performance.now();
    await run('return 1');
    const cold = performance.now() - began;
    const prepared = await firstOfServer(workspace, base);
    const after = async (): Promise<void> => await pause(PAUSE_MS);
    const [program, calls] = await measure(
      [
        { name: 'program', run: async () => await run(READ_ALL), after },
        {
          name: 'calls',
          run: async () => await Promise.all(Array.from({ length: FILES }, (_, index) => hands.call('read_file', { path: `f${index}` }))),
          after,
        },
      ],
      { rounds: 15, perRound: 1 },
    );
    const over = median((program?.means ?? []).map((mean, round) => mean - (calls?.means[round] ?? Number.NaN)));
    const [writing] = await measure(
      [{ name: 'write', run: async () => await run(`await hands.write_file({ path: 'made', content: String(Math.random()) })`), after }],
      {
        rounds: 7,
        perRound: 1,
      },
    );
    return [
      {
        group: GROUP,
        what: 'the first program of a process',
        ours: time(cold),
        peer: '',
        compared: '',
        target: `≤ ${COLD_MS} ms`,
        met: cold <= COLD_MS,
      },
      {
        group: GROUP,
        what: 'the first program of `synapse mcp --tools program`',
        ours: time(prepared),
        peer: '',
        compared: '',
        target: `≤ ${COLD_MS} ms`,
        met: prepared <= COLD_MS,
      },
      {
        group: GROUP,
        what: `a program that reads ${FILES} files`,
        ours: time(program?.median ?? 0),
        peer: `${time(calls?.median ?? 0)} (${FILES} calls)`,
        compared: `+${time(over)}`,
        target: `≤ +${OVER_READS_MS} ms`,
        met: over <= OVER_READS_MS,
      },
      {
        group: GROUP,
        what: 'a program that writes a file, on a branch',
        ours: time(writing?.median ?? 0),
        peer: '',
        compared: '',
        target: '',
        met: true,
      },
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
