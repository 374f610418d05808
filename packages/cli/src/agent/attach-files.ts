import { posix } from 'node:path';
import type { TaskContent } from '@synapse/brain';
import { dataMarks } from '@synapse/hands/internal';
import { SynapseError, type CallResult } from '@synapse/protocol';
import * as z from 'zod';
import { inLine } from '../output/visible-text.ts';

/** Files of one message: more are better read by the model, as it needs them. */
const MAX_FILES = 20;

/** How files are read. */
export interface AttachPlace {
  /** Runs a canonical call, by the policy that holds for the model. */
  readonly call: (name: string, input: unknown) => Promise<CallResult>;
  /** Whether the model supports images. */
  readonly images: boolean;
}

/** A message with the files that it names. */
export interface Attached {
  readonly content: string | TaskContent;
  /** What a person should know, such as a name that is no file. */
  readonly notes: readonly string[];
}

const NAMED = /(?<=^|\s)@(?:"(?<quoted>[^"\n]+)"|(?<word>[^\s"]\S*))/gu;
/** What may follow a name in a sentence. */
const AFTER_NAME = /[.,;:!?)\]}'"]+$/u;

function partsOf(path: string, result: CallResult & { readonly ok: true }, images: boolean): TaskContent {
  const found = result.content.filter((block) => block.type === 'image');
  if (found.length > 0 && !images) {
    throw new SynapseError('invalid_arguments', `Not sent: ${inLine(path)} is an image, and this model does not support images.`, {
      hint: 'Choose a model that supports images, and leave out --no-images.',
    });
  }
  if (found.length > 0) {
    return [
      { type: 'text', text: `[The person attached the image ${inLine(path)}:]` },
      ...found.map(({ mimeType, data }): TaskContent[number] => ({ type: 'file', mediaType: mimeType, data: { type: 'data', data } })),
    ];
  }
  const { begin, end } = dataMarks(`${path}, attached by the person`);
  return [{ type: 'text', text: `${begin}\n${result.output}\n${end()}` }];
}

const Located = z.object({ path: z.string() });

/** Whether the call took the file that was named, and not one with a similar name. */
function isNamed(path: string, { data }: CallResult & { readonly ok: true }): boolean {
  const located = Located.safeParse(data);
  const clean = posix.normalize(path).replace(/\/$/u, '');
  return located.success && (clean === located.data.path || clean.endsWith(`/${located.data.path}`));
}

async function read(path: string, { call, images }: AttachPlace): Promise<TaskContent | undefined> {
  const result = await call('read_file', { path });
  if (result.ok) return isNamed(path, result) ? partsOf(path, result, images) : undefined;
  if (result.error.code === 'not_found') return undefined;
  if (result.error.code === 'wrong_type') {
    const listed = await call('list_directory', { path });
    if (listed.ok) return partsOf(path, listed, images);
  }
  const { code, message, hint } = result.error;
  throw new SynapseError(code, `Not sent, because ${inLine(path)} cannot be attached: ${message}`, hint === undefined ? {} : { hint });
}

/** The names in a message, each once, with the forms that are tried. */
function named(text: string): string[][] {
  const found = Array.from(text.matchAll(NAMED), ({ groups = {} }) => {
    const { quoted, word = '' } = groups;
    return quoted === undefined ? [...new Set([word, word.replace(AFTER_NAME, '')])].filter((name) => name !== '') : [quoted];
  });
  return [...new Map(found.map((names) => [names.at(-1) ?? '', names])).values()];
}

/**
 * Attaches the files that a message names as `@path`. A name of no file stays text.
 *
 * @param more further files, which must exist
 * @throws SynapseError with the reason for a file that may not be read; the message is then not to be sent
 */
export async function attachFiles(text: string, place: AttachPlace, more: readonly string[] = []): Promise<Attached> {
  const names = named(text);
  if (names.length + more.length > MAX_FILES) throw new SynapseError('too_large', `At most ${MAX_FILES} files can be attached to a message.`);
  const parts: TaskContent = [];
  const notes: string[] = [];
  for (const forms of names) {
    let found: TaskContent | undefined;
    for (const path of forms) found ??= await read(path, place);
    if (found === undefined) notes.push(`No file ${inLine(forms.at(-1) ?? '')}: sent as text.`);
    else parts.push(...found);
  }
  for (const path of more) {
    const found = await read(path, place);
    if (found === undefined) throw new SynapseError('not_found', `File not found: ${inLine(path)}`, { hint: 'Files are named from the workspace.' });
    parts.push(...found);
  }
  return { content: parts.length === 0 ? text : [{ type: 'text', text }, ...parts], notes };
}
