import { fstatSync } from 'node:fs';
import type { CommandIo } from '../command/command.ts';
import { sizeOf } from '../output/output.ts';
import type { LiveScreen, LiveTerminal } from '../screen/live-screen.ts';

/** Whether stdout and stderr are one terminal on which lines can be painted again. */
function isOneTerminal({ out, err }: Pick<CommandIo, 'out' | 'err'>): boolean {
  if (!out.isTerminal || !err.isTerminal || process.env['TERM'] === 'dumb') return false;
  return fstatSync(process.stdout.fd).rdev === fstatSync(process.stderr.fd).rdev;
}

/** What the person types, and when it is shown. */
export type LiveInput = Pick<LiveTerminal, 'typed' | 'onLive'>;

/** Opens a live screen for a person; undefined for a program, and on terminals that cannot repaint. */
export async function openScreen(io: Pick<CommandIo, 'out' | 'err'>, input: LiveInput = {}): Promise<LiveScreen | undefined> {
  if (!isOneTerminal(io)) return undefined;
  // Loaded late: programs need neither Markdown nor widths.
  const { LiveScreen: Screen } = await import('../screen/live-screen.ts');
  const { stdout } = process;
  const terminal: LiveTerminal = {
    write: (text) => void stdout.write(text),
    size: () => sizeOf(stdout),
    // Follows NO_COLOR and FORCE_COLOR.
    color: stdout.hasColors(),
    ...input,
  };
  return new Screen(terminal, io.out);
}
