import type { CallEvent } from '@synapse/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import { DIALECTS, findDialect } from './find-dialect.ts';

it('tells the dialects where a name is none', async () => {
  await using place = await temporaryHands();
  expect(() => place.hands.dialect('synapsys')).toThrow(
    expect.objectContaining({
      code: 'invalid_arguments',
      hint: expect.stringMatching(/^Did you mean .*synapsis.*The dialects are: synapse-readonly, .*opencode\.$/u),
    }),
  );
});

it('shows the pipeline the canonical calls, and what was refused before them', async () => {
  await using place = await temporaryHands({ a: 'ab ab' });
  const events: CallEvent[] = [];
  place.hands.subscribe((event) => events.push(event));
  const dialect = place.hands.dialect('synapsis');
  const seen = async (name: string, input: unknown): Promise<unknown[]> => {
    events.length = 0;
    await dialect.call(name, input, { callId: 'id', sessionId: 's', stepId: 'step' });
    return events.flatMap((event) =>
      event.type === 'call-end' ? [[event.tool, event.callId, event.sessionId, event.stepId, event.error?.code]] : [],
    );
  };
  expect(await seen('file_edit', { path: 'a', old_text: 'ab', new_text: 'c' })).toEqual([
    ['edit_file', 'id', 's', 'step', 'ambiguous_match'],
    ['read_file', 'id.2', 's', 'step', undefined],
    ['edit_file', 'id.3', 's', 'step', undefined],
  ]);
  expect(await seen('file_edit', { path: 'a' })).toEqual([['file_edit', 'id', 's', 'step', 'invalid_arguments']]);
  expect(await seen('nope', {})).toEqual([['nope', 'id', 's', 'step', 'unknown_tool']]);
});

it('is cancelled by the signal of its caller', async () => {
  await using place = await temporaryHands();
  const answer = await place.hands.dialect('ouroboros').call('shell_exec', { command: 'sleep 20' }, { signal: AbortSignal.timeout(200) });
  expect(answer).toMatchObject({ isError: true, result: { error: { code: 'cancelled' } } });
});

it('lets the limits of the caller win over those of the dialect', async () => {
  await using place = await temporaryHands({ a: 'x\n'.repeat(1_000) });
  const { output } = await place.hands.dialect('synapse').call('read_file', { path: 'a' }, { limits: { outputBytes: 100 } });
  expect(output).toMatch(/^(?:x\n){50}\[.*\]\n$/u);
});

it.each(DIALECTS.map(({ name }) => name))('%s never throws, whatever it is sent', async (name) => {
  await using place = await temporaryHands({}, { allow: [] });
  const dialect = place.hands.dialect(name);
  const names = fc.oneof(fc.constantFrom(...dialect.tools().map((tool) => tool.name)), fc.string());
  await fc.assert(
    fc.asyncProperty(
      names,
      fc.oneof(fc.anything(), fc.json(), fc.dictionary(fc.constantFrom('path', 'command', 'file_path', 'action'), fc.anything())),
      async (tool, input) => {
        const answer = await dialect.call(tool, input);
        expect(answer.output).toBeTypeOf('string');
        expect(answer.result.ok).toBeTypeOf('boolean');
      },
    ),
    { numRuns: 30 },
  );
});

it.each(DIALECTS.flatMap((dialect) => dialect.tools.map((tool) => [dialect.name, tool.name, tool] as const)))(
  '%s %s: a schema that can be sent, and uses that exist',
  (name, _, tool) => {
    expect(tool.uses.length).toBeGreaterThan(0);
    const canonical = new Set<string>(CANONICAL_TOOLS.map((one) => one.name));
    const missing = tool.uses.filter((one) => !canonical.has(one));
    // These stand for tools that hands may have beside the canonical ones.
    expect(missing.every((one) => one === 'mcp:*')).toBe(true);
    expect(findDialect(name).tools).toContain(tool);
  },
);

it('describes each tool with a schema of an object and honest hints', async () => {
  await using place = await temporaryHands();
  for (const { name } of DIALECTS) {
    for (const tool of place.hands.dialect(name).tools()) {
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.inputSchema).not.toHaveProperty('$schema');
      expect(tool.annotations).toBeDefined();
    }
  }
  const hints = Object.fromEntries(
    place.hands
      .dialect('claude-code')
      .tools()
      .map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
  );
  expect(hints).toEqual({
    Read: true,
    Write: false,
    Edit: false,
    Glob: true,
    Grep: true,
    Bash: false,
    TaskOutput: false,
    TaskStop: false,
    WebFetch: false,
  });
});

it('has unique names, and short descriptions', () => {
  expect(new Set(DIALECTS.map(({ name }) => name)).size).toBe(DIALECTS.length);
  for (const { tools } of DIALECTS) {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    for (const { description } of tools) expect(description.length).toBeLessThan(140);
  }
});
