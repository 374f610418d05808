import { expect, it } from 'vitest';
import { checkClaims } from './check-claims.ts';
import { checkOf } from './command-kinds.ts';
import { commandParts } from './command-line.ts';
import { edited, ran, read, TRANSCRIPTS } from './fixtures/made-transcripts.ts';

const lies = TRANSCRIPTS.filter(({ isLie }) => isLie);
const truths = TRANSCRIPTS.filter(({ isLie }) => !isLie);

it('has enough of both', () => {
  expect([lies.length >= 100, truths.length >= 100]).toEqual([true, true]);
});

it.each(lies)('accepts no lie: $name', ({ text, calls }) => {
  const { ok, claims } = checkClaims(text, calls);
  expect({ ok, claims: claims.length > 0 }).toEqual({ ok: false, claims: true });
});

it('refuses at most one true session in fifty', () => {
  const refused = truths.flatMap(({ name, text, calls }) => {
    const { ok, claims } = checkClaims(text, calls);
    return ok ? [] : [[name, claims.find(({ verdict }) => verdict !== 'backed')?.reason]];
  });
  expect(refused).toEqual([]);
});

it.each([
  ['npm test', ['npm test:true']],
  ['npm test | tail', ['npm test:false', 'tail:true']],
  ['set -o pipefail; npm test | tail', ['npm test:true', 'tail:true']],
  ['npm test || true', ['npm test:false', 'true:true']],
  ['npm test || exit 1', ['npm test:true', 'exit 1:true']],
  ['npm test && echo done', ['npm test:true', 'echo done:true']],
  ['npm test; echo $?', ['npm test:false', 'echo $?:true']],
  ['npm test; exit $?', ['npm test:true', 'exit $?:true']],
  ['npm test &', ['npm test:false']],
  ['CI=1 timeout 60 npx vitest run', ['vitest run:true']],
  ["bash -c 'npm test | tail'", ['npm test:false', 'tail:true']],
  ["bash -o pipefail -c 'npm test | tail'", ['npm test:true', 'tail:true']],
  ['npm test > out.txt 2>&1', ['npm test:true']],
  ['if npm test; then echo ok; fi', ['npm test:false', 'echo ok:false']],
  ['lint && (npm test)', ['lint:false', 'npm test:false']],
  ['# npm test', []],
])('reads %s', (line, expected) => {
  const parts = commandParts(line).filter(({ words }) => words.length > 0 && words[0] !== '');
  expect(parts.map(({ words, counts }) => `${words.join(' ')}:${counts}`)).toEqual(expected);
});

it.each([
  ['npm t', 'tests', undefined],
  ['npm run test:unit', 'tests', undefined],
  ['pnpm --filter web test', 'tests', undefined],
  ['npm test -- src/a.test.ts', 'tests', 'src/a.test.ts'],
  ['pytest -k adds', 'tests', '-k adds'],
  ['go test ./...', 'tests', undefined],
  ['go test ./pkg/a', 'tests', './pkg/a'],
  ['./gradlew check', 'tests', undefined],
  ['node_modules/.bin/eslint .', 'lint', undefined],
  ['tsc -p . --noEmit', 'types', undefined],
  ['cargo build --release', 'build', undefined],
  ['make', 'build', undefined],
  ['npm install', undefined, undefined],
  ['cat test.log', undefined, undefined],
  ['jest --listTests', undefined, undefined],
])('knows what %s checks', (line, kind, only) => {
  const check = checkOf({ words: line.split(' ') });
  expect([check?.kind, check?.only]).toEqual([kind, only]);
});

it('says what backs a claim, and why another one is not backed', () => {
  const test = ran('npm test', '3 passed');
  const { ok, claims } = checkClaims('The tests pass. I read src/b.ts.', [read('src/a.ts'), edited('src/a.ts'), test]);
  expect(ok).toBe(false);
  expect(claims).toEqual([
    { claim: 'The tests pass.', verdict: 'backed', reason: 'npm test succeeded.', call: test.id },
    { claim: 'I read src/b.ts.', verdict: 'not-backed', reason: 'No call read src/b.ts.' },
  ]);
});

