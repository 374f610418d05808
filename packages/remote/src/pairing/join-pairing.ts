import { SynapseError } from '@synapse/protocol';
import {
  beginPairing,
  isAnswerTo,
  joinMessage,
  PAIRING_ANSWER_MS,
  readPairingCode,
  stretchCode,
  type PairedDevice,
  type PairingMessage,
  type PairingSecret,
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
    hint: 'End synapse pair there, and start again with a new code.',
  });
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late), milliseconds);
  try {
    for (;;) {
      const message = await Promise.race([line.next(), promise]);
      // What was meant for a device that left may come first, and then the salt again.
      if (message.type !== 'pair_salt') return message;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The key for the proofs of a guest, and its share for the other side. */
interface GuestSecret {
  readonly secret: PairingSecret;
  readonly share?: string;
}

/** @throws SynapseError `unavailable` if the other device sent no share, or one that no honest device sends */
async function agreeWith(share: string | undefined, stretched: PairingSecret): Promise<GuestSecret> {
  const exchange = await beginPairing('guest', stretched);
  const secret = await exchange.agree(share);
  if (secret !== undefined) return { secret, share: exchange.share };
  throw new SynapseError('unavailable', 'The other device cannot agree on a key with this one.', {
    hint: 'Update Synapse on both devices, and at the relay.',
  });
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
  using line = openPairingLine(url, signal);
  line.send({ type: 'pair_hello', side: 'guest' });
  for (;;) {
    const message = await line.next();
    if (message.type !== 'pair_salt') continue;
    const stretched = await stretchCode(code, message.salt);
    // A relay knows the code of its own invitation.
    const { secret, share }: GuestSecret = isEnrollmentUrl(url) ? { secret: stretched } : await agreeWith(message.share, stretched);
    line.send(await joinMessage(secret, device, share));
    const answer = await answerIn(line, answerMs);
    if (answer.type === 'pair_done' && (await isAnswerTo(secret, device, answer))) return { identity: answer.identity, name: answer.name };
    const left = answer.type === 'pair_refused' ? answer.left : 0;
    throw new SynapseError('denied', 'Wrong code.', {
      hint:
        left === 0 ? 'No tries are left. Start again where the code is shown, and use the new one.' : `${left} more ${left === 1 ? 'try' : 'tries'}.`,
    });
  }
}
