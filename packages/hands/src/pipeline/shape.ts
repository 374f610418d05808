import type { ContentBlock, Truncation } from '@synapse/protocol';
import type { Limits } from '../limits.ts';
import { OutputCollector } from '../shape/output-collector.ts';
import type { SpillStore } from '../workspace/spill-store.ts';
import { instructionsNote } from '../danger/instructions.ts';
import { undoNote } from './undo-note.ts';
import type { ExecutedCall, ShapedCall } from './call.ts';

/** What a tool left out comes first; where its text was cut besides, the whole text has a handle all the same. */
function both(first: Truncation | undefined, second: Truncation | undefined): Truncation | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { ...second, ...first, next: [first.next, second.next].filter((line) => line !== undefined).join(' ') };
}

/** A block of an answer, and how many bytes it has. */
interface Sized {
  readonly block: ContentBlock;
  readonly bytes: number;
}

function sized(block: ContentBlock, bytes = block.type === 'image' ? block.data.length : Buffer.byteLength(block.text)): Sized {
  return { block, bytes };
}

/** Whether a text of so many bytes keeps to the limits. */
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

/** Notes of several makers in one line; a fact before another sentence gets the full stop that it has not alone. */
function sentences(notes: readonly string[]): string {
  return notes.map((note, index) => (index === notes.length - 1 || /[.!?]$/u.test(note) ? note : `${note}.`)).join(' ');
}

/** Cuts an answer to what a model may be shown; what is cut goes to a spill file. */
export function shape(call: ExecutedCall, limits: Limits, spills: SpillStore): ShapedCall {
  const { content: given, contentBytes, note, ...rest } = call;
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
  const prose = instructionsNote(call.facts.changes.map(({ path, to }) => to ?? path));
  const notes = [note, truncation?.next, prose, undoNote(call.facts.tooLargeToUndo), ...call.facts.notes].filter((line) => line !== undefined);
  if (notes.length > 0) parts.push(sized({ type: 'note', text: `[${sentences(notes)}]` }));
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return { ...rest, content: parts.map(({ block }) => block), bytes, truncation };
}

/** The blocks as one text for a model. */
export function contentText(content: readonly ContentBlock[]): string {
  let text = '';
  for (const block of content) {
    if (block.type === 'image') continue;
    if (text !== '' && !text.endsWith('\n')) text += '\n';
    text += block.text;
  }
  return text;
}
