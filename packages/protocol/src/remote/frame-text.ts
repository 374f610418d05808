import { appendedText } from './appended-text.ts';
import type { DataFrame } from './frames.ts';

/** Texts shorter than this are a part of the JSON: apart from it, they save nothing. */
const LEAST = 16_384;

/** What is not well-formed cannot travel as it is, only as an escape. */
const isWorthIt = (text: string): boolean => text.length >= LEAST && text.isWellFormed();

/** Formats a frame. @param appends whether the other side can read texts that are appended to their frames */
export function frameText(frame: DataFrame, appends: boolean): string {
  if (!appends) return JSON.stringify(frame);
  if ('auth' in frame && frame.auth !== undefined) {
    const { box } = frame.auth;
    if (isWorthIt(box)) return appendedText({ ...frame, auth: { ...frame.auth, box: '' } }, 'box', box);
  } else if (frame.type === 'tool_result') {
    const { body = '' } = frame;
    if (isWorthIt(body)) return appendedText({ ...frame, body: '' }, 'body', body);
  } else if ((frame.type === 'chunk' || frame.type === 'tool_progress') && isWorthIt(frame.data))
    return appendedText({ ...frame, data: '' }, 'data', frame.data);
  return JSON.stringify(frame);
}
