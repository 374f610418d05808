import type { ConsoleCall } from '@synapse/protocol/console';

/** A filter for calls. */
export interface CallFilter {
  /** Words that must all occur in the row. */
  readonly text: string;
  readonly status: 'all' | 'running' | 'failed' | 'denied';
  readonly tool: string;
  readonly session: string;
}

export const NO_FILTER: CallFilter = { text: '', status: 'all', tool: '', session: '' };

const STATUS: Readonly<Record<CallFilter['status'], (call: ConsoleCall) => boolean>> = {
  all: () => true,
  running: ({ status }) => status === 'running',
  failed: ({ status }) => status === 'failed' || status === 'interrupted',
  denied: ({ verdict }) => verdict === 'denied' || verdict === 'asked',
};

/** Returns the matching calls in the same order; the same array if there is no filter. */
export function filterCalls(calls: readonly ConsoleCall[], { text, status, tool, session }: CallFilter): readonly ConsoleCall[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0 && status === 'all' && tool === '' && session === '') return calls;
  const fits = STATUS[status];
  return calls.filter((call) => {
    if (!fits(call) || (tool !== '' && call.tool !== tool) || (session !== '' && call.session !== session)) return false;
    if (words.length === 0) return true;
    const row = `${call.tool} ${call.args} ${call.id} ${call.session ?? ''} ${call.step ?? ''} ${call.code ?? ''}`.toLowerCase();
    return words.every((word) => row.includes(word));
  });
}
