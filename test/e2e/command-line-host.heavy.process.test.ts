import { expect, it } from 'vitest';
import { makePlace, runCli, runCliProcess, type Outcome } from './run-cli.ts';

/** What a run prints of its own: times and random names. */
const plain = ({ code, out, err }: Outcome): Outcome => {
  const without = (text: string): string =>
    text
      .replaceAll(/"(?:duration_ms|durationMs|call_id|callId|time|traceId)": ?(?:"[^"]*"|[\d.]+)/gu, '…')
      .replaceAll(/\b\d+(?:\.\d+)? m?s\b/gu, '… s')
      .replaceAll(/\bc-[0-9a-z]+/gu, 'c-…');
  return { code, out: without(out), err: without(err) };
};

it.each<[string, string[], string?]>([
  ['nothing', []],
  ['help', ['--help']],
  ['help of a command', ['call', '--help']],
  ['an unknown command', ['cal']],
  ['an unknown option', ['call', 'read_file', '--jsn']],
  ['a call', ['call', 'read_file', 'path=a.txt']],
  ['a call with its input on stdin', ['call', 'read_file', '-', '--json'], '{"path":"a.txt"}'],
  ['stdin without input', ['call', 'read_file', '-']],
  ['a large result', ['call', 'read_file', 'path=big.txt', '--max-output', '4000000']],
  ['bytes that are no text', ['call', 'read_file', 'path=binary']],
  ['a path outside', ['call', 'read_file', 'path=../../etc/passwd', '--json']],
  ['a missing file', ['call', 'read_file', 'path=none']],
  ['a change without a grant', ['call', 'write_file', 'path=n.txt', 'content=x']],
  ['a command that fails', ['call', 'run_command', 'command=echo out; echo err >&2; exit 3', '--yes']],
  ['a command that takes too long', ['call', 'run_command', 'command=echo out; sleep 60', 'timeout_ms=1500', '--yes']],
  ['a pending change', ['call', 'run_command', 'command=echo more >> a.txt']],
  ['the tools', ['tools', '--json']],
  ['the tools of a dialect', ['tools', '--dialect', 'codex']],
  ['the checks of the machine', ['doctor']],
  ['the projects', ['projects']],
  ['a server whose client is gone', ['mcp']],
])('a command line among others is as one in a process of its own: %s', async (_, words, stdin = '') => {
  const place = await makePlace({ 'a.txt': 'hello\n', 'big.txt': 'x'.repeat(2_000_000), binary: '\0\ufffd\u001b[2J' });
  // Twice: what one leaves behind must not change the next.
  await runCli(place, words, stdin);
  const [shared, own] = [await runCli(place, words, stdin), await runCliProcess(place, words, stdin)];
  expect(plain(shared)).toEqual(plain(own));
});

it('runs those at the same time in processes of their own', async () => {
  const places = await Promise.all(['one', 'two', 'three'].map((text) => makePlace({ 'a.txt': text })));
  const results = await Promise.all(places.map((place) => runCli(place, ['call', 'read_file', 'path=a.txt'])));
  expect(results.map(({ out }) => out)).toEqual(['one', 'two', 'three']);
});

it('takes the environment and the folder of each', async () => {
  const [one, two] = await Promise.all([makePlace({ 'a.txt': '1' }), makePlace({ 'b.txt': '2' })]);
  const list = async (place: typeof one): Promise<string> => (await runCli(place, ['call', 'list_directory'])).out;
  expect([await list(one), await list(two)]).toEqual(['a.txt  1B\n', 'b.txt  1B\n']);
  const told = { ...one, environment: { ...one.environment, SYNAPSE_DEBUG: '1' } };
  const [quiet, telling] = [await runCli(one, ['call', 'read_file', '{']), await runCli(told, ['call', 'read_file', '{'])];
  expect(quiet.err).not.toMatch(/^\s+at /mu);
  expect(telling.err).toMatch(/^\s+at /mu);
});
