import { describe, expect, it } from 'vitest';
import { NORMALIZERS, normalizersOf, type ProvenReason } from './normalizers.ts';
import { provenReasons, unsteadyAlone } from './unsteady-text.ts';

const ofCommand = (command: string): ReturnType<typeof normalizersOf> => normalizersOf(JSON.stringify({ command }));

type Row = readonly [what: string, command: string, recorded: string, again: string, reasons: readonly ProvenReason[] | undefined];

/** Rows of each kind, and beside some of them one that looks alike and is no such text. */
const ROWS: readonly Row[] = [
  ['the blocks of a folder', 'ls -l', 'total 12\na', 'total 8\na', ['disk']],
  ['the size of a folder', 'ls -l', 'drwxr-xr-x 2 ada ada 4096 Nov 27 16:03 a', 'drwxr-xr-x 2 ada ada   60 Nov 27 16:03 a', ['disk']],
  ['a number of links', 'ls -l', 'drwxr-xr-x 3 ada ada 4096 Nov 27 16:03 a', 'drwxr-xr-x 1 ada ada 4096 Nov 27 16:03 a', ['disk']],
  ['a number of links', 'ls -l', '-rw-r--r-- 2 ada ada 5 Nov 27 16:03 a', '-rw-r--r-- 1 ada ada 5 Nov 28 16:03 a', ['time', 'disk']],
  ['the size of a file', 'ls -l', '-rw-r--r-- 1 ada ada 5 Nov 27 16:03 a', '-rw-r--r-- 1 ada ada 6 Nov 27 16:03 a', undefined],
  ['an owner', 'ls -l', '-rw-r--r-- 1 ada ada 5 Nov 27 16:03 a', '-rw-r--r-- 1 bob ada 5 Nov 27 16:03 a', undefined],
  ['permissions', 'ls -l', '-rw-r--r-- 1 ada ada 5 Nov 27 16:03 a', '-rwxr--r-- 1 ada ada 5 Nov 27 16:03 a', undefined],
  ['a size', 'du -sh src', '4.0K\tsrc', '8.0K\tsrc', ['disk']],
  ['a size', 'du -sh src; npm test', '4.0K\tsrc', '8.0K\tsrc', undefined],

  ['a slow test that passed', 'vitest run', ' ✓ a.test.ts (2 tests) 900ms\n   ✓ is slow 801ms\nok', ' ✓ a.test.ts (2 tests) 9ms\nok', ['time']],
  ['a slow test that failed', 'vitest run', '   × is slow 801ms\nok', 'ok', undefined],
  ['the duration of a slow test', 'vitest run', ' ✓ a.test.ts (2 tests) 12ms', ' ✓ a.test.ts (2 tests) 1.2s', ['time']],
  ['the number of tests', 'vitest run', ' ✓ a.test.ts (2 tests) 12ms', ' ✓ a.test.ts (3 tests) 12ms', undefined],
  ['the duration of a slow test', 'jest', 'PASS a.test.js (5.2 s)\n  ✓ adds (3 ms)', 'PASS a.test.js\n  ✓ adds', ['time']],
  ['a test that failed', 'jest', 'PASS a.test.js (5.2 s)', 'FAIL a.test.js', undefined],
  [
    'the parts of a duration',
    'vitest run',
    '   Start at  10:02:03\n   Duration  1.21s (transform 30ms, setup 0ms, tests 92%)',
    '   Start at  11:12:13\n   Duration  932ms (transform 31ms, tests 7%, import 80%)',
    ['time'],
  ],
  ['an estimate', 'jest', 'Time:        1.2 s, estimated 2 s', 'Time:        0.9 s', ['time']],
  ['signs around a duration', 'pytest', '===== 3 passed in 0.12s =====', '==== 3 passed in 10.12s ====', ['time']],
  ['a duration in hours', 'pytest', '== 3 passed in 61.12s (0:01:01) ==', '== 3 passed in 59.12s ==', ['time']],
  ['the number of tests', 'pytest', '===== 3 passed in 0.12s =====', '===== 4 passed in 0.12s =====', undefined],
  ['a rate', 'rake test', 'Finished in 0.001s, 885.7 runs/s.', 'Finished in 0.002s, 9.1 runs/s.', ['time']],
  ['a field', 'node --test', '# tests 3\n# duration_ms 45.31', '# tests 3\n# duration_ms 7', ['time']],
  ['a field', 'npm test', '{"passed":3,"duration":12}', '{"passed":3,"duration":7.5}', ['time']],
  ['a number of another field', 'npm test', '{"passed":3,"duration":12}', '{"passed":4,"duration":12}', undefined],
  ['a result that was still known', 'go test ./...', 'ok  \tx/a\t0.012s', 'ok  \tx/a\t(cached)', ['timing']],
  ['a duration', 'go test ./...', 'ok  \tx/a\t0.012s', 'ok  \tx/a\t1.204s', ['time']],
  ['a test that failed', 'go test ./...', 'ok  \tx/a\t0.012s', 'FAIL\tx/a\t0.012s', undefined],
  ['a duration', 'cargo test', 'test result: ok. 3 passed; finished in 0.00s', 'test result: ok. 3 passed; finished in 1.10s', ['time']],
  ['minutes and seconds', 'time make', 'real\t0m0.012s', 'real\t1m2.345s', ['time']],
  ['how long ago', 'git log --format=%cr', '59 seconds ago', '2 hours ago', ['time']],

  ['a UUID', 'x', 'a 8c9e5f0a-1b2c-4d3e-8f90-0123456789ab', 'a 00000000-1b2c-4d3e-8f90-0123456789ab', ['random']],
  ['an address in memory', 'x', 'at 0x7ffee4', 'at 0x1234567', ['random']],
  ['a commit, or an id', 'x', '61fd3609e74b first', 'e49bc5552de7 first', ['random']],
  ['a commit of git', 'git log --oneline', '6143609174 first', 'e49bc5552d first', ['random']],
  ['a commit of git', 'git commit -m x', '[main 6143609] x', '[main abcdefa] x', ['random']],
  ['a commit of git', 'git branch -D x', 'Deleted branch x (was 6143609).', 'Deleted branch x (was abcdefa).', ['random']],
  ['a range of commits', 'git merge x', 'Updating 6143609..1234567\nFast-forward', 'Updating abcdefa..7654321\nFast-forward', ['random']],
  ['a range of commits', 'git push', '   6143609..1234567  main -> main', '   abcdefa..fedcbab  main -> main', ['random']],
  ['a commit after its word', '{}', 'commit 6994546608 (HEAD -> main)', 'commit 1b5999f88f (HEAD -> main)', ['random']],
  ['a commit after its word', '{}', 'HEAD detached at 6994546608', 'HEAD detached at abcdefabcd', ['random']],
  ['a commit after its word', '{}', '* (HEAD detached at 6994546608)', '* (HEAD detached at abcdefabcd)', ['random']],
  ['a commit after its word', 'git reset --hard', 'HEAD is now at 6994546 first', 'HEAD is now at abcdefa first', ['random']],
  ['a commit after its word', '{}', 'Merge: 6994546 1234567', 'Merge: abcdefa 7654321', ['random']],
  ['a file of a commit', '{}', 'commit 6994546608\n a.txt', 'commit 1b5999f88f\n b.txt', undefined],
  ['a size beside git', 'git add a && wc -c < a && wc -c a', 'size of a: 1234567', 'size of a: 1234568', undefined],
  ['a size in parentheses', 'git add a && wc -c < a', 'a (1234567)', 'a (1234568)', undefined],
  ['a commit on another branch', 'git commit -m x', '[main 6143609] x', '[next abcdefa] x', undefined],
  ['a commit before its date', '{}', '6143609174 2026-11-28 Ada: first', 'e49bc5552d 2026-11-28 Ada: first', ['random']],
  ['a number of another program', 'wc -c a', '6143609174 a', '6143609175 a', undefined],
  ['a checksum', 'sha256sum a', `${'a1'.repeat(32)}  a`, `${'b2'.repeat(32)}  a`, undefined],
  ['a checksum', 'x', `sha256:${'a1'.repeat(32)}`, `sha256:${'b2'.repeat(32)}`, undefined],
  ['a temporary file', 'x', 'in /tmp/x-Ab1 and tmp.AbCdEf1234', 'in /tmp/x-Cd2 and tmp.ZbCdEf1234', ['random']],
  ['another path', 'x', 'in /opt/a', 'in /opt/b', undefined],
  ['a port', 'x', 'on http://localhost:4123/, port 4123', 'on http://localhost:51234/, port 51234', ['random']],
  ['a process', 'x', '(node:123) Warning: a\n[1] 123\npid 123', '(node:4567) Warning: a\n[1] 4567\npid 4567', ['random']],
  ['a seed', 'rspec', 'Randomized with seed 123', 'Randomized with seed 45', ['random']],
  ['a random word', 'head -c 6 /dev/urandom | base64', 'q83vEjRW', 'AAECAwQF', ['random']],
  ['a random number', 'echo port $RANDOM', 'port 123', 'port 4567', ['random']],
  ['a random number', 'echo $RANDOM; npm test', '3 passed', '4 passed', undefined],
  ['a random number', 'echo "$(npm test) $RANDOM"', '3 passed 1', '4 passed 2', undefined],

  ['a date', 'x', 'at 2026-11-27T16:03:02.123Z', 'at 2027-01-02', ['time']],
  ['a time of day', 'x', 'at 16:03', 'at 9:10:11 AM', ['time']],
  ['a day, a month, a year', 'date', 'Fri Nov 27 20:17:48 UTC 2026', 'Sat Dec  5 01:02:03 UTC 2026', ['time']],
  ['seconds to nanoseconds since 1970', 'x', '1795795440', '1795795440123', ['time']],
  ['a number of the clock', 'date +%j', '12', '345', ['time']],
  ['a number of the clock', 'npm test -- date', '3 passed', '4 passed', undefined],

  ['a failure of the network', 'x', 'getaddrinfo EAI_AGAIN registry.example\nok', 'ok', ['network']],
  ['how much came over the network', 'curl -v x', '* 1.2 kB', '* 12 MB', ['network']],
  ['how much came over the network', 'npm ci', 'added 2 packages', 'added 12 packages', ['network']],
  ['how much came over the network', 'npm test', 'added 2 packages', 'added 12 packages', undefined],
  ['a version of a registry', 'npm view vitest version', '5.1.0', '5.2.0', ['network']],
  ['a version', 'node --version', 'v24.1.0', 'v22.1.0', undefined],
];

