import { SynapseError } from '@synapse/protocol';
import { callHash, MAX_FRAME } from '@synapse/protocol/remote';

/** Characters reserved in a frame for everything except the arguments. */
const ENVELOPE = 1_024;
/** Maximum characters of an id or a name in a frame. */
export const MAX_ID = 160;

/** Names the largest field of the arguments, which is the one to shorten. */
function mostOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const sizes = Object.entries(input).map(([name, value]) => ({ name, size: (JSON.stringify(value) ?? '').length }));
  const largest = sizes.toSorted((a, b) => b.size - a.size)[0];
  return largest === undefined ? '' : `, most of them in ${largest.name.slice(0, 64)}`;
}

/** Returns the size of arguments in a frame, in characters. Sealed ones are base64-encoded. */
function sizeOf(input: unknown, isSealed: boolean): number {
  const text = JSON.stringify(input ?? {}) ?? '';
  return isSealed ? Math.ceil(new TextEncoder().encode(text).length / 3) * 4 : text.length;
}

/** Returns the reason that no frame can carry these words; undefined if one can. A relay would end the connection for such a frame. */
export function wordProblem({
  id,
  tool,
  dialect,
}: {
  readonly id: string;
  readonly tool?: string;
  readonly dialect?: string | undefined;
}): SynapseError | undefined {
  const fits = (word: string): boolean => word !== '' && word.length <= MAX_ID;
  if (!fits(id) || id.startsWith('base:')) {
    return new SynapseError('invalid_arguments', 'Not a call id.', {
      hint: `It has 1 to ${MAX_ID} characters, and does not begin with base:.`,
    });
  }
  if (tool !== undefined && !fits(tool)) return new SynapseError('unknown_tool', `Unknown tool: ${JSON.stringify(tool.slice(0, 64))}`);
  if (dialect === undefined || fits(dialect)) return undefined;
  return new SynapseError('invalid_arguments', `Unknown dialect: ${JSON.stringify(dialect.slice(0, 40))}`);
}

/** A time as frames carry it. Local hands take any number. */
export const wholeMs = (ms: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(ms))) || 0;

/** Returns the hash that identifies a call, or the reason the call cannot be sent. */
export function hashArguments(
  {
    tool,
    input,
    dialect,
    dryRun,
  }: { readonly tool: string; readonly input: unknown; readonly dialect: string | undefined; readonly dryRun: boolean },
  isSealed: boolean,
): string | SynapseError {
  const size = sizeOf(input, isSealed);
  if (size + ENVELOPE > MAX_FRAME) {
    return new SynapseError('too_large', `The arguments are too large to send: ${size} characters${mostOf(input)}.`, {
      hint:
        `One call carries at most ${isSealed ? 190 : 250} KB. Write a longer file in parts: the first with a line such as <<MORE>> at its end, ` +
        'then edit the file, replacing that line by the next part and the line again; the last part without it.',
    });
  }
  try {
    return callHash({ tool, args: input, dialect, dry_run: dryRun });
  } catch (error) {
    return new SynapseError('invalid_arguments', 'The arguments cannot be sent.', {
      hint: 'They are JSON, nested at most 64 levels deep.',
      cause: error,
    });
  }
}
