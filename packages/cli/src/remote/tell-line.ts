import { defaultStateFolder } from '@synapse/hands/internal';
import { listSessions, type ConnectionStatus, type ServedSession } from '@synapse/remote';
import type { CommandIo } from '../command/command.ts';
import type { Output, Style } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

const STYLES: Readonly<Record<ServedSession['status'], Style>> = {
  connecting: 'dim',
  online: 'green',
  base: 'green',
  offline: 'yellow',
  stopped: 'red',
  ended: 'dim',
};

/** Prints a line for each change of the connection. A reason that repeats at each attempt is printed once. */
export function lineTeller(err: Output): (status: ConnectionStatus) => void {
  let last = '';
  return ({ status, text, retryMs }) => {
    const same = `${status} ${text}`;
    if (status === 'offline' && same === last) return;
    last = same;
    const wait = retryMs === undefined ? '' : ` Trying again in ${(retryMs / 1_000).toFixed(1)} s.`;
    err.write(`${inLine(text)}${wait}\n`, status === 'online' || status === 'base' ? 'dim' : STYLES[status]);
  };
}

/** The state of a session without a process. */
function rest({ running, status, open, text }: ServedSession): string {
  if (running) return text;
  const left = open === undefined || open === 0 ? '' : ` ${open} ${open === 1 ? 'call was' : 'calls were'} not done.`;
  // The process ended without updating its state.
  return status === 'ended' || status === 'stopped' ? `Not served. ${text}${left}` : `Not served: its process ended without a word.${left}`;
}

/** Prints the sessions of this machine. */
export function tellSessions(json: boolean, { out }: Pick<CommandIo, 'out'>): number {
  const sessions = listSessions(defaultStateFolder());
  if (json) printJson(out, { sessions });
  else if (sessions.length === 0) out.write('No session was served on this machine. Start one: synapse connect <url> --name <session>\n');
  for (const session of json ? [] : sessions) {
    const { name, relay, workspace, running, status, pid, at } = session;
    out.write(`${inLine(name ?? relay)}  `, 'bold');
    out.write(running ? status : 'not served', running ? STYLES[status] : 'dim');
    out.write(`  ${new Date(at).toISOString().slice(0, 19)}Z\n  ${inLine(rest(session))}\n`);
    out.write(`  ${inLine(workspace)} at ${inLine(relay)}${running ? `, process ${pid}` : ''}\n`, 'dim');
  }
  return 0;
}
