import { afterEach, expect, it } from 'vitest';
import { CHECKS } from './checks.ts';

const platform = Object.getOwnPropertyDescriptor(process, 'platform');
afterEach(() => {
  if (platform !== undefined) Object.defineProperty(process, 'platform', platform);
});

it.each([
  ['darwin', 'macOS'],
  ['win32', 'Windows'],
])('the doctor promises no sandbox on %s', async (name, told) => {
  Object.defineProperty(process, 'platform', { ...platform, value: name });
  const finding = await CHECKS.find((check) => check.name === 'sandbox')?.run();
  expect(finding).toMatchObject([
    { ok: false, detail: `there is no sandbox for ${told} yet: commands are not sandboxed, so each needs your yes, and runs with your rights` },
  ]);
});
