import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactor } from '../../audit/redact.ts';
import { ServerLog } from './server-log.ts';

async function inFolder(work: (path: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-log-'));
  try {
    work(join(folder, 'deeper', 'server.log'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('ServerLog', () => {
  it('keeps lines, however they come, without secrets and safe to show', () =>
    inFolder((path) => {
      {
        using log = new ServerLog(path, redactor(['my-secret-value']));
        for (const piece of ['one my-sec', 'ret-value\n\u001b[2J', 'two\nlast']) log.take(Buffer.from(piece));
      }
      expect(readFileSync(path, 'utf8')).toBe('one [redacted]\n\\x1b[2Jtwo\nlast\n');
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }));

  it('grows no further than it may, whatever comes', () =>
    inFolder((path) => {
      const chunk = Buffer.from(`${'x'.repeat(1_000)}\n`.repeat(100));
      {
        using log = new ServerLog(path, (text) => text);
        for (let index = 0; index < 200; index += 1) log.take(chunk);
        log.take(Buffer.from('no line end'.repeat(1_000_000)));
      }
      expect(statSync(path).size).toBeLessThan(1.2 * 1024 * 1024);
      expect(statSync(`${path}.1`).size).toBeLessThan(1.2 * 1024 * 1024);
      expect(readFileSync(path, 'utf8')).toContain('The rest of this run is not kept.');
    }));

  it('lets a server run where it cannot be written', () =>
    inFolder((path) => {
      writeFileSync(join(dirname(dirname(path)), 'file'), '');
      using log = new ServerLog(join(dirname(dirname(path)), 'file', 'server.log'), (text) => text);
      expect(() => log.take(Buffer.from('x\n'))).not.toThrow();
      expect(existsSync(path)).toBe(false);
    }));
});
