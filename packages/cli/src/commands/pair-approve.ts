import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import { questionOf } from '@synapse/remote';
import { terminalApprover } from '../approval/terminal-approver.ts';
import { defineCommand } from '../command/command.ts';
import { sizeOf } from '../output/output.ts';
import { connectFarAway } from '../remote/open-far-hands.ts';

export const command = defineCommand({
  details:
    'Answers questions about calls on another machine, one after the other, until Ctrl+C. The owner of that machine made this device an ' +
    'approver: synapse pair --approver, there.',
  arguments: { '<url>': 'the session: ws://host:port#session' },
  options: {},
  examples: [['synapse pair approve wss://relay.example#laptop', 'the questions of that machine']],
  async run(context) {
    const { err, stdin, signal } = context;
    if (!stdin.isTTY || !err.isTerminal)
      throw new SynapseError('invalid_arguments', 'Questions need a terminal.', { hint: 'Run it in a terminal, or answer them at the machine.' });
    await using hands = await connectFarAway(context.arguments.url, context);
    const { promise: ended, resolve } = Promise.withResolvers<number>();
    signal.addEventListener('abort', () => resolve(0), { once: true });
    hands.subscribe((event) => {
      if (event.type !== 'line' || event.status !== 'stopped') return;
      err.write(`${event.text}\n`, 'red');
      resolve(ERROR_CODES[event.error ?? 'unavailable'].exitCode);
    });
    const approver = terminalApprover({ stdin, err, size: () => sizeOf(process.stderr), session: false });
    // One question at a time, because all are asked on one terminal.
    let turn = Promise.resolve();
    hands.questions((request) => {
      turn = turn
        .then(async () => {
          const until = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, request.expires_at - Date.now()))]);
          const { verdict } = await approver.ask(questionOf(request), until);
          if (!until.aborted && verdict !== 'later') hands.approve(request, verdict === 'allow' ? 'allow_once' : 'reject');
        })
        .catch(() => hands.approve(request, 'reject'));
    });
    err.write('Waiting for questions. Ctrl+C ends it.\n', 'dim');
    return await ended;
  },
});
