import type { FilledForm } from '@synapse/protocol';
import { AsyncLocalStorage } from 'node:async_hooks';
import * as z from 'zod';
import { formFields } from '../../approval/form-fields.ts';
import { formSchema } from '../../approval/form-schema.ts';
import { checkContent } from '../../approval/form-values.ts';
import { isDeceptive } from '../../workspace/byte-name.ts';
import type { RemoteCall, ServerQuestion } from './connection.ts';

/** Maximum number of characters of a question, and of a URL that a user can still check. */
const MAX_MESSAGE = 4_000;
const MAX_URL = 2_000;

const PARAMS = z.looseObject({
  mode: z.enum(['form', 'url']).default('form'),
  message: z.string().catch(''),
  requestedSchema: z.unknown().optional(),
  url: z.string().optional(),
});

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns the URL of a page a user may be sent to; undefined if it hides its target, or is no web page. */
export function pageAddress(text: string): string | undefined {
  if (text.length > MAX_URL || isDeceptive(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, username, password, href } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
  return isSafe && username === '' && password === '' ? href : undefined;
}

/** Reads a question as sent by a server. Undefined if it cannot be asked faithfully. */
export function readQuestion(params: unknown): ServerQuestion | undefined {
  const read = PARAMS.safeParse(params);
  if (!read.success) return undefined;
  const { mode, requestedSchema, url } = read.data;
  const message = read.data.message.slice(0, MAX_MESSAGE).toWellFormed();
  if (mode === 'url') {
    const address = url === undefined ? undefined : pageAddress(url);
    return address === undefined ? undefined : { message, schema: formSchema([]), url: address, checked: () => ({}) };
  }
  const fields = formFields(requestedSchema);
  if (fields === undefined) return undefined;
  const checked: ServerQuestion['checked'] = (given) => {
    const read = checkContent(fields, given);
    return 'content' in read ? read.content : undefined;
  };
  return { message, schema: formSchema(fields), checked };
}

/** Asks the user of a call a question. Declines one that cannot be asked faithfully. */
export async function putQuestion(params: unknown, { fill }: Pick<RemoteCall, 'fill'>): Promise<FilledForm> {
  const question = readQuestion(params);
  return question === undefined ? { action: 'decline' } : await fill(question);
}

/** Tracks running calls, to find the call that a question of the server belongs to. */
export class CallsUnderWay {
  readonly #calls = new Set<RemoteCall>();
  readonly #own = new AsyncLocalStorage<RemoteCall>();

  /** Makes a request as part of a call. */
  async during<T>(call: RemoteCall, request: () => Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await this.#own.run(call, request);
    } finally {
      this.#calls.delete(call);
    }
  }

  /**
   * Returns the call that a question belongs to. Since 2026-07-28 questions arrive as results of their call. Earlier ones
   * arrive separately: with several running calls, the call is unknown, and the wrong user could decide.
   */
  asking(): RemoteCall | undefined {
    const own = this.#own.getStore();
    if (own !== undefined && this.#calls.has(own)) return own;
    const [first, ...more] = this.#calls;
    return more.length === 0 ? first : undefined;
  }
}
