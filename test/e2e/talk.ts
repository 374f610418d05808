import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { CLI, outcome, type Place } from './run-cli.ts';

/** The final screen of a terminal, and the exit code. */
export interface Conversation {
  readonly code: number;
  readonly screen: string;
  readonly lines: readonly string[];
}

/** Number of terminal lines. */
export const ROWS = 24;
const COLUMNS = 80;

/** What is typed after the expected text: once the screen is quiet, or at once while something is painted all the time. A text names a file that is made then. */
export type Step = readonly [awaits: string, types: string, atOnce?: true | string];

/** Runs a command on a real terminal of 80 by 24, and types after the expected text appears. */
export async function onTerminal(
  place: Place,
  words: readonly string[],
  steps: readonly Step[],
  environment: NodeJS.ProcessEnv = { NO_COLOR: '1' },
): Promise<Conversation> {
  const script = join(import.meta.dirname, 'terminal.py');
  const child = spawn('python3', [script, String(ROWS), String(COLUMNS), JSON.stringify(steps), process.execPath, CLI, ...words], {
    cwd: place.folder,
    env: { ...place.environment, TERM: 'xterm', ...environment },
    stdio: 'pipe',
  });
  const { out } = await outcome(child);
  const lines = out.replaceAll('\r', '').trimEnd().split('\n');
  return { code: Number(lines.at(-1)), screen: lines.slice(0, -1).join('\n'), lines: lines.slice(0, -1) };
}

/** Runs `synapse call`, or another command that takes a workspace, on a terminal. */
export const talk = (place: Place, words: readonly string[], steps: readonly Step[], command = 'call'): Promise<Conversation> =>
  onTerminal(place, [command, ...words, '--workspace', '.'], steps);
