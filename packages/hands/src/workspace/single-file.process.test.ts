import { chmodSync, mkdtempSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSingleFile } from './single-file.ts';

describe('openSingleFile', () => {
  // A file that its group may read may have an access list, which a program reads.
  it('replaces a file in one step and keeps its mode', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-single-')));
    const at = (name: string): string => join(folder, name);
    writeFileSync(at('a.json'), 'old');
    chmodSync(at('a.json'), 0o640);
    using file = await openSingleFile(at('a.json'));
    expect({ path: file.path, linked: file.linked, text: file.bytes?.toString() }).toEqual({ path: at('a.json'), linked: false, text: 'old' });
    file.write(Buffer.from('new'));
    expect(readFileSync(at('a.json'), 'utf8')).toBe('new');
    expect(statSync(at('a.json')).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });
});
