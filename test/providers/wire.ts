import * as z from 'zod';
import type { Rounds, SeenResult, Turn } from './scenario.ts';

/** The wire format of an API. */
export interface Wire {
  /** Whether a request wants a stream; `undefined` if it is for another API. */
  route(path: string, body: unknown): { stream: boolean } | undefined;
  /** Reads a request; throws a {@link Refusal} for what the API would refuse. */
  read(body: unknown): Conversation;
  /** Returns the complete response. */
  reply(turn: Turn, conversation: Conversation): unknown;
  /** Returns the same response as server-sent events. */
  events(reply: unknown): readonly string[];
  /** Returns the body of a refusal. */
  refusal(message: string): unknown;
}

/** The conversation in a request. */
export interface Conversation {
  /** Number of turns in which the model made calls. */
  readonly turns: number;
  readonly results: readonly SeenResult[];
  /** The rounds to play if the request has native tools of the provider. */
  readonly rounds?: Rounds;
  /** The required fields of each strict tool. */
  readonly strictFields: ReadonlyMap<string, readonly string[]>;
}

/** A request that the API answers with status 400. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Parses a part of a request by the documented schema. */
export function demand<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Refusal(`Invalid '${place}': ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Refuses calls without exactly one result, and results without a call, in any order; every API requires this. */
export function pair(calls: readonly string[], results: readonly string[]): void {
  if (JSON.stringify(calls.toSorted()) !== JSON.stringify(results.toSorted())) {
    throw new Refusal(`The calls ${calls.join(', ')} must be answered by one result each, in the next message; there are ${results.join(', ')}.`);
  }
}

export const event = (data: unknown, name?: string): string => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
