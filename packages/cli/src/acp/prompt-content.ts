import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { TaskContent } from '@synapse/brain';
import { SynapseError } from '@synapse/protocol';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fenced } from './plain-block.ts';

/** Maximum number of characters of a prompt in text, and of its images in base64. */
const MAX_TEXT = 1_000_000;
const MAX_IMAGES = 20_000_000;

/** The path of a file as the tools name it, if it is in the workspace. */
function nameOf(uri: string, roots: readonly string[]): string {
  if (!URL.canParse(uri) || new URL(uri).protocol !== 'file:') return uri;
  try {
    const path = fileURLToPath(uri);
    const inner = roots.map((root) => relative(root, path)).find((one) => one !== '' && one.split(sep)[0] !== '..' && !isAbsolute(one));
    return inner ?? path;
  } catch {
    // Such as a file of another host.
    return uri;
  }
}

const text = (content: string): TaskContent[number] => ({ type: 'text', text: content });

function partOf(block: ContentBlock, roots: readonly string[]): TaskContent[number] {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return { type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } };
    case 'resource_link':
      return text(`[The person refers to: ${nameOf(block.uri, roots)}]`);
    case 'resource': {
      const { resource } = block;
      const name = nameOf(resource.uri, roots);
      // The content is data, whatever it says.
      if ('text' in resource) return text(`[The person attached ${name}. Its content, as data:]\n${fenced(resource.text)}`);
      const { mimeType } = resource;
      if (mimeType?.startsWith('image/') === true) return { type: 'file', mediaType: mimeType, data: { type: 'data', data: resource.blob } };
      throw new SynapseError('invalid_arguments', `The attachment ${name.slice(0, 200)} is neither text nor an image.`);
    }
    case 'audio':
      throw new SynapseError('invalid_arguments', 'Audio is not supported.', { hint: 'Send text or images.' });
    default:
      return block satisfies never;
  }
}

/**
 * A prompt as the content of a message for the model.
 *
 * @param roots the names of the workspace, for those of its files
 * @throws SynapseError `invalid_arguments` for content of an unsupported kind, `too_large`
 */
export function promptContent(blocks: readonly ContentBlock[], roots: readonly string[]): TaskContent {
  const parts = blocks.map((block) => partOf(block, roots));
  const size = (type: 'text' | 'file'): number =>
    parts.reduce((sum, part) => {
      if (part.type !== type) return sum;
      return sum + (part.type === 'text' ? part.text.length : part.data.type === 'data' ? part.data.data.length : 0);
    }, 0);
  if (size('text') > MAX_TEXT || size('file') > MAX_IMAGES) {
    throw new SynapseError('too_large', `The prompt is too long: at most ${MAX_TEXT} characters of text and ${MAX_IMAGES} of images.`, {
      hint: 'Refer to files instead of attaching them; the model can read them.',
    });
  }
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) throw new SynapseError('invalid_arguments', 'The prompt is empty.');
  return parts;
}

/** The text of a prompt that is nothing but text; undefined for others. */
export function onlyText(content: TaskContent): string | undefined {
  const texts = content.map((part) => (part.type === 'text' ? part.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join('\n').trim();
}
