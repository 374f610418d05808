import type { ContentBlock } from '@synapse/protocol';
import type { ExecutedCall, ShapedCall } from '../call/call.ts';
import type { Limits } from '../output/limits.ts';
import { jsonCharacters } from './shape.ts';

/** Maximum number of attempts. Each is smaller by the measured excess; the density of escapes differs between parts of a text. */
const MAX_ATTEMPTS = 4;
/** Share of the room that an attempt aims for. */
const AIM = 0.96;

interface Fitting {
  readonly characters: number;
  /** Executes the call again with another limit; undefined if that would repeat its effects. */
  readonly again: ((outputBytes: number) => Promise<ExecutedCall>) | undefined;
  readonly shape: (call: ExecutedCall) => ShapedCall;
}

const sizeOf = (content: readonly ContentBlock[], type: 'text' | 'note'): number =>
  content.reduce((sum, block) => sum + (block.type === type ? Buffer.byteLength(block.text) : 0), 0);

/**
 * Shortens an answer for a reader that counts characters of JSON. A call that only reads is executed again, so that what it says about
 * the shown part stays true; the text of other calls is cut, and the rest goes to a spill file.
 */
export async function fitReader(executed: ExecutedCall, shaped: ShapedCall, { characters, again, shape }: Fitting): Promise<ShapedCall> {
  let fitting = shaped;
  let bytes = Math.min(executed.limits.outputBytes, sizeOf(shaped.content, 'text'));
  for (let attempt = 0; attempt < MAX_ATTEMPTS && jsonCharacters(fitting.content) > characters; attempt += 1) {
    const notes = sizeOf(fitting.content, 'note');
    const room = Math.max(0, characters - notes);
    bytes = Math.floor(bytes * Math.min(0.95, (AIM * room) / Math.max(1, jsonCharacters(fitting.content) - notes)));
    const limits: Limits = { ...executed.limits, outputBytes: bytes };
    fitting = shape(again === undefined ? { ...executed, limits } : await again(bytes));
  }
  return fitting;
}
