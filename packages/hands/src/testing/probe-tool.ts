import * as z from 'zod';

/** A tool without fields, but for what it does: `defineTool({ ...PROBE, execute })`. For tests, which replace what they are about. */
export const PROBE = {
  name: 'probe',
  title: 'Probe',
  description: 'For tests.',
  effects: 'read',
  input: z.strictObject({}),
  output: z.strictObject({}),
  permission: () => [],
  timeoutMs: 20_000,
  keep: 'head',
  summarize: () => 'probe',
} as const;
