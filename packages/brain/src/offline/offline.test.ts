import { expect, it } from 'vitest';
import { newRepository, openHands } from '../resurrect/fixtures/test-project.ts';
import { parseReport } from '../report/parse-report.ts';
import { runOffline } from './run-offline.ts';

async function report(folder: string, protocol: string): Promise<string> {
  await using hands = await openHands(folder);
  const made = await runOffline(hands, protocol);
  expect(await parseReport(made.report)).toMatchObject({ attribution: made.attribution, source: 'front-matter' });
  // What is claimed to have been read was read: the attribution is made of the calls.
  expect(Object.values(made.attribution.tool_calls).reduce((sum, count) => sum + count, 0)).toBe(
    made.steps.reduce((sum, { calls }) => sum + calls, 0),
  );
  return made.report;
}

it('reviews what is uncommitted: what changed, what is half done, and which tests were left alone', async () => {
  const { write, commit, folder } = await newRepository();
  await write('src/money.ts', 'export function formatPrice(cents: number) {\n  return cents;\n}\n');
  await write('src/cart.ts', "import { formatPrice } from './money';\nexport const label = formatPrice(1);\n");
  await write('src/money.test.ts', 'it.skip("x", () => {});\n');
  await write('package.json', '{}\n');
  await write('package-lock.json', '{}\n');
  await commit('one', '2026-02-01T00:00:00Z');
  await write('src/money.ts', 'export function formatMoney(cents: number) {\n  console.log(cents);\n  return cents;\n}\n');
  await write('package.json', '{ "dependencies": { "x": "1" } }\n');
  await write('.env', 'TOKEN=1\n');
  const text = await report(folder, 'review-changes');
  for (const part of [
    /## Summary\n\n- 3 files uncommitted/u,
    /`src\/money\.ts`: \+2 -1 lines\. \(`git_diff`\)/u,
    /1\. `\.env` usually holds secrets\./u,
    /refactoring of `formatPrice`: the uncommitted changes took its definition out of `src\/money\.ts`, and `src\/cart\.ts:1`, `src\/cart\.ts:2`/u,
    /`src\/money\.ts` gains a line that looks like debugging: `console\.log\(cents\);`/u,
    /`package\.json` changed and `package-lock\.json` did not/u,
    /## Missing Tests\n\n- `src\/money\.ts` changed, and its test `src\/money\.test\.ts` did not\./u,
  ]) {
    expect(text).toMatch(part);
  }
});

it('explains a codebase: what it is, its parts, a way through it, and where to begin', async () => {
  const { write, commit, folder } = await newRepository();
  await write('package.json', '{\n  "name": "shop"\n}\n');
  await write('README.md', '# Shop\n\nSells things.\n');
  await write('src/main.ts', "import { cart } from './cart/cart.js';\nimport './log.js';\ncart();\n");
  await write('src/cart/cart.ts', "import { total } from './total';\nexport const cart = total;\n");
  await write('src/cart/total.ts', 'export const total = () => 1;\n');
  await write('src/log.ts', '');
  await commit('one', '2026-02-01T00:00:00Z');
  const text = await report(folder, 'explain-codebase');
  for (const part of [
    /## What It Is\n\n- `shop` \(`package\.json:2`\)/u,
    /- `src\/`: 4 files, most of the code `TypeScript`; in it `src\/cart\/`\./u,
    /- `src\/main\.ts` has the name of a file at which programs begin\. \(`src\/main\.ts`\)/u,
    /- `src\/main\.ts` takes from `src\/cart\/cart\.ts`, and 1 file more\. \(`src\/main\.ts:1`\)\n- `src\/cart\/cart\.ts` takes from `src\/cart\/total\.ts`\./u,
    /## Where to Begin Reading\n\n1\. The README, for what it is for\. \(`README\.md:3`\)\n2\. `src\/main\.ts`, where it begins\./u,
  ]) {
    expect(text).toMatch(part);
  }
});

it('says that another protocol needs a model', async () => {
  const { folder } = await newRepository();
  await expect(report(folder, 'release')).rejects.toMatchObject({
    message: 'Protocol needs a model: release',
    hint: expect.stringContaining('--model') as string,
  });
});
