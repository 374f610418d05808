import type { McpServers, McpServerStatus } from '@synapse/hands';
import type { Output, Style } from './output.ts';
import { inLine } from './visible-text.ts';

const STYLES: Partial<Record<McpServerStatus['state'], Style>> = {
  ready: 'green',
  failed: 'red',
  waiting: 'red',
  untrusted: 'yellow',
  unapproved: 'yellow',
  disabled: 'dim',
};

/** The colour that a state is shown in. */
export function stateStyle({ state }: McpServerStatus): Style | undefined {
  return STYLES[state];
}

/** Milliseconds for a person. */
export function shownMs(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}

/** Whether a server works, and holds nothing back. */
export function isFine({ state, heldBack }: McpServerStatus): boolean {
  return state === 'disabled' || (state === 'ready' && heldBack.length === 0);
}

/** Tells what is wrong in the configuration, and with each server that does not work. */
export function tellProblems(servers: McpServers, err: Output): void {
  for (const problem of servers.problems) err.write(`${inLine(problem)}\n`, 'yellow');
  const all = servers.list();
  const broken = Map.groupBy(
    all.filter(({ state }) => state !== 'ready' && state !== 'disabled'),
    ({ state, reason }) => `${state}${reason === undefined ? '' : `: ${inLine(reason)}`}`,
  );
  // Servers of one file often have one reason.
  for (const [how, list] of broken) err.write(`${list.map(({ name }) => name).join(', ')} ${list.length === 1 ? 'is' : 'are'} ${how}\n`, 'yellow');
  for (const { name, heldBack } of all) {
    if (heldBack.length > 0) err.write(`${name} holds back ${heldBack.length} tools that nobody has let in: synapse mcp approve ${name}\n`, 'yellow');
  }
}
