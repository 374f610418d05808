import { SynapseError } from '@synapse/protocol';
import { isAnswerTo, joinMessage, readPairingCode, stretchCode, type PairedDevice } from '@synapse/protocol/remote';
import { openPairingLine } from './pairing-line.ts';

/** @throws SynapseError `invalid_arguments` for an invalid code */
function checkCode(code: string): void {
  if (readPairingCode(code) !== undefined) return;
  throw new SynapseError('invalid_arguments', 'Not a pairing code.', { hint: 'It has eight letters and digits, such as K7QF-3MWX.' });
}

/**
 * Pairs with the device that shows a code. Each side learns the other's public keys; a relay in the middle cannot replace them.
 *
 * @returns the device that shows the code
 * @throws SynapseError `denied` for a wrong code
 */
export async function joinPairing(url: string, device: PairedDevice, code: string, signal: AbortSignal): Promise<PairedDevice> {
  checkCode(code);
  using line = openPairingLine(url, signal);
  line.send({ type: 'pair_hello', side: 'guest' });
  for (;;) {
    const message = await line.next();
    if (message.type !== 'pair_salt') continue;
    const secret = await stretchCode(code, message.salt);
    line.send(await joinMessage(secret, device));
    const answer = await line.next();
    if (answer.type === 'pair_done' && (await isAnswerTo(secret, device, answer))) return { identity: answer.identity, name: answer.name };
    const left = answer.type === 'pair_refused' ? answer.left : 0;
    throw new SynapseError('denied', 'Wrong code.', {
      hint:
        left === 0 ? 'No tries are left. Start again where the code is shown, and use the new one.' : `${left} more ${left === 1 ? 'try' : 'tries'}.`,
    });
  }
}
