import * as z from 'zod';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptLayers } from '../layers/kept-layers.ts';
import type { AppliedOutput, OutputSource } from './output-source.ts';
import { SynapseError } from '@synapse/protocol';
import { count, lostSentences } from '../../text/amounts.ts';
import { whyNotKept } from '../../workspace/file-error.ts';

/** The file that says what is kept of layers whose process has ended. */
const NOTE = 'written.json';

const Place = z.string().regex(/^\d{1,6}$/u);
const Written = z.object({
  version: z.literal(1),
  /** The command, for what is said about its build output. */
  command: z.string(),
  caches: z.array(z.object({ path: z.string(), place: Place, only: z.array(z.object({ path: z.string(), isDivided: z.boolean() })).optional() })),
  /** Build output, relative to the workspace. */
  outputs: z.array(z.object({ path: z.string(), place: Place })),
});
/** What a command writes to, in the folder with its layers. */
export type WrittenLayers = z.infer<typeof Written>;

/** The folders with layers of a project that were handed over. @param above the folder of all layers */
export function handedOver(above: string, project: string): string[] {
  const names = existsSync(above) ? readdirSync(above) : [];
  return names.filter((name) => name.includes(`-${project}-`) && existsSync(join(above, name, NOTE)));
}

/** Saves it beside the layers, for a process that keeps them after this one has ended. Undefined: no other process does. */
export function noteWritten(folder: string, written: WrittenLayers | undefined): void {
  if (written === undefined) rmSync(join(folder, NOTE), { force: true });
  else writeFileSync(join(folder, NOTE), JSON.stringify(written), { mode: 0o600 });
}

/** Reads it; undefined if there is none. */
export function notedWritten(folder: string): WrittenLayers | undefined {
  try {
    return Written.safeParse(JSON.parse(readFileSync(join(folder, NOTE), 'utf8'))).data;
  } catch {
    // The layers were not handed over, or by another version.
    return undefined;
  }
}

/** Where what commands wrote is kept. */
export interface WrittenTargets {
  readonly kept: Pick<KeptLayers, 'keep'> | undefined;
  /** Whether no other command uses the layers of the project. */
  readonly isAlone: () => boolean;
  readonly keepOutputs: OutputSource['keep'] | undefined;
}

const cachesLost = (amount: number): string => `${amount === 1 ? 'A cache was' : `${count(amount, 'cache')} were`} not kept for later commands`;

/** Keeps what an ended command wrote above caches and build output. Returns what its result says. */
export async function keepWritten(
  folder: string,
  { caches, outputs, command }: WrittenLayers,
  { kept, isAlone, keepOutputs }: WrittenTargets,
): Promise<readonly string[]> {
  const upper = (place: string): string => join(folder, place, 'upper');
  const notes: string[] = [];
  try {
    const written = caches.map(({ path, place, only }) => ({ path, upper: upper(place), only }));
    const lost = (await kept?.keep(written, isAlone)) ?? [];
    if (lost.length > 0) notes.push(...lostSentences(lost, cachesLost));
  } catch (error) {
    // Such as on a full disk. Later commands fill them again.
    notes.push(`Caches were not kept for later commands: ${whyNotKept(error)}.`);
  }
  try {
    const written = outputs.map(({ path, place }) => ({ path, upper: upper(place) }));
    if (written.length > 0) notes.push(...((await keepOutputs?.(written, join(folder, 'outputs'), command)) ?? []));
  } catch (error) {
    // The next build writes it again.
    notes.push(`Build output was not kept: ${whyNotKept(error)}.`);
  }
  return notes;
}

/** Names in the folder of layers, and the descriptor, that `layers.sh` uses. */
const TABLE = 'output-table';
const FAILED = 'failed';
/** The name in the folder of a layer that leads to the folder of the workspace. */
export const BELOW = 'below';
/** The descriptor by which the program holds that folder: a layer below it is named by it. */
export const HELD = '/proc/self/fd/9';

/** Writes the table of `layers.sh`. */
export function writeOutputTable(folder: string, shown: ReadonlyArray<{ readonly place: string; readonly output: AppliedOutput }>): void {
  const lines = shown.map(({ place, output }) => {
    const { dev, ino } = statSync(output.below.self, { bigint: true });
    return `${place} ${dev}:${ino}\n`;
  });
  if (lines.length > 0) writeFileSync(join(folder, TABLE), lines.join(''), { mode: 0o600 });
}

/** Throws if the layers could not be mounted; the command was then not run. */
export function assertOutputsMounted(folder: string): void {
  if (!existsSync(join(folder, FAILED))) return;
  throw new SynapseError(
    'conflict',
    'The command was not run: the build output of earlier commands could not be shown to it, as its folder changed.',
    {
      hint: 'Repeat it. If that fails again, a person applies or drops the output: synapse changes pending.',
      retryable: true,
    },
  );
}
