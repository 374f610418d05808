import { readFileSync } from 'node:fs';
import { userSettingsFiles } from './person-config.ts';

/** A setting that rewrites addresses, or a file that may have one. */
const REWRITES = /insteadof|include/iu;

/** Whether the settings of the person or the machine may replace an address, where there is no repository whose settings could be listed. */
export function personRewrites(): boolean {
  if (['GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS'].some((name) => process.env[name] !== undefined)) return true;
  const given = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'].flatMap((name) => process.env[name] ?? []);
  return [...userSettingsFiles(), ...given].some((file) => {
    try {
      return REWRITES.test(readFileSync(file, 'latin1'));
    } catch (error) {
      // A missing file has no settings. One that cannot be read may have any.
      return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
    }
  });
}
