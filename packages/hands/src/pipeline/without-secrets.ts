import type { ContentBlock } from '@synapse/protocol';
import type { ExecutedCall } from '../call/call.ts';
import { TextScrubber, unseen } from '../secrets/scrubber.ts';
import type { SecretStore } from '../secrets/secret-store.ts';

function cleanBlock(block: ContentBlock, scrubber: TextScrubber): ContentBlock {
  return block.type === 'image' ? block : { ...block, text: scrubber.clean(block.text) };
}

/** Takes secrets out of all texts of a value. Returns the same value if it has none. */
function cleanValue(value: unknown, scrubber: TextScrubber): unknown {
  if (typeof value === 'string') return scrubber.clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const clean: unknown[] = value.map((one: unknown) => cleanValue(one, scrubber));
    return clean.some((one, index) => one !== value[index]) ? clean : value;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return value;
  const clean = Object.entries(value).map(([name, one]: [string, unknown]) => [scrubber.clean(name), cleanValue(one, scrubber), one, name] as const);
  return clean.some(([name, one, before, given]) => one !== before || name !== given)
    ? Object.fromEntries(clean.map(([name, one]) => [name, one]))
    : value;
}

/** Takes the secrets of a user out of what a call returns, whatever tool found them: a file of the workspace, a diff, or an output. */
export function withoutSecrets(call: ExecutedCall, values: readonly string[]): ExecutedCall {
  if (values.length === 0) return call;
  const scrubber = new TextScrubber(unseen(values));
  const { content, note } = call;
  return {
    ...call,
    data: cleanValue(call.data, scrubber),
    // As long as before: its size in bytes stays right.
    content: typeof content === 'string' ? scrubber.clean(content) : content.map((block) => cleanBlock(block, scrubber)),
    note: note === undefined ? undefined : scrubber.clean(note),
  };
}

/** Takes secrets out of what a call returns. */
export function cleanCall(call: ExecutedCall, secrets: SecretStore): ExecutedCall {
  return withoutSecrets(call, secrets.values());
}
