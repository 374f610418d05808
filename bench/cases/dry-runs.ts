import { createHands } from '@synapse/hands';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure } from '../measure.ts';
import { time, type Row } from '../result.ts';

const GROUP = 'Dry runs, and undo for commands';

interface Case {
  readonly what: string;
  readonly peer: string;
  readonly tool: string;
  readonly input: unknown;
  readonly dryRun: boolean;
}

/** Calls as dry runs or with undo, each compared with the same plain call. */
const CASES: readonly Case[] = [
  { what: 'write_file, dry run', peer: 'write_file', tool: 'write_file', input: { path: 'a.txt', content: 'two\n' }, dryRun: true },
  { what: "run_command 'echo x > b', dry run", peer: 'in the sandbox', tool: 'run_command', input: { command: 'echo x > b' }, dryRun: true },
  { what: 'run_command true, undo for commands', peer: 'in the sandbox', tool: 'run_command', input: { command: 'true' }, dryRun: false },
  {
    what: "run_command 'date > b', undo for commands",
    peer: 'in the sandbox',
    tool: 'run_command',
    input: { command: 'date +%N > b' },
    dryRun: false,
  },
  {
    what: '1,000 new files by a command, undo for commands',
    peer: 'in the sandbox',
    tool: 'run_command',
    input: { command: 'rm -rf n; mkdir n; cd n; for i in $(seq 1000); do echo $i > $i; done' },
    dryRun: false,
  },
];

export async function dryRunCases(): Promise<Row[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-dry-')));
  const place = (name: string): { workspace: string; stateFolder: string } => {
    const workspace = mkdtempSync(join(base, name));
    writeFileSync(join(workspace, 'a.txt'), 'one\n');
    return { workspace, stateFolder: mkdtempSync(join(base, 'state-')) };
  };
  const allow = ['write', 'exec'] as const;
  try {
    await using plain = await createHands({ ...place('plain-'), allow });
    await using covered = await createHands({ ...place('covered-'), allow, undoCommands: true });
    const rows: Row[] = [];
    for (const { what, peer, tool, input, dryRun } of CASES) {
      const run = async (hands: typeof plain, options: { dryRun: boolean }): Promise<void> => {
        const result = await hands.call(tool, input, options);
        if (!result.ok) throw new Error(`${what}: ${result.error.message}`);
      };
      const [mine, theirs] = await measure(
        [
          { name: 'ours', run: () => run(dryRun ? plain : covered, { dryRun }) },
          { name: 'as it is', run: () => run(plain, { dryRun: false }) },
        ],
        { rounds: 15, perRound: 1 },
      );
      const [ours, other] = [mine?.median ?? 0, theirs?.median ?? 0];
      const compared = `${ours < other ? '−' : '+'}${time(Math.abs(ours - other))}`;
      rows.push({ group: GROUP, what, ours: time(ours), peer: `${time(other)} (${peer})`, compared, target: '', met: true });
    }
    return rows;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
