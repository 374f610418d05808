import type { ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { visibleSpan } from '@synapse/hands/internal';
import { isAbsolute, resolve } from 'node:path';
import { shownChanges, type FileChange } from './file-changes.ts';
import { plainBlock } from './plain-block.ts';
import type { CallContent, CallFacts, ShownCall } from './shown.ts';

/** What is known about a tool before it is called. */
export interface KnownTool {
  readonly title: string;
  /** The strongest effect of a call. */
  readonly effects: 'read' | 'write' | 'exec' | 'net' | 'mcp';
}

const KINDS: Record<KnownTool['effects'], ToolKind> = { read: 'read', write: 'edit', exec: 'execute', net: 'fetch', mcp: 'other' };

/** Arguments that say what a call is about, in the words of Synapse and of the dialects; the first one counts. */
const SUBJECTS = ['command', 'pattern', 'query', 'glob', 'url', 'path', 'file_path', 'filePath', 'absolute_path', 'from'] as const;
const SEARCHES = ['pattern', 'query', 'glob'] as const;
const PATHS = ['path', 'file_path', 'filePath', 'absolute_path', 'from', 'to'] as const;
const LINES = ['start_line', 'line', 'offset'] as const;

/** Maximum number of characters of a title: editors show one line. */
const MAX_TITLE = 160;
/** Maximum number of characters of the arguments as JSON. */
const MAX_INPUT = 64_000;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (input: unknown): Fields => (typeof input === 'object' && input !== null ? { ...input } : {});

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '');
}

/** A title in one line, in which nothing is hidden. */
export function titleLine(title: string, subject: string | undefined): string {
  const line = visibleSpan((subject === undefined ? title : `${title}: ${subject}`).trim().replaceAll('\n', '⏎'));
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE).toWellFormed()}…`;
}

function kindOf(tool: KnownTool | undefined, fields: Fields): ToolKind {
  if (tool === undefined) return 'other';
  return tool.effects === 'read' && firstText(fields, SEARCHES) !== undefined ? 'search' : KINDS[tool.effects];
}

/** The files that the arguments name. */
function locationsOf(fields: Fields, root: string): ToolCallLocation[] {
  const line = LINES.map((name) => fields[name]).find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0);
  const paths = PATHS.map((name) => fields[name]).filter((value): value is string => typeof value === 'string' && value !== '');
  return paths
    .filter((path) => !path.includes('\0') && (isAbsolute(path) || !/^[a-z]+:/iu.test(path)))
    .map((path) => ({ path: resolve(root, path), ...(line === undefined ? {} : { line }) }));
}

/** The arguments, unless they are too long to repeat. */
function boundedInput(input: unknown): unknown {
  const text = JSON.stringify(input) ?? '';
  return text.length <= MAX_INPUT ? input : { omitted: `${text.length} characters of arguments` };
}

/** The facts about a call that both its start and a question show. */
export function describeCall(
  { tool, input, known }: { readonly tool: string; readonly input: unknown; readonly known: KnownTool | undefined },
  root: string,
): CallFacts {
  const fields = fieldsOf(input);
  return {
    title: titleLine(known?.title ?? tool, firstText(fields, SUBJECTS)),
    name: tool,
    kind: kindOf(known, fields),
    locations: locationsOf(fields, root),
    rawInput: boundedInput(input),
  };
}

/** How a call ended. */
export interface EndedCall {
  readonly ok: boolean;
  readonly completion: 'ok' | 'failed' | 'timeout';
  /** The text that the model reads. */
  readonly output: string;
  readonly images: readonly { readonly data: string; readonly mimeType: string }[];
  readonly changes: readonly FileChange[];
  readonly summary: string;
}

/** Maximum number of characters of an image in base64. */
const MAX_IMAGE = 4_000_000;

/** The end of a call: its diffs, then its output. */
export function endOfCall(callId: string, { ok, completion, output, images, changes, summary }: EndedCall, root: string): ShownCall {
  const { files, locations, notes } = shownChanges(changes, root);
  const text = [...notes, output].filter((part) => part !== '').join('\n');
  const content: CallContent[] = [
    ...(files.length === 0 ? [] : [{ type: 'changes', changes: files } as const]),
    ...(text === '' ? [] : [plainBlock(text)]),
    ...images
      .filter(({ data }) => data.length <= MAX_IMAGE)
      .map(({ data, mimeType }): CallContent => ({ type: 'block', block: { type: 'image', data, mimeType } })),
  ];
  return {
    callId,
    status: ok && completion === 'ok' ? 'completed' : 'failed',
    content,
    // An empty list would take away the locations of the arguments.
    ...(locations.length === 0 ? {} : { locations }),
    rawOutput: { ok, completion, summary },
  };
}
