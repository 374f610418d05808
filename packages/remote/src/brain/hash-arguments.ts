import { SynapseError } from '@synapse/protocol';
import { callHash, MAX_FRAME } from '@synapse/protocol/remote';
import { jsonProblem } from './json-problem.ts';

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
export function wordProblem(words: { readonly id: string; readonly tool?: string; readonly dialect?: string | undefined }): SynapseError | undefined {
  const { id, tool, dialect } = words;
  // Callers without types may pass anything, such as the missing name in the call of a model.
  const fits = (word: unknown): boolean => typeof word === 'string' && word !== '' && word.length <= MAX_ID;
  const shown = (word: unknown): string => JSON.stringify(typeof word === 'string' ? word.slice(0, 64) : typeof word);
  if (!fits(id) || id.startsWith('base:')) {
    return new SynapseError('invalid_arguments', 'Not a call id.', {
      hint: `It has 1 to ${MAX_ID} characters, and does not begin with base:.`,
    });
  }
  if ('tool' in words && !fits(tool)) {
    return new SynapseError('unknown_tool', `Unknown tool: ${shown(tool)}`, {
      hint: 'tools() lists the tools of the machine.',
    });
  }
  if (dialect === undefined || fits(dialect)) return undefined;
  return new SynapseError('invalid_arguments', `Unknown dialect: ${shown(dialect)}`);
}

/** A time as frames carry it. Local hands take any number. */
export const wholeMs = (ms: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(ms))) || 0;

function sizeProblem(input: unknown, isSealed: boolean): SynapseError | undefined {
  const size = sizeOf(input, isSealed);
  if (size + ENVELOPE <= MAX_FRAME) return undefined;
  return new SynapseError('too_large', `The arguments are too large to send: ${size} characters${mostOf(input)}.`, {
    hint:
      `One call carries at most ${isSealed ? 190 : 250} KB. Write a longer file in parts: the first with a line such as <<MORE>> at its end, ` +
      'then edit the file, replacing that line by the next part and the line again; the last part without it.',
  });
}

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
  try {
    const problem = jsonProblem(input);
    if (problem !== undefined) return new SynapseError('invalid_arguments', problem);
    return sizeProblem(input, isSealed) ?? callHash({ tool, args: input, dialect, dry_run: dryRun });
  } catch (error) {
    return new SynapseError('invalid_arguments', 'The arguments cannot be sent.', {
      hint: 'They are JSON, nested at most 64 levels deep.',
      cause: error,
    });
  }
}
