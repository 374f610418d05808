import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool } from '../tool/tool.ts';
import { PROBE } from '../testing/probe-tool.ts';

/** Runs a tool with its context. */
async function inContext(work: (context: ToolContext) => void): Promise<void> {
  const tool = defineTool({
    ...PROBE,
    name: 'look',
    execute: async (_, context) => {
      work(context);
      return { data: {}, content: 'looked' };
    },
  });
  await using place = await temporaryHands({}, { tools: [tool] });
  expect(await place.hands.call('look', {})).toMatchObject({ ok: true });
}

const accessorsOf = (object: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(object)).flatMap(([name, own]) => (own.get === undefined ? [] : [name]));

// V8 makes a class of its own for each object with such getters, which keeps what they refer to until the next full collection:
// collections took a tenth of all calls.
it('has no getters of its own', async () => {
  await inContext((context) => expect(accessorsOf(context)).toEqual([]));
  // Otherwise this would show nothing.
  expect(
    accessorsOf({
      get shell() {
        return 'bash';
      },
    }),
  ).toEqual(['shell']);
});

it('creates its parts once, and can be taken apart', async () => {
  await inContext((context) => {
    const { workspace, processes, web, jobs, search, git, shell, progress, keep } = context;
    expect([context.workspace, context.processes, context.web, context.jobs]).toEqual([workspace, processes, web, jobs]);
    expect(context.processes).toBe(processes);
    expect(context.web).toBe(web);
    expect([context.search, context.git]).toEqual([search, git]);
    expect(shell).toBe('bash');
    progress({ message: 'half' });
    expect(keep(new Uint8Array([1]))).toMatch(/^spill:/u);
  });
});
