import { APICallError } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { readModelFailure } from './model-failure.ts';

const failed = (statusCode: number | undefined, message: string): APICallError =>
  new APICallError({ message, url: 'http://x', requestBodyValues: {}, ...(statusCode === undefined ? {} : { statusCode }) });

it.each([
  [400, 'The maximum context length is 10 tokens.', 'context', /10 tokens\. Start a new session/u],
  [429, 'Slow\u001b[31m down!', 'busy', /429: Slow \[31m down\. Try again later\.$/u],
  [400, 'gemma does not support tools', 'rejected', /Set --model to one that can call tools\.$/u],
  [404, 'model "x" not found', 'no-model', /Set --model to one that the server has/u],
  [401, 'bad key', 'key', /OPENAI_API_KEY/u],
  [200, 'Failed to process', 'network', /^The answer of the model broke off: Failed to process\. Check the network/u],
  [undefined, 'Cannot connect', 'network', /^Model not reachable: Cannot connect\. Check the network/u],
])('reports %s %j in one sentence that says what to do', (status, message, kind, told) => {
  expect(readModelFailure(failed(status, message))).toMatchObject({ kind, message: expect.stringMatching(told) as string });
});
