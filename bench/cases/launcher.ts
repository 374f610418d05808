import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledLauncher, type CompiledLauncher } from '../../packages/hands/src/launch/compiled-launcher.ts';
import type { Argv } from '../../packages/hands/src/launch/launch-steps.ts';
import { hardenedArgv, ProcessTags } from '../../packages/hands/src/process/hardening.ts';
import { launchers } from '../../packages/hands/src/transaction/run-on-overlay.ts';
import { measure, type Contender } from '../measure.ts';
import { time, type Row } from '../result.ts';

/** The limits of commands (`DEFAULT_RESOURCE_LIMITS`), in the units of a shell. */
const LIMITS = { memoryKib: 8_388_608, cpuSeconds: 3_600, fileBlocks: 8_388_608 };
/** A program that ends at once. */
const COMMAND: Argv = ['/bin/true'];

/** The folder of a copy of an empty workspace. */
function makeArea(base: string): string {
  const area = mkdtempSync(join(base, 'area-'));
  for (const name of ['upper', 'work', 'merged', 'lower']) mkdirSync(join(area, name));
  return area;
}

async function run([program, ...words]: Argv): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  spawn(program, words, { stdio: 'ignore' }).once('exit', resolve).once('error', reject);
  const code = await promise;
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
}

/** Compares the steps that are outside of the sandbox, by the compiled launcher and by shells and perl. */
export async function launcherCases(): Promise<Row[]> {
  const compiled = await compiledLauncher(undefined);
  if (compiled === undefined) return [];
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-launcher-')));
  const tags = new ProcessTags();
  const harden = (argv: Argv, launcher?: CompiledLauncher): Argv => hardenedArgv(argv, { tag: tags.next(), limits: LIMITS, launcher });
  const copy = (launcher?: CompiledLauncher): Argv => launchers(launcher)[0]?.wrap(makeArea(base), COMMAND) ?? COMMAND;
  const contender = (name: string, argv: () => Argv): Contender => ({ name, run: async () => await run(argv()) });
  const cases: ReadonlyArray<readonly [what: string, argv: (launcher?: CompiledLauncher) => Argv]> = [
    ['harden', (launcher) => harden(COMMAND, launcher)],
    ['harden and copy', (launcher) => harden(copy(launcher), launcher)],
  ];
  try {
    const rows: Row[] = [];
    for (const [what, argv] of cases) {
      const contenders = [contender('compiled', () => argv(compiled)), contender('scripts', () => argv()), contender('none', () => COMMAND)];
      const [ours, scripts, none] = (await measure(contenders, { rounds: 60, perRound: 1, warmUp: 5 })).map(({ median }) => median);
      if (ours === undefined || scripts === undefined || none === undefined) continue;
      rows.push({
        group: 'Steps of the launcher outside of the sandbox, compiled and as scripts',
        what,
        ours: time(ours),
        peer: `${time(scripts)} (a shell and perl)`,
        compared: `−${time(scripts - ours)}; ${time(none)} without steps`,
        target: '',
        met: true,
      });
    }
    return rows;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
