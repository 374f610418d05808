import * as z from 'zod';
import type { Rounds, SeenResult, Turn } from './scenario.ts';

/** How an API is spoken on the wire. */
export interface Wire {
  /** Whether a request is for this API, and wants a stream; `undefined` where it is for another. */
  route(path: string, body: unknown): { stream: boolean } | undefined;
  /** Reads a request; what the API would refuse is thrown as a {@link Refusal}. */
  read(body: unknown): Conversation;
  /** The answer as a whole. */
  reply(turn: Turn, conversation: Conversation): unknown;
  /** The same answer as the text of server-sent events. */
  events(reply: unknown): readonly string[];
  /** The body of a refusal. */
  refusal(message: string): unknown;
}

/** What a request tells of the conversation. */
export interface Conversation {
  /** Turns in which the model made calls. */
  readonly turns: number;
  readonly results: readonly SeenResult[];
  /** What the model does with tools of its own provider, where it was told of them. */
  readonly rounds?: Rounds;
  /** The required fields of each tool that is strict. */
  readonly strictFields: ReadonlyMap<string, readonly string[]>;
}

/** What the API answers with status 400. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Parses a part of a request by what the API documents. */
export function demand<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Refusal(`Invalid '${place}': ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Refuses calls without a result each, and results without a call: every API demands exactly one. */
export function pair(calls: readonly string[], results: readonly string[]): void {
  if (JSON.stringify(calls) !== JSON.stringify(results)) {
    throw new Refusal(`The calls ${calls.join(', ')} must be answered by one result each, in the next message; there are ${results.join(', ')}.`);
  }
}

export const event = (data: unknown, name?: string): string => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
