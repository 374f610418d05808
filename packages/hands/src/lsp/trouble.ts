import { harmlessText } from '../text/terminal-text.ts';
import type { ServerRow } from './server-table.ts';

const MAX_TROUBLE_CHARACTERS = 240;
/** What programs print around what is wrong. */
const AROUND = /packages\.Load error: |err: exit status \d+: |stderr: |go: downloading \S+ \S+ ?/gu;

/** The same words twice, which gopls says where it tried twice. */
const REPEATED = /^(.{20,}) \1$/u;

/** Why a server could not load a project, for as long as it says so. */
export interface Trouble {
  readonly reason: string;
  /** What to do about it, where that is known. */
  readonly advice?: string;
}

/**
 * Reads a report of progress that is none: gopls keeps one open for as long as a project cannot be loaded. Taken for work in progress, it would
 * be waited for in vain at each call, and each answer would be to repeat it.
 *
 * @param root the real path of the workspace
 */
export function troubleOf(value: unknown, { troubles }: Pick<ServerRow, 'troubles'>, root: string): Trouble | undefined {
  const { kind, title, message }: Record<string, unknown> = Object(value);
  if (kind !== 'begin' || typeof title !== 'string' || !/^error\b/iu.test(title)) return undefined;
  const text = typeof message === 'string' ? message.slice(0, 4_000) : '';
  const cleaned = harmlessText(text.replaceAll(AROUND, '').replaceAll(`${root}/`, ''))
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, 1_000)
    .replace(REPEATED, '$1');
  const reason = `${title.slice(0, 80)}${cleaned === '' ? '' : `: ${cleaned.slice(0, MAX_TROUBLE_CHARACTERS)}`}`.replace(/\.$/u, '').toWellFormed();
  const advice = troubles?.find(([like]) => like.test(text))?.[1];
  return { reason, ...(advice === undefined ? {} : { advice }) };
}
