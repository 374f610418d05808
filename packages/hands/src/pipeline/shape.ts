import type { ContentBlock, Truncation } from '@synapse/protocol';
import type { Limits } from '../limits.ts';
import { OutputCollector } from '../shape/output-collector.ts';
import type { SpillStore } from '../workspace/spill-store.ts';
import { undoNote } from './undo-note.ts';
import type { ExecutedCall, ShapedCall } from './call.ts';

/** What a tool left out comes first; where its text was cut besides, the whole text has a handle all the same. */
function both(first: Truncation | undefined, second: Truncation | undefined): Truncation | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { ...second, ...first, next: [first.next, second.next].filter((line) => line !== undefined).join(' ') };
}

/** Whether a text keeps to the limits. Most do, and are told by their length alone: a UTF-16 unit is at most 3 bytes. */
function fits(text: string, { outputBytes, outputLines }: Limits): boolean {
  if (text.length * 3 > outputBytes && Buffer.byteLength(text) > outputBytes) return false;
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
  const { content: given, note, ...rest } = call;
  const blocks: readonly ContentBlock[] = typeof given === 'string' ? [{ type: 'text', text: given }] : given;
  let { truncation } = call;
  const content = blocks.map((block): ContentBlock => {
    if (block.type !== 'text' || fits(block.text, limits)) return block;
    const collector = new OutputCollector(limits, spills);
    collector.writeText(block.text);
    const cut = collector.finish(call.tool.keep);
    truncation = both(truncation, cut.truncation);
    return cut.truncation === undefined ? block : { type: 'text', text: cut.text };
  });
  const notes = [note, truncation?.next, undoNote(call.facts.tooLargeToUndo), ...call.facts.notes].filter((line) => line !== undefined);
  if (notes.length > 0) content.push({ type: 'note', text: `[${sentences(notes)}]` });
  return { ...rest, content, truncation };
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
