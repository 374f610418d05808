import type { Secret, SecretPlace } from '../../../secrets/secret.ts';
import type { HomeFile } from '../../run-files.ts';
import { hostText } from '../noted-request.ts';

/**
 * The settings by which npm knows that it has a token for a server: `npm publish` and `npm whoami` ask no registry without one. They name the
 * variable with the placeholder, so that the file is the same for all commands.
 */
export function npmSettings(secrets: ReadonlyArray<{ readonly secret: Pick<Secret, 'name'>; readonly places: readonly SecretPlace[] }>): HomeFile[] {
  const lines = secrets.flatMap(({ secret: { name }, places }) =>
    places.filter(({ as }) => as.kind === 'bearer').map((place) => `//${hostText(place)}/:_authToken=\${${name}}\n`),
  );
  return lines.length === 0 ? [] : [{ name: '.npmrc', content: lines.join('') }];
}
