import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileError } from './file-error.ts';
import { HandleConfinement } from './handle-confinement.ts';

/** fcntl(2): F_SETLEASE with F_WRLCK, until its input ends. The signal asks to give it up. */
const LEASE = `open(my $file, "+<", $ARGV[0]) or die; $SIG{IO} = "IGNORE"; fcntl($file, 1024, 1) or die "$!"; $| = 1; print "held\\n"; <STDIN>`;

it.runIf(process.platform === 'linux')('a file that another program has leased is busy, and the error says why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-lease-'));
  writeFileSync(join(folder, 'a.txt'), 'A');
  const holder = spawn('perl', ['-e', LEASE, join(folder, 'a.txt')], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  using confinement = new HandleConfinement(folder);
  using entry = confinement.openEntry(['a.txt']);
  let caught: unknown;
  try {
    entry.openForRead();
  } catch (error) {
    caught = error;
  }
  holder.stdin.end();
  expect(fileError(caught, 'a.txt')).toMatchObject({ code: 'busy', message: expect.stringMatching(/lease on a\.txt/u) });
});
