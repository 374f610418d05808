import { SynapseError } from '@synapse/protocol';
import {
  createPairingNonce,
  isAnswerTo,
  joinMessage,
  joinSalts,
  PAIRING_ANSWER_MS,
  readPairingCode,
  stretchCode,
  type PairedDevice,
  type PairingMessage,
} from '@synapse/protocol/remote';
import { isEnrollmentUrl } from '../session-url.ts';
import { openPairingLine, type PairingLine } from './pairing-line.ts';

/** @throws SynapseError `invalid_arguments` for an invalid code */
function checkCode(code: string): void {
  if (readPairingCode(code) !== undefined) return;
  throw new SynapseError('invalid_arguments', 'Not a pairing code.', { hint: 'It has eight letters and digits, such as K7QF-3MWX.' });
}

/** Waits for the answer to a code. @throws SynapseError `timeout` */
async function answerIn(line: PairingLine, milliseconds: number): Promise<PairingMessage> {
  const late = new SynapseError('timeout', 'The answer to the code took too long, so the devices are not paired.', {
    hint: 'End synapse pair there, and start again with a new code. If that happens again, do not use this relay: it may be trying out codes.',
  });
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late), milliseconds);
  try {
    return await Promise.race([line.next(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Pairs with the device that shows a code. Each side learns the other's public keys; a relay in the middle cannot replace them.
 *
 * @param answerMs milliseconds to wait for the answer to the code
 * @returns the device that shows the code
 * @throws SynapseError `denied` for a wrong code; `timeout`
 */
export async function joinPairing(
  url: string,
  device: PairedDevice,
  code: string,
  signal: AbortSignal,
  answerMs = PAIRING_ANSWER_MS,
): Promise<PairedDevice> {
  checkCode(code);
  // A relay knows the code of its own invitation, and keeps only what stretching it gave.
  const nonce = isEnrollmentUrl(url) ? undefined : createPairingNonce();
  using line = openPairingLine(url, signal);
  line.send({ type: 'pair_hello', side: 'guest' });
  for (;;) {
    const message = await line.next();
    if (message.type !== 'pair_salt') continue;
    const secret = await stretchCode(code, nonce === undefined ? message.salt : joinSalts(message.salt, nonce));
    line.send(await joinMessage(secret, device, nonce));
    const answer = await answerIn(line, answerMs);
    if (answer.type === 'pair_done' && (await isAnswerTo(secret, device, answer))) return { identity: answer.identity, name: answer.name };
    const left = answer.type === 'pair_refused' ? answer.left : 0;
    throw new SynapseError('denied', 'Wrong code.', {
      hint:
        left === 0 ? 'No tries are left. Start again where the code is shown, and use the new one.' : `${left} more ${left === 1 ? 'try' : 'tries'}.`,
    });
  }
}
