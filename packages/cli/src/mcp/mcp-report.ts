import type { McpServers, McpServerStatus } from '@synapse/hands/mcp';
import type { Output, Style } from '../output/output.ts';
import { inLine } from '../output/visible-text.ts';

const STYLES: Partial<Record<McpServerStatus['state'], Style>> = {
  ready: 'green',
  failed: 'red',
  waiting: 'red',
  untrusted: 'yellow',
  unapproved: 'yellow',
  disabled: 'dim',
};

/** The color of a state. */
export function stateStyle({ state }: McpServerStatus): Style | undefined {
  return STYLES[state];
}

/** Milliseconds as text. */
export function shownMs(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}

/** Whether a server works and all its tools are available. */
export function isFine({ state, pendingReview }: McpServerStatus): boolean {
  return state === 'disabled' || (state === 'ready' && pendingReview.length === 0);
}

/** Prints problems of the configuration, and of each server that does not work. */
export function tellProblems(servers: McpServers, err: Output): void {
  for (const problem of servers.problems) err.write(`${inLine(problem)}\n`, 'yellow');
  const all = servers.list();
  const broken = Map.groupBy(
    all.filter(({ state }) => state !== 'ready' && state !== 'disabled'),
    ({ state, reason }) => `${state}${reason === undefined ? '' : `: ${inLine(reason)}`}`,
  );
  // Servers of one file often fail for the same reason.
  for (const [how, list] of broken) err.write(`${list.map(({ name }) => name).join(', ')} ${list.length === 1 ? 'is' : 'are'} ${how}\n`, 'yellow');
  for (const { name, pendingReview } of all) {
    if (pendingReview.length > 0)
      err.write(`${name} has ${pendingReview.length} tools that are not approved yet: synapse mcp approve ${name}\n`, 'yellow');
  }
}
