import { SynapseError } from '@synapse/protocol';
import {
  answerJoin,
  audienceOf,
  beginPairing,
  createPairingCode,
  PAIRING_MS,
  PAIRING_TRIES,
  pairProofText,
  stretchCode,
  type Device,
  type PairedDevice,
  type PairingExchange,
} from '@synapse/protocol/remote';
import { openPairingLine } from './pairing-line.ts';

/** Options of {@link offerPairing}. */
export interface PairingOffer {
  readonly url: string;
  readonly device: Device;
  readonly name: string;
  /** Called with the code to show, when the machine is ready. */
  readonly onCode: (code: string) => void;
  readonly onWrongCode: (left: number) => void;
  /** Saves the device that has the code, before the device learns that it is paired. Its next request requires the record. */
  readonly keep: (device: PairedDevice) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Shows a code and waits for a device that enters it.
 *
 * @returns the device, which proved that it has the code
 * @throws SynapseError `denied` for a machine that is not enrolled at the relay, and after too many wrong codes; `timeout`
 */
export async function offerPairing({ url, device, name, onCode, onWrongCode, keep, signal }: PairingOffer): Promise<PairedDevice> {
  const code = createPairingCode();
  const stretched = await stretchCode(code);
  const expiry = AbortSignal.timeout(PAIRING_MS);
  using line = openPairingLine(url, AbortSignal.any([signal, expiry]));
  const self: PairedDevice = { identity: device.identity, name };
  let left = PAIRING_TRIES;
  /** With the next guest that sends a share: one that leaves without it has the same as the one after it, which may get what was sent to it. */
  let exchange: PairingExchange | undefined;
  try {
    for (;;) {
      const message = await line.next();
      if (message.type === 'pair_nonce') {
        const proof = await device.sign(pairProofText(audienceOf(url), message.nonce, device.identity));
        line.send({ type: 'pair_hello', side: 'machine', identity: device.identity, proof });
      } else if (message.type === 'pair_ready') onCode(code);
      else if (message.type === 'pair_guest') {
        exchange ??= await beginPairing('machine', stretched);
        line.send({ type: 'pair_salt', salt: stretched.salt, share: exchange.share });
      } else if (message.type === 'pair_join') {
        const secret = await exchange?.agree(message.share);
        exchange = undefined;
        const answer = secret && (await answerJoin(secret, self, message));
        if (answer !== undefined) {
          const guest: PairedDevice = { identity: message.identity, name: message.name };
          await keep(guest);
          line.send(answer);
          return guest;
        }
        left -= 1;
        line.send({ type: 'pair_refused', left });
        onWrongCode(left);
        if (left === 0) throw new SynapseError('denied', 'Too many wrong codes.', { hint: 'Run synapse pair again for a new code.' });
      }
    }
  } catch (error) {
    if (expiry.aborted) throw new SynapseError('timeout', 'The code has expired.', { hint: 'Run synapse pair again for a new code.', cause: error });
    throw error;
  }
}
