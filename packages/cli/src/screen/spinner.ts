import type { Line } from '../output/styled-line.ts';
import { clipLine, lineWidth } from './clip-line.ts';

const PICTURES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const PICTURE_MS = 100;

/** What runs, and for how long. */
export interface Running {
  readonly status: string;
  readonly facts: string;
  readonly ms: number;
}

/** Time for a person: `5 s`, `2 min 5 s`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Cells for facts. */
const MAX_FACTS = 30;

/** The line that says what runs. The time is never cut. */
export function spinner({ status, facts, ms }: Running, width: number): Line {
  const picture = PICTURES[Math.floor(ms / PICTURE_MS) % PICTURES.length] ?? PICTURES[0];
  const about = [...(ms >= 1_000 ? [elapsed(ms)] : []), ...(facts === '' ? [] : [facts])].join(' · ');
  const rest = clipLine([{ text: about === '' ? '' : `  ${about}`, styles: ['dim'] }], MAX_FACTS);
  const room = width - 2 - lineWidth(rest);
  return [{ text: `${picture} `, styles: ['cyan'] }, ...clipLine([{ text: status, styles: ['dim'] }], Math.max(1, room)), ...rest];
}
