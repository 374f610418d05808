import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SynapseError } from '@synapse/protocol';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Whether its name contains its hash, so that it never changes. */
  readonly lasting: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const isSource = import.meta.url.endsWith('.ts');
/** Next to the file that serves it, even after bundling. */
const FOLDER = fileURLToPath(new URL(isSource ? '../../dist/bundle/page/' : './page/', import.meta.url));

/**
 * Reads the files of the page, by path. All are read at startup, so a request is never used as a path on disk.
 *
 * @throws SynapseError `unavailable` if the page was not built
 */
export function readPage(folder = FOLDER): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  try {
    for (const name of readdirSync(folder)) {
      const type = TYPES[name.split('.').at(-1) ?? ''];
      if (type !== undefined) files.set(`/${name}`, { type, body: readFileSync(join(folder, name)), lasting: /-[\w-]{8}\./u.test(name) });
    }
  } catch (cause) {
    throw new SynapseError('unavailable', 'The page of the console is missing.', { hint: 'In a checkout, build it: npm run build.', cause });
  }
  const index = files.get('/index.html');
  if (index !== undefined) files.set('/', index);
  return files;
}
