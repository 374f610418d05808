import { isAbsolute } from 'node:path';
import type { ContentBlock, Truncation } from '@synapse/protocol';
import type { Limits } from '../output/limits.ts';
import { OutputCollector } from '../output/output-collector.ts';
import type { SpillStore } from '../workspace/spill-store.ts';
import { instructionsNote } from '../danger/instructions.ts';
import type { Decision } from '../policy/decision.ts';
import { displayText } from '../workspace/byte-name.ts';
import { undoNote } from './irreversible.ts';
import type { ExecutedCall, ShapedCall } from '../call/call.ts';

/** A tool's own truncation comes first; if its text was also cut, the whole text still gets a handle. */
function both(first: Truncation | undefined, second: Truncation | undefined): Truncation | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { ...second, ...first, next: [first.next, second.next].filter((line) => line !== undefined).join(' ') };
}

/** A block of an answer, with its size in bytes. */
interface Sized {
  readonly block: ContentBlock;
  readonly bytes: number;
}

function sized(block: ContentBlock, bytes = block.type === 'image' ? block.data.length : Buffer.byteLength(block.text)): Sized {
  return { block, bytes };
}

/** Whether a text of this size is within the limits. */
function fits(text: string, bytes: number, { outputBytes, outputLines }: Limits): boolean {
  if (bytes > outputBytes) return false;
  if (text.length <= outputLines) return true;
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > outputLines) return false;
  }
  return lines + Number(!text.endsWith('\n')) <= outputLines;
}

/** Characters of the text of an answer as JSON. */
export function jsonCharacters(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + (block.type === 'image' ? 0 : JSON.stringify(block.text).length), 0);
}

/** Joins notes into one line, with a period after each sentence. */
function sentences(notes: readonly string[]): string {
  return notes.map((note, index) => (index === notes.length - 1 || /[.!?]$/u.test(note) ? note : `${note}.`)).join(' ');
}

/** Temporary places, which every command has for itself. */
const SCRATCH = /^\/(?:tmp|var\/tmp|dev|proc)(?:\/|$)/u;
/** Maximum number of paths to name. */
const MAX_NAMED = 2;
/** Maximum number of paths to compare the others with. */
const MAX_COMPARED = 200;

/**
 * A note about what a command in the sandbox wrote outside the workspace: there it has files of its own, which end with it. Without
 * a note, the command seems to have worked. Undefined if it names no such place.
 */
export function lostWritesNote({ accesses }: Pick<Decision, 'accesses'>): string | undefined {
  const written = accesses.flatMap(({ access }) => (access.kind === 'write' && access.byCommand === true ? [access] : []));
  // After `cd`, a path counts from each folder that the command may be in, with that before it: from one of them it may be inside.
  const compared = written.slice(0, MAX_COMPARED);
  const isSaid = (given: string): boolean =>
    compared.some((other) => !other.location.inside && !isAbsolute(given) && given.endsWith(`/${other.given}`));
  const mayLast = (given: string): boolean => compared.some((other) => other.location.inside && other.given.endsWith(`/${given}`));
  const paths = written.flatMap(({ given, linked, location }) =>
    // What a link is to is not written by making it.
    linked !== true && !location.inside && !SCRATCH.test(given) && !isSaid(given) && !mayLast(given) ? [displayText(given)] : [],
  );
  // `cp a b` writes b, or b/a if that is a folder.
  const [first, ...more] = new Set(paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`))));
  if (first === undefined) return undefined;
  const others = more.length < MAX_NAMED ? more.join(' and ') : `${more.length} more`;
  const named = others === '' ? first : `${first} and ${others}`;
  return `${named}: outside the workspace, where what a command writes is gone when it ends. Write it in the workspace`;
}

/** Cuts an answer to its limits; the rest goes to a spill file. The note about the answer comes first. */
export function shape(call: ExecutedCall, spills: SpillStore): ShapedCall {
  const { content: given, contentBytes, note, ...rest } = call;
  const { limits } = call;
  const { tooLargeToUndo } = call.state;
  const blocks = typeof given === 'string' ? [sized({ type: 'text', text: given }, contentBytes)] : given.map((block) => sized(block));
  let { truncation } = call;
  const parts = blocks.map((whole): Sized => {
    const { block, bytes } = whole;
    if (block.type !== 'text' || fits(block.text, bytes, limits)) return whole;
    const collector = new OutputCollector(limits, spills);
    collector.writeText(block.text);
    const cut = collector.finish(call.tool.keep);
    truncation = both(truncation, cut.truncation);
    return cut.truncation === undefined ? whole : sized({ type: 'text', text: cut.text });
  });
  const { changes } = call.state;
  const prose = changes.length === 0 ? undefined : instructionsNote(changes.map(({ path, to }) => to ?? path));
  const isConfined = call.sandbox !== undefined && call.sandbox !== 'none';
  const lost = isConfined && call.tool.completion?.(call.data) === 'ok' ? lostWritesNote(call.decision) : undefined;
  const all = [note, truncation?.next, lost, prose, tooLargeToUndo.length === 0 ? undefined : undoNote(tooLargeToUndo), ...call.state.notes].filter(
    (line) => line !== undefined,
  );
  // A command on a copy has already told about such files, including those in new folders.
  const notes = [...new Set(all)];
  // First, because readers may cut the end of an answer, and a model must know the outcome and which part it has.
  // After the effects of a dry run: the note is about the answer that the call would have.
  if (notes.length > 0) parts.splice(call.state.dryRun === undefined ? 0 : 1, 0, sized({ type: 'note', text: `[${sentences(notes)}]` }));
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return { ...rest, content: parts.map(({ block }) => block), bytes, truncation };
}
