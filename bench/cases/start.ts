import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { measure } from '../measure.ts';
import { time, type Row } from '../result.ts';

const cli = join(fileURLToPath(new URL('../..', import.meta.url)), 'packages/cli/bin/synapse.js');

function node(...programArguments: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, programArguments);
  if (status !== 0) throw new Error(stderr.toString());
}

/** Measures the time to start `synapse --version`. */
export async function startCases(): Promise<Row[]> {
  const [ours, empty] = await measure(
    [
      { name: 'ours', run: async () => node(cli, '--version') },
      { name: 'empty', run: async () => node('-e', '0') },
    ],
    { rounds: 15, perRound: 2 },
  );
  const ratio = (ours?.median ?? 0) / (empty?.median ?? 1);
  return [
    {
      group: 'Start',
      what: 'synapse --version',
      ours: time(ours?.median ?? 0),
      peer: `${time(empty?.median ?? 0)} (node -e 0)`,
      compared: `${ratio.toFixed(2)}×`,
      target: '≤ 1.5×',
      met: ratio <= 1.5,
    },
  ];
}
