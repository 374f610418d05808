import { appendedText } from './appended-text.ts';
import type { DataFrame } from './frames.ts';

type Fields = Readonly<Record<string, unknown>>;

const NO_HASH = '0'.repeat(64);

/** Fields that only the two ends may read, with their placeholders. A relay needs the other fields to forward the frame. */
const SECRET: Readonly<Partial<Record<DataFrame['type'], Fields>>> = {
  tool_call: { args: null, hash: NO_HASH, workspace: undefined, appends: undefined, quiet: undefined },
  tool_progress: { data: '', message: undefined },
  tool_result: { body: undefined, sha256: NO_HASH, bytes: 0 },
  read: { workspace: undefined },
  chunk: { data: '', refused: undefined, workspace: undefined },
  forward: { op: null },
  approval_request: { reason: '', effects: [], workspace: undefined },
  error: { message: '' },
};

/** Returns the part of a frame that only its receiver may read, as a text. @param appends whether the receiver can read appended texts */
export function secretText(frame: DataFrame, appends: boolean): string {
  const places = SECRET[frame.type] ?? {};
  const secrets = Object.fromEntries(Object.entries(frame).filter(([name]) => Object.hasOwn(places, name)));
  if (!appends) return JSON.stringify(secrets);
  if (frame.type === 'tool_result' && frame.body !== undefined) return appendedText({ ...secrets, body: '' }, 'body', frame.body);
  return frame.type === 'chunk' ? appendedText({ ...secrets, data: '' }, 'data', frame.data) : JSON.stringify(secrets);
}

/** Replaces the secret fields of a frame. */
export function withoutSecrets(frame: DataFrame): DataFrame {
  return { ...frame, ...SECRET[frame.type] };
}

/** Joins the parts of a frame. Only secret fields are taken from the inner part. For the others, the relay's view counts. */
export function joinFrame(frame: DataFrame, inner: unknown): Fields {
  const places = SECRET[frame.type] ?? {};
  const fields = typeof inner === 'object' && inner !== null ? Object.entries(inner) : [];
  const secrets = fields.filter(([name]) => Object.hasOwn(places, name));
  return { ...frame, ...Object.fromEntries(secrets), auth: undefined };
}
