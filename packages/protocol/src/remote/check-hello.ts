import { isSignedBy } from './device.ts';
import { parseText } from './frames.ts';
import { proofText } from './proof.ts';
import type { CheckedProof } from './relay-state.ts';

/** What a relay knows about a connection before its first text. */
export interface Entrance {
  /** The relay's name in the request, and the session. */
  readonly audience: string;
  readonly nonce: string;
  /** Whether the relay's owner enrolled a machine. */
  readonly isEnrolled: (identity: string) => boolean | Promise<boolean>;
}

/** Verifies the signature of a hello. Returns undefined if it is missing or invalid. Never rejects. */
export async function checkHello(text: string, { audience, nonce, isEnrolled }: Entrance): Promise<CheckedProof | undefined> {
  const parsed = parseText(text);
  if (parsed.kind !== 'control' || parsed.frame.type !== 'hello') return undefined;
  const { identity, proof } = parsed.frame;
  if (identity === undefined || proof === undefined) return undefined;
  if (!(await isSignedBy(identity, proofText(audience, nonce, parsed.frame), proof))) return undefined;
  return { identity, enrolled: parsed.frame.role === 'hands' && (await isEnrolled(identity)) };
}
