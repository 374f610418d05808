import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { KeptLayers } from '../layers/kept-layers.ts';
import type { OutputSource } from './output-source.ts';

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

/** Keeps what an ended command wrote above caches and build output. Returns what its result says. */
export async function keepWritten(
  folder: string,
  { caches, outputs, command }: WrittenLayers,
  { kept, isAlone, keepOutputs }: WrittenTargets,
): Promise<readonly string[]> {
  const upper = (place: string): string => join(folder, place, 'upper');
  const why = (error: unknown): string => (error instanceof Error ? error.message : 'it could not be moved');
  const notes: string[] = [];
  try {
    const written = caches.map(({ path, place, only }) => ({ path, upper: upper(place), only }));
    notes.push(...((await kept?.keep(written, isAlone)) ?? []).map((lost) => `A cache was not kept for later commands: ${lost}.`));
  } catch (error) {
    // Such as on a full disk. Later commands fill them again.
    notes.push(`Caches were not kept for later commands: ${why(error)}.`);
  }
  try {
    const written = outputs.map(({ path, place }) => ({ path, upper: upper(place) }));
    if (written.length > 0) notes.push(...((await keepOutputs?.(written, join(folder, 'outputs'), command)) ?? []));
  } catch (error) {
    // The next build writes it again.
    notes.push(`Build output was not kept: ${why(error)}.`);
  }
  return notes;
}