describe('NORMALIZERS', () => {
  it.each(ROWS)('explain %s (%s)', (_, command, recorded, again, reasons) => {
    const explained = reasons === undefined ? undefined : [...reasons];
    expect(provenReasons(recorded, again, ofCommand(command))?.toSorted()).toEqual(explained?.toSorted());
    expect(provenReasons(again, recorded, ofCommand(command))?.toSorted()).toEqual(explained?.toSorted());
  });

  it('have a row here each, without which it is not explained', () => {
    for (const normalizer of NORMALIZERS) {
      const rows = ROWS.filter(([what, , , , reasons]) => what === normalizer.what && reasons !== undefined);
      expect(rows.length, normalizer.what).toBeGreaterThan(0);
    }
  });

  it('take no time in the square of a hostile text', () => {
    const parts = [
      '✓ a',
      '   ✓ a 1',
      'Duration  1s (',
      '=== a in 1',
      'drwxr-xr-x 1 ',
      'ok  a',
      'sha256:',
      'ECONNREFUSED ',
      '[a ',
      'commit ',
      'Merge: abcdefabc ',
      '   abcdefabc',
      '   abcdefabc..abcdefabc',
      'aB',
      '\t0.0',
      '"duration":',
    ];
    for (const part of parts)
      expect(provenReasons(`${part.repeat(20_000)}p`, `${part.repeat(20_000)}q`, ofCommand('curl x; echo $RANDOM; date; du a'))).toBeUndefined();
  });
});

describe('unsteadyAlone', () => {
  it.each([
    ['date +%s%N', '1795795440123456789', ['time']],
    ['echo done at $(date)', 'done at 16:03', []],
    ['npm test', '3 passed in 3 ms', []],
    ['uuidgen', '8c9e5f0a-1b2c-4d3e-8f90-0123456789ab', ['random']],
  ] as const)('names the reasons of a text that is nothing else: %s', (command, text, reasons) => {
    expect(unsteadyAlone(text, ofCommand(command))).toEqual(reasons);
  });
});
