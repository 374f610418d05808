import * as z from 'zod';
import { canonicalJson } from './canonical-json.ts';
import { isSignedBy, type ReceiptKey } from './receipt-key.ts';
import { ReceiptStatement } from './receipt.ts';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** The type of the predicate, as a URI that needs no host. */
const PREDICATE_TYPE = 'urn:synapse:receipt:v1';

const Envelope = z.object({
  payloadType: z.literal(PAYLOAD_TYPE),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.base64() })).min(1),
});
const Statement = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256: z.string() }) })).length(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: ReceiptStatement,
});

/** The bytes that a signature of an envelope covers (DSSE, pre-authentication encoding). */
function authenticated(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(PAYLOAD_TYPE)} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

/** The subject of the statement: the files, or the output where these are not known. */
const subjectOf = ({ tree, output }: ReceiptStatement) =>
  tree === undefined ? { name: 'output', digest: { sha256: output.sha256 } } : { name: 'workspace', digest: { sha256: tree.before } };

/** Writes a receipt as a signed in-toto statement in a DSSE envelope, as other verifiers read it. */
export function attest(statement: ReceiptStatement, key: ReceiptKey): z.infer<typeof Envelope> {
  const payload = Buffer.from(
    canonicalJson({ _type: STATEMENT_TYPE, subject: [subjectOf(statement)], predicateType: PREDICATE_TYPE, predicate: statement }),
  );
  const sig = Buffer.from(key.sign(authenticated(payload)), 'base64url').toString('base64');
  return { payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures: [{ keyid: key.public, sig }] };
}

/** Reads an envelope; undefined if a value is none. Throws for one that does not hold a receipt. */
export function readEnvelope(value: unknown): { readonly statement: ReceiptStatement; readonly isSigned: (key: string) => boolean } | undefined {
  const envelope = Envelope.safeParse(value);
  if (!envelope.success) return undefined;
  const payload = Buffer.from(envelope.data.payload, 'base64');
  const { predicate, subject } = Statement.parse(JSON.parse(payload.toString()));
  if (canonicalJson(subject[0]) !== canonicalJson(subjectOf(predicate))) throw new TypeError('The subject is not that of the receipt.');
  return {
    statement: predicate,
    isSigned: (key) =>
      envelope.data.signatures.some(({ sig }) => isSignedBy(key, authenticated(payload), Buffer.from(sig, 'base64').toString('base64url'))),
  };
}
