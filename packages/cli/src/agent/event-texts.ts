import type { AgentEvent } from '@synapse/brain';
import { inLine } from '../output/visible-text.ts';

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>;

/** Arguments that say what a call is about, in the words of Synapse and of the dialects; the first one counts. */
const SUBJECTS = ['command', 'cmd', 'pattern', 'query', 'glob', 'url', 'path', 'file_path', 'filePath', 'absolute_path', 'from'] as const;
/** Characters of a subject that are shown while a call runs. */
const MAX_SUBJECT = 200;

/** The first line of a run. */
export function sessionText({ sessionId, model, resumed }: EventOf<'session'>): string {
  return `Session ${sessionId} · ${model}${resumed ? ' · resumed' : ''}`;
}

/** What a call says while it runs: its message, or the last line of its output. */
export function progressText({ message, output }: EventOf<'call-progress'>): string {
  return message ?? output?.trimEnd().split('\n').at(-1) ?? '';
}

/** What runs: the tool and what it is about. */
export function callText({ tool, input }: EventOf<'call-start'>): string {
  const fields: Readonly<Record<string, unknown>> = typeof input === 'object' && input !== null ? { ...input } : {};
  const subject = SUBJECTS.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof subject === 'string' ? `${tool} ${inLine(subject.slice(0, MAX_SUBJECT))}` : tool;
}

/** How a call ended, in one line. */
export function endText({ ok, completion, summary, error, durationMs }: EventOf<'call-end'>): {
  readonly style: 'dim' | 'yellow';
  readonly text: string;
} {
  const why = error === undefined ? '' : `: ${inLine(error.replace(/^Error: /u, ''))}`;
  const good = ok && completion === 'ok';
  return { style: good ? 'dim' : 'yellow', text: `${good ? '✓' : '✗'} ${inLine(summary)}${why}  (${Math.round(durationMs)} ms)` };
}

/** Why a turn is requested again. */
export function retryText({ reason, attempt, waitMs }: EventOf<'retry'>): string {
  return `${inLine(reason)} Retry ${attempt} in ${(waitMs / 1000).toFixed(1)} s.`;
}
