import type { Approver } from '@synapse/hands';
import { firstApprover } from '@synapse/hands/internal';
import { ConnectedHands, readAddress, sessionUrl } from '@synapse/remote';
import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import type { ScreenSize } from '../approval/question-screen.ts';
import { terminalApprover } from '../approval/terminal-approver.ts';
import { defineCommand } from '../command/command.ts';
import { flag, text } from '../command/option.ts';
import { handsOptions, json } from '../command/shared-options.ts';
import { consoleApprover } from '../hands/open-hands.ts';
import { sizeOf } from '../output/output.ts';
import { RELAY_PORT } from '../remote/remote-options.ts';
import { lineTeller, tellSessions } from '../remote/tell-line.ts';
import { projectOptions } from '../remote/chosen-projects.ts';
import { openServed } from '../remote/open-served.ts';

/** The URL to connect to: a session at a relay if a name is given, else the given URL. */
function target(url: string | undefined, name: string | undefined): string {
  if (name !== undefined) return sessionUrl(url ?? `ws://127.0.0.1:${RELAY_PORT}`, name);
  if (url !== undefined && URL.canParse(url) && ['ws:', 'wss:'].includes(new URL(url).protocol)) return url;
  throw new SynapseError('invalid_arguments', url === undefined ? 'Nothing to connect to.' : `Not the URL of a WebSocket: ${url.slice(0, 100)}`, {
    hint: 'Name a session at a relay, as in synapse connect ws://127.0.0.1:7412 --name laptop, or the wss:// URL of an agent.',
  });
}

/** The name that the console shows. */
const FROM = 'synapse connect';
/** The session in an address such as ws://127.0.0.1:7412#laptop. */
const nameIn = (url: string | undefined): string | undefined => (url?.includes('#') === true ? readAddress(url).session : undefined);

export const command = defineCommand({
  details: 'Reading is allowed; --allow permits more, and in a terminal you are asked. Neither the relay nor the agent can extend that.',
  notes:
    'With --name, or #name at its end, the URL is that of a relay; without, of an agent that sends plain tool_call messages. ' +
    'A lost connection is restored. Calls continue in the meantime, and no call runs twice. Ctrl+C ends it and its running calls.',
  arguments: { '[url]': `of a relay or an agent (default: ws://127.0.0.1:${RELAY_PORT}, with --name)` },
  options: {
    ...handsOptions,
    ...projectOptions,
    name: text('<session>', 'the name of this machine at the relay'),
    status: flag('only show the sessions that this machine serves'),
    json: { ...json, description: 'with --status: print one JSON object, for programs' },
  },
  examples: [
    ['synapse connect ws://127.0.0.1:7412 --name laptop', 'through a relay'],
    ['synapse connect wss://relay.example --name laptop --all', 'all tracked projects that some device may use'],
    ['synapse connect --status', 'what is served, and the state of the connection'],
    ['synapse connect wss://agent.example/agent --dialect synapse-readonly', 'to an agent that sends plain calls'],
  ],
  async run(context) {
    const { options, err, signal } = context;
    if (options.status) return tellSessions(options.json, context);
    const name = options.name ?? nameIn(context.arguments.url);
    const url = target(context.arguments.url, name);
    const asks = context.stdin.isTTY && err.isTerminal;
    const size = (): ScreenSize => sizeOf(process.stderr);
    const terminal = terminalApprover({ stdin: context.stdin, err, size });
    const person = (root: string): Approver => {
      const window = consoleApprover(FROM, () => root);
      return asks ? firstApprover([terminal, window]) : window;
    };
    await using served = await openServed(options, { url, name, from: FROM, person }, context);
    const { workspaces, pairing, approver, shown } = served;
    const tell = lineTeller(err);
    let exitCode: number = ERROR_CODES.unavailable.exitCode;
    await using connected = new ConnectedHands(workspaces, {
      url,
      onStatus: (status) => {
        tell(status);
        if (status.error !== undefined) exitCode = ERROR_CODES[status.error].exitCode;
      },
      ...(name === undefined ? {} : { name }),
      ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
      // Without a terminal, the console is asked beside a paired approver. The first answer counts.
      ...(asks ? { approver } : { window: approver }),
      ...(pairing === undefined ? {} : { pairing }),
    });
    err.write(`Serving ${shown}. Ctrl+C ends it.\n`, 'dim');
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await Promise.race([connected.stopped, ended]);
    return signal.aborted ? 0 : exitCode;
  },
});
