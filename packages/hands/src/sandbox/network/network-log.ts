import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

const entrySchema = z.strictObject({
  /** When it was asked for last, as an ISO date. */
  time: z.string(),
  /** `CONNECT` for a connection whose requests are not looked at. */
  method: z.string(),
  host: z.string(),
  /** Without a query; empty for a connection. */
  path: z.string(),
  outcome: z.enum(['sent', 'refused', 'failed']),
  /** The rule for `--network` that would allow it. */
  rule: z.string().optional(),
  /** Why else it was refused, or failed. */
  about: z.string().optional(),
  count: z.int(),
  /** Bytes that its requests sent, heads included. */
  sent: z.int().optional(),
});

/** Something that commands asked the network for. */
export type NetworkEntry = z.output<typeof entrySchema>;

/** What is noted of a request. */
export type Noted = Omit<NetworkEntry, 'time' | 'count'>;

/** Maximum number of different entries held, and milliseconds for which they are. */
const MAX_HELD = 200;
const HELD_MS = 2_000;
/** Maximum size of the file in bytes; over it, the older half is deleted. */
const MAX_BYTES = 512 * 1024;

/** The file with what the commands of a workspace asked for. */
export const networkLogFile = (stateFolder: string, workspaceId: string): string => join(stateFolder, 'network', `${workspaceId}.jsonl`);

/** Notes what commands ask the network for. Same requests within two seconds are one entry. Losing an entry must not fail a command. */
export class NetworkLog implements Disposable {
  readonly #file: string;
  readonly #held = new Map<string, NetworkEntry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  note({ sent, ...noted }: Noted): void {
    const key = JSON.stringify(noted);
    const before = this.#held.get(key);
    const count = (before?.count ?? 0) + 1;
    const all = sent === undefined ? before?.sent : sent + (before?.sent ?? 0);
    if (count === 1 && this.#held.size >= MAX_HELD) return;
    this.#held.set(key, { ...noted, time: new Date().toISOString(), count, ...(all === undefined ? {} : { sent: all }) });
    this.#timer ??= setTimeout(() => this.#write(), HELD_MS).unref();
  }

  [Symbol.dispose](): void {
    this.#write();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#held.size === 0) return;
    const lines = Array.from(this.#held.values(), (entry) => `${JSON.stringify(entry)}\n`).join('');
    this.#held.clear();
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      if ((statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) this.#shorten();
      appendFileSync(this.#file, lines, { mode: 0o600 });
    } catch {
      // A full disk, or no right to write there: the audit log says so, and this list is only for reading.
    }
  }

  #shorten(): void {
    const text = readFileSync(this.#file, 'utf8').slice(-MAX_BYTES / 2);
    const fresh = `${this.#file}.${process.pid}`;
    writeFileSync(fresh, text.slice(text.indexOf('\n') + 1), { mode: 0o600 });
    renameSync(fresh, this.#file);
  }
}

function parsed(line: string): NetworkEntry[] {
  try {
    return [entrySchema.parse(JSON.parse(line))];
  } catch {
    // Cut by a crash.
    return [];
  }
}

/** Reads the newest entries of a log, oldest first; none if nothing was asked for. */
export function readNetworkLog(file: string, limit: number): NetworkEntry[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').filter(Boolean).slice(-limit).flatMap(parsed);
}
