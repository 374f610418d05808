import type { ConsoleCall, ConsoleRun } from '@synapse/protocol/console';

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'busy';

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: string }) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}

export const STATUS_TONES: Readonly<Record<ConsoleCall['status'], Tone>> = { ok: 'good', failed: 'bad', running: 'busy', interrupted: 'warn' };

export const VERDICT_TONES: Readonly<Record<NonNullable<ConsoleCall['verdict']>, Tone>> = {
  allowed: 'plain',
  approved: 'good',
  asked: 'warn',
  denied: 'bad',
};

/** Badges of runs, in the words of their buttons. */
const RUN_STATUS: Readonly<Record<ConsoleRun['status'], { readonly tone: Tone; readonly label: string }>> = {
  running: { tone: 'busy', label: 'running' },
  held: { tone: 'warn', label: 'paused' },
  paused: { tone: 'warn', label: 'model not reached' },
  stopped: { tone: 'plain', label: 'stopped' },
  done: { tone: 'good', label: 'done' },
  incomplete: { tone: 'warn', label: 'incomplete' },
  failed: { tone: 'bad', label: 'failed' },
};

export function RunBadge({ status }: { readonly status: ConsoleRun['status'] }) {
  const { tone, label } = RUN_STATUS[status];
  return <Badge tone={tone}>{label}</Badge>;
}

/** A badge for the verdict of a rule. */
export function VerdictBadge({ verdict }: { readonly verdict: string }) {
  return <Badge tone={verdict === 'allow' ? 'good' : verdict === 'deny' ? 'bad' : 'warn'}>{verdict}</Badge>;
}
