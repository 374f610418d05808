import { expect, it } from 'vitest';
import { CallEvent } from './event.ts';
import { CallResult } from './result.ts';

const meta = { callId: 'c', tool: 'list_directory', durationMs: 1, summary: 's', completion: 'ok' } as const;

// JSON has no undefined: who gets messages from elsewhere finds no field where there was nothing.
it('takes a call without arguments and an answer without a value as they come over a wire', () => {
  const wire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  expect(CallEvent.parse(wire({ type: 'call-start', callId: 'c', tool: 'list_directory', arguments: undefined }))).toMatchObject({ callId: 'c' });
  expect(CallResult.parse(wire({ ok: true, output: '', content: [], data: undefined, meta }))).toMatchObject({ ok: true });
});
