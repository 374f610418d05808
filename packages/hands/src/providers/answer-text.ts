import type { ContentBlock } from '@synapse/protocol';
import { contentText } from '../call/call.ts';
import { size } from '../text/amounts.ts';

/** Base64 encodes three bytes as four characters. */
const BASE64_RATIO = 3 / 4;

/** Image types that OpenAI, Anthropic and Gemini all accept. */
const TAKEN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** Replaces each image that the model cannot see by a line of text. */
export function visibleBlocks(content: readonly ContentBlock[], images: boolean): readonly ContentBlock[] {
  return content.map((block) => {
    if (block.type !== 'image' || (images && TAKEN_IMAGES.has(block.mimeType))) return block;
    const bytes = size(Math.floor(block.data.length * BASE64_RATIO));
    return { type: 'note', text: `[An image, ${block.mimeType}, ${bytes}: it cannot be shown here.]` };
  });
}

/** Returns an answer as one text. */
export function answerText(content: readonly ContentBlock[]): string {
  return contentText(visibleBlocks(content, false));
}

/** Whether an answer has an image that the model can see. */
export function hasImages(content: readonly ContentBlock[], images: boolean): boolean {
  return images && content.some((block) => block.type === 'image' && TAKEN_IMAGES.has(block.mimeType));
}
