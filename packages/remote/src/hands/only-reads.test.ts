import { describe, expect, it } from 'vitest';
import { remoteBench } from '../fixtures/bench.ts';
import { onlyReads } from './only-reads.ts';

await using bench = await remoteBench();

describe('onlyReads', () => {
  it.each([
    ['read_file', undefined, true],
    ['search_text', undefined, true],
    ['echo', undefined, true],
    // Reads, but does not say that repeating it changes nothing.
    ['echo_once', undefined, false],
    ['count', undefined, false],
    // Repeating it changes nothing more, but the first time did.
    ['create_directory', undefined, false],
    ['fetch_url', undefined, false],
    ['run_command', undefined, false],
    ['no_such_tool', undefined, false],
    ['Read', 'claude-code', false],
    ['read_file', 'synapse-readonly', false],
  ])('%s in %s: %s', (tool, dialect, expected) => {
    expect(onlyReads(bench.hands, { tool, args: {}, ...(dialect === undefined ? {} : { dialect }) })).toBe(expected);
  });
});