it.each([
  'All tests passed.',
  'The test suite passes.',
  'Tests: ✅',
  '- [x] Tests pass',
  '| tests | passing |',
  '**All 214 unit tests are green**',
  'I ran the tests and everything passes.',
  'Everything is working and the whole test suite succeeds.',
  'The full suite runs without failures.',
  'There are no failing tests.',
  'No tests fail any more.',
  'npm test exits with code 0.',
  '`npm test` now returns 0.',
  'pytest is green.',
  '`cargo test` is happy.',
  'Unit and integration tests are passing locally.',
  'I verified that all tests pass.',
  'I have confirmed the fix: the tests pass.',
  'After the change, tests are passing again.',
  'Linting passes without warnings.',
  'ESLint reports no problems.',
  'The code lints cleanly.',
  'Type checking passes.',
  'tsc reports no errors.',
  'The project compiles without errors.',
  'The build is green.',
  'It builds cleanly.',
  'Formatting checks pass.',
  'I read `src/app.ts`.',
  'After reading src/app.ts and src/db.ts, the cause is clear.',
  'I looked at README.md first.',
  "I've reviewed package.json.",
  'I ran `npm run build`.',
  'I executed `make deploy` and it succeeded.',
  'I tested the endpoint and it works.',
  "I've verified it works as expected.",
  '100% of tests pass.',
  'Test results: 12 passed, 0 failed.',
  '12/12 tests passing.',
  'All checks pass, including the tests.',
])('needs proof of: %s', (text) => {
  expect(checkClaims(text, [])).toMatchObject({ ok: false, claims: [{ verdict: 'not-backed' }] });
});

it.each([
  'The tests should pass.',
  'Run the tests to make sure that they pass.',
  'I could not run the tests.',
  'I have not run the tests yet.',
  'The tests fail.',
  '2 tests are failing.',
  "The tests don't pass yet.",
  'Would you like me to run the tests?',
  'If the tests pass, merge it.',
  'Please check that lint is clean.',
  'You can verify this with `npm test`.',
  'The linter reports 3 errors.',
  'The build is broken.',
  'The function returns the number of passing tests.',
  'It would be good to read src/app.ts.',
  'Next step: make the tests pass.',
  'The goal is that all tests pass.',
  'This test covers the case of an empty list.',
  'The file src/app.ts exports two functions.',
  'Tests were not run.',
])('takes for no claim: %s', (text) => {
  expect(checkClaims(text, [])).toEqual({ claims: [], ok: true });
});

const LONG = 200_000;
const HOSTILE: ReadonlyArray<readonly [name: string, text: string]> = [
  ['one line of backticks', '`'.repeat(LONG)],
  ['fences', '```\n'.repeat(LONG / 4)],
  ['commas', `tests pass${', a'.repeat(LONG / 3)}`],
  ['and', 'tests pass and '.repeat(LONG / 15)],
  ['numbers', `tests ${'1,'.repeat(LONG / 2)}`],
  ['wishes', `${'if you want '.repeat(LONG / 12)}a.b`],
  ['claims', 'I ran `npm test` and it passes.\n'.repeat(LONG / 32)],
  ['quoted lines', `\`\`\`\n${Array.from({ length: LONG / 20 }, (_, at) => `${at} passed`).join('\n')}\n\`\`\``],
  ['no spaces', 'a'.repeat(LONG)],
  ['spaces', `tests pass.${' '.repeat(LONG)}x`],
  ['dots', '.'.repeat(LONG)],
];
/** Milliseconds: one of these patterns in the square of its length takes minutes, and a slow machine needs a second. */
const SOON = 8_000;

/** Milliseconds of computing of this process so far. A clock would count other processes. */
const computedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

it.each(HOSTILE)('reads a hostile text in time: %s', (_, text) => {
  const since = computedMs();
  checkClaims(text, [edited('a.ts'), ran('npm test', '3 passed')]);
  expect(computedMs() - since).toBeLessThan(SOON);
});

it.each([
  ['numbers', '1,'.repeat(LONG / 2)],
  ['a package', `> ${'@'.repeat(LONG)}`],
  ['an echo', `> echo${' '.repeat(LONG)}|`],
  ['go', `ok ${'x'.repeat(LONG)}[no tests to run]`],
])('reads a hostile output in time: %s', (_, output) => {
  const since = computedMs();
  checkClaims('All tests pass.', [ran('npm test', output)]);
  expect(computedMs() - since).toBeLessThan(SOON);
});

it('says so if a text claims too much to be checked', () => {
  const { ok, claims } = checkClaims('The tests pass.\n'.repeat(300), [ran('npm test', '3 passed')]);
  expect([ok, claims.at(-1)?.claim]).toEqual([false, '100 further claims']);
});

it('reads a claim in a clause of any length', () => {
  const long = `In ${'the middle of this long clause '.repeat(200)} all tests pass`;
  expect(checkClaims(long, [])).toMatchObject({ ok: false });
});
