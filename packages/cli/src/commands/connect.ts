import { ConnectedHands, sessionUrl, type ConnectionStatus } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import type { ScreenSize } from '../approval/question-screen.ts';
import { terminalApprover } from '../approval/terminal-approver.ts';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { handsOptions } from '../command/shared-options.ts';
import { openHands } from '../open-hands.ts';
import { sizeOf, type Output } from '../output.ts';
import { RELAY_PORT } from '../remote/default-relay.ts';

/** One line for each change of the line. */
function tell(err: Output, status: ConnectionStatus): void {
  const wait = status.retryMs === undefined ? '' : ` Trying again in ${(status.retryMs / 1_000).toFixed(1)} s.`;
  err.write(`${status.text}${wait}\n`, status.status === 'stopped' ? 'red' : status.status === 'offline' ? 'yellow' : 'dim');
}

/** The address that was meant: of a session at a relay where it has a name, else as it is given. */
function target(url: string | undefined, name: string | undefined): string {
  if (name !== undefined) return sessionUrl(url ?? `ws://127.0.0.1:${RELAY_PORT}`, name);
  if (url !== undefined && URL.canParse(url) && ['ws:', 'wss:'].includes(new URL(url).protocol)) return url;
  throw new SynapseError('invalid_arguments', url === undefined ? 'Nothing to connect to.' : `Not the URL of a WebSocket: ${url.slice(0, 100)}`, {
    hint: 'Name a session at a relay, as in synapse connect ws://127.0.0.1:7412 --name desk, or the wss:// URL of a brain.',
  });
}

export const command = defineCommand({
  details: 'Reading is allowed; --allow permits more, and in a terminal you are asked. Neither relay nor brain can widen that.',
  notes:
    'With --name the URL is that of a relay; without, of a brain that sends plain tool_call messages. ' +
    'A broken line is connected again; calls go on meanwhile, and no call runs twice. Ctrl+C ends it, and what runs.',
  arguments: { '[url]': `of a relay or a brain (default: ws://127.0.0.1:${RELAY_PORT}, with --name)` },
  options: { ...handsOptions, name: text('<session>', 'what this machine is called at the relay') },
  examples: [
    ['synapse connect ws://127.0.0.1:7412 --name desk', 'through a relay'],
    ['synapse connect wss://brain.example/agent --dialect synapse-readonly', 'to a brain that sends plain calls'],
  ],
  async run(context) {
    const { options, err, signal } = context;
    const url = target(context.arguments.url, options.name);
    const asks = context.stdin.isTTY && err.isTerminal;
    const size = (): ScreenSize => sizeOf(process.stderr);
    const approver = asks ? terminalApprover({ stdin: context.stdin, err, size }) : undefined;
    await using hands = await openHands(options, err);
    await using connected = new ConnectedHands(hands, {
      url,
      onStatus: (status) => tell(err, status),
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
      ...(approver === undefined ? {} : { approver }),
    });
    err.write(`Serving ${hands.workspace}. Ctrl+C ends it.\n`, 'dim');
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await Promise.race([connected.stopped, ended]);
    return signal.aborted ? 0 : 1;
  },
});
