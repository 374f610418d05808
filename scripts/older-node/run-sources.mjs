// For `--import`: lets Node 22 run the sources.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { START_FILE } from './compiled-sources.mjs';

if (Number.parseInt(process.versions.node, 10) < 24) {
  register('./load-sources.mjs', import.meta.url);
  await import('./start-sources.mjs');
  await import(pathToFileURL(START_FILE).href);
}
