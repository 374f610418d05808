import * as z from 'zod';
import { isDeceptive } from '../../workspace/byte-name.ts';
import { foreignText } from '../connection/remote-error.ts';
import { toolName } from '../tool-name.ts';
import { resourceAddress } from './resource-address.ts';

/** An argument of a prompt. */
export interface OfferedArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A sanitized prompt of a server. */
export interface OfferedPrompt {
  /** `mcp:<server>:<prompt>`. */
  readonly name: string;
  readonly server: string;
  /** Name on the server. */
  readonly ownName: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly OfferedArgument[];
}

/** A sanitized resource or resource template of a server. */
export interface OfferedResource {
  /** The URI under which it can be read through us; see {@link resourceAddress}. */
  readonly uri: string;
  readonly server: string;
  /** URI on the server. */
  readonly ownUri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string | undefined;
}

const MAX_NAME = 200;
const MAX_URI = 2_000;
const MAX_WORDS = 1_000;
const MAX_ARGUMENTS = 50;

const words = z.string().optional().catch(undefined);
const ARGUMENT = z.looseObject({ name: z.string().min(1).max(MAX_NAME), description: words, required: z.boolean().optional().catch(undefined) });
const PROMPT = z.looseObject({
  name: z.string().min(1).max(MAX_NAME),
  title: words,
  description: words,
  arguments: z.array(ARGUMENT).max(MAX_ARGUMENTS).optional(),
});
const ABOUT = { name: words, title: words, description: words, mimeType: z.string().max(MAX_NAME).optional().catch(undefined) };
const RESOURCE = z.looseObject({ uri: z.string().min(1).max(MAX_URI), ...ABOUT });
const TEMPLATE = z.looseObject({ uriTemplate: z.string().min(1).max(MAX_URI), ...ABOUT });

const noRedaction = (text: string): string => text;
const shown = (text: string, most: number): string => foreignText(text, noRedaction, most);
const line = (text: string, most: number): string => shown(text, most).replaceAll('\n', ' ');

/** Reads a prompt as sent by a server; undefined if it cannot be offered. */
export function readPrompt(server: string, sent: unknown): OfferedPrompt | undefined {
  const read = PROMPT.safeParse(sent);
  if (!read.success) return undefined;
  const { name, title = name, description = '', arguments: given = [] } = read.data;
  if (isDeceptive(name) || given.some((argument) => isDeceptive(argument.name))) return undefined;
  return {
    name: toolName(server, name),
    server,
    ownName: name,
    title: line(title, MAX_NAME),
    description: shown(description, MAX_WORDS),
    arguments: given.map((argument) => ({
      name: argument.name,
      description: shown(argument.description ?? '', MAX_WORDS),
      required: argument.required ?? false,
    })),
  };
}

interface About {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

function offered(server: string, uri: string, { name = uri, title = name, description = '', mimeType }: About): OfferedResource | undefined {
  if (isDeceptive(uri)) return undefined;
  return {
    uri: resourceAddress(server, uri),
    server,
    ownUri: uri,
    name: line(name, MAX_NAME),
    title: line(title, MAX_NAME),
    description: shown(description, MAX_WORDS),
    mimeType: mimeType === undefined ? undefined : line(mimeType, MAX_NAME),
  };
}

/** Reads a resource as sent by a server; undefined if it cannot be offered. */
export function readResource(server: string, sent: unknown): OfferedResource | undefined {
  const read = RESOURCE.safeParse(sent);
  return read.success ? offered(server, read.data.uri, read.data) : undefined;
}

/** Reads a resource template as sent by a server; undefined if it cannot be offered. */
export function readTemplate(server: string, sent: unknown): OfferedResource | undefined {
  const read = TEMPLATE.safeParse(sent);
  return read.success ? offered(server, read.data.uriTemplate, read.data) : undefined;
}
