import { given } from '@synapse/hands/internal';
import type { McpHttpOptions, McpServerOptions } from './mcp-offer.ts';

const { anything, callback, either, fields, listOf, oneOf, optional, satisfying, signal, text, whole, withMethods } = given;

const stream = optional(satisfying('a stream', (value) => typeof value === 'object' && value !== null && 'on' in value));
const OFFER = {
  hands: withMethods('hands', 'call'),
  name: text,
  version: text,
  tools: optional(either('"all" or a list of names', oneOf(['all']), listOf(text))),
  dialect: optional(text),
  prompts: optional(callback),
  resources: optional(listOf(anything)),
  chooseFolder: optional(callback),
  maxOutput: optional(whole),
  onError: optional(callback),
  signal: optional(signal),
};
const STREAMS: { readonly [Name in keyof Required<McpServerOptions>]: given.Check } = { ...OFFER, input: stream, output: stream };
const HTTP: { readonly [Name in keyof Required<McpHttpOptions>]: given.Check } = {
  ...OFFER,
  host: optional(text),
  port: optional(whole),
  token: text,
  origins: optional(listOf(text)),
  onListening: optional(callback),
};

/**
 * Checks the options of a server from a program that may have no types: with a misspelled `tools`, it would offer all.
 *
 * @throws SynapseError `invalid_arguments` that says what is wrong where
 */
export const assertStreamOptions = (options: unknown): void => given.assertGiven('runMcpServer', 'options', fields(STREAMS), options);

/** The same for a server over HTTP. */
export const assertHttpOptions = (options: unknown): void => given.assertGiven('runMcpHttpServer', 'options', fields(HTTP), options);
