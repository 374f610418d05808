import { openMcp } from '../mcp-session.ts';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { megabytes, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const cli = join(fileURLToPath(new URL('../..', import.meta.url)), 'packages/cli/bin/synapse.js');

/** Returns the maximum growth of a server while it answers, in bytes. */
async function growth(folder: string, state: string, name: string, input: unknown, warmUp: unknown): Promise<number> {
  await using session = await openMcp([process.execPath, cli, 'mcp', '--workspace', folder, '--allow', 'exec'], {
    ...process.env,
    XDG_STATE_HOME: state,
  });
  await session.call(name, warmUp);
  const before = session.memory();
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, session.memory());
  }, 20);
  try {
    await session.call(name, input);
  } finally {
    clearInterval(timer);
  }
  return Math.max(highest, session.memory()) - before;
}

/** Measures the memory used for hostile sizes. */
export async function memoryCases({ folder, state }: Scratch): Promise<Row[]> {
  const cases = [
    {
      what: "run_command 'yes' for 10 s",
      name: 'run_command',
      input: { command: 'yes', timeout_ms: 10_000 },
      warmUp: { command: 'true' },
      limit: 100,
    },
    {
      what: 'the last 100 lines of a 3 GB file',
      name: 'read_file',
      input: { path: 'large.txt', offset: -100 },
      warmUp: { path: 'f4k.txt' },
      limit: 20,
    },
  ];
  const rows: Row[] = [];
  for (const { what, name, input, warmUp, limit } of cases) {
    const bytes = await growth(folder, state, name, input, warmUp);
    rows.push({
      group: 'Memory',
      what,
      ours: `+${megabytes(bytes)}`,
      peer: '',
      compared: '',
      target: `< ${limit} MB`,
      met: bytes < limit * 1024 * 1024,
    });
  }
  return rows;
}
