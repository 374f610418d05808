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

it('names the test and not a helper of the same name, and what stops the program', async () => {
  const { write, commit, folder } = await newRepository();
  await write('lib/utils.js', 'exports.a = 1;\n');
  await write('lib/view.py', 'x = 1\n');
  await write('test/utils.js', "require('assert');\n");
  await write('test/support/utils.js', 'exports.b = 1;\n');
  await commit('one', '2026-02-01T00:00:00Z');
  await write('lib/utils.js', 'exports.a = 1;\nthrow new Error("not implemented yet");\n');
  await write('lib/view.py', 'x = 1\n# raise NotImplementedError\ndef draw():\n    raise NotImplementedError\n');
  const text = await report(folder, 'review-changes');
  expect(text).toContain('`lib/utils.js` changed, and its test `test/utils.js` did not.');
  expect(text).toContain('1. `lib/utils.js` gains a line that stops the program when the file is loaded: `throw new Error("not implemented yet");`.');
  expect(text).toContain('2. `lib/view.py` gains a line that says that something is not implemented: `raise NotImplementedError`.');
});

it('explains a program in C: its main function, not a file by its name', async () => {
  const { write, commit, folder } = await newRepository();
  await write('kilo.c', '/* int main(void) */\n\nint main(int argc, char **argv) {\n  return 0;\n}\n');
  await write('text.c', 'char *text = "\\\nint main(void)\\\n";\n');
  await write('tests/main.c', 'int main(void) { return 0; }\n');
  await commit('one', '2026-02-01T00:00:00Z');
  const text = await report(folder, 'explain-codebase');
  expect(text).toContain('1. `kilo.c`, which has the main function. (`kilo.c:3`)');
  expect(text).not.toMatch(/`(?:tests\/main|text)\.c` has/u);
});

it('names a file once among those to begin with', async () => {
  const { write, commit, folder } = await newRepository();
  for (const [index, day] of ['01', '02', '03'].entries()) {
    await write('kilo.c', `int main(void)\n{\n  return ${index};\n}\n`);
    await commit(`change ${index}`, `2026-02-${day}T00:00:00Z`);
  }
  const text = await report(folder, 'explain-codebase');
  expect(text).toContain('1. `kilo.c`, which has the main function and changed most often of late (3 changes).');
  expect(text.slice(text.indexOf('## Where to Begin Reading'), text.indexOf('## Based On')).match(/`kilo\.c`,/gu)).toHaveLength(1);
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
    /- `src\/main\.ts` is an entry point by its name\. \(`src\/main\.ts`\)/u,
    /- `src\/main\.ts` imports `src\/cart\/cart\.ts` and 1 other file\. \(`src\/main\.ts:1`\)\n- `src\/cart\/cart\.ts` imports `src\/cart\/total\.ts`\./u,
    /## Where to Begin Reading\n\n1\. The README, which says what it is for\. \(`README\.md:3`\)\n2\. `src\/main\.ts`, which is an entry point by its name\./u,
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
