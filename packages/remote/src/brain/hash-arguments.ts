import { SynapseError } from '@synapse/protocol';
import { callHash } from '@synapse/protocol/remote';
import { jsonProblem } from './json-problem.ts';

/**
 * Maximum bytes of the arguments as JSON in UTF-8, for every relay, paired or not. Sealed they take four thirds of that, and leave 8,000
 * characters of a frame for all else: four names of 160 characters, each of which JSON may escape as six.
 */
export const MAX_ARGUMENTS = 190_000;
/** Maximum characters of an id or a name in a frame. */
export const MAX_ID = 160;

/** Names the largest field of the arguments, which is the one to shorten. */
function mostOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const sizes = Object.entries(input).map(([name, value]) => ({ name, size: (JSON.stringify(value) ?? '').length }));
  const largest = sizes.toSorted((a, b) => b.size - a.size)[0];
  return largest === undefined ? '' : `, most of them in ${largest.name.slice(0, 64)}`;
}

/** Returns the reason that no frame can carry these words; undefined if one can. A relay would end the connection for such a frame. */
export function wordProblem(words: {
  readonly id: string;
  readonly tool?: string;
  readonly dialect?: string | undefined;
  readonly workspace?: string | undefined;
}): SynapseError | undefined {
  const { id, tool, dialect, workspace } = words;
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
  if (workspace !== undefined && !fits(workspace))
    return new SynapseError('invalid_arguments', `Not a name of a workspace: ${shown(workspace)}`, {
      hint: 'workspaces() lists those of this device.',
    });
  if (dialect === undefined || fits(dialect)) return undefined;
  return new SynapseError('invalid_arguments', `Unknown dialect: ${shown(dialect)}`);
}

/** A time as frames carry it. Local hands take any number. */
export const wholeMs = (ms: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(ms))) || 0;

function sizeProblem(input: unknown): SynapseError | undefined {
  const size = new TextEncoder().encode(JSON.stringify(input ?? {}) ?? '').length;
  if (size <= MAX_ARGUMENTS) return undefined;
  return new SynapseError('too_large', `The arguments are too large to send: ${size} bytes as JSON${mostOf(input)}.`, {
    hint:
      `One call carries at most ${MAX_ARGUMENTS / 1_000} KB. Write a longer file in parts: the first with a line such as <<MORE>> at its end, ` +
      'then edit the file, replacing that line by the next part and the line again; the last part without it.',
  });
}

interface CallToHash {
  readonly tool: string;
  readonly input: unknown;
  readonly dialect: string | undefined;
  readonly dryRun: boolean;
  readonly workspace?: string | undefined;
}

/** Returns the hash that identifies a call, or the reason the call cannot be sent. */
export function hashArguments({ tool, input, dialect, dryRun, workspace }: CallToHash): string | SynapseError {
  try {
    const problem = jsonProblem(input);
    if (problem !== undefined) return new SynapseError('invalid_arguments', problem);
    return sizeProblem(input) ?? callHash({ tool, args: input, dialect, dry_run: dryRun, workspace });
  } catch (error) {
    return new SynapseError('invalid_arguments', 'The arguments cannot be sent.', {
      hint: 'They are JSON, nested at most 64 levels deep.',
      cause: error,
    });
  }
}
