import { plainValue, type GitSetting } from '../danger/git-settings.ts';
import { repositoryPlace } from './push-places.ts';
import { shownName } from './quoted.ts';

interface Submodule {
  readonly path: string;
  readonly url: string;
}

function submodulesIn(settings: readonly GitSetting[]): Map<string, Submodule> {
  const found = new Map<string, Submodule>();
  for (const { name, subsection, value } of settings) {
    const known = found.get(subsection) ?? { path: subsection, url: '' };
    if (name === 'submodule.path') found.set(subsection, { ...known, path: plainValue(value) });
    if (name === 'submodule.url') found.set(subsection, { ...known, url: plainValue(value) });
  }
  return found;
}

/** Returns what a change of `.gitmodules` means, one sentence each. */
export function submoduleSentences(before: readonly GitSetting[], after: readonly GitSetting[]): string[] {
  const [old, now] = [submodulesIn(before), submodulesIn(after)];
  return [
    ...[...now].flatMap(([name, { path, url }]) => {
      const known = old.get(name);
      if (known === undefined) return [`adds submodule ${shownName(path)} from ${repositoryPlace(url)}`];
      return known.url === url ? [] : [`changes where submodule ${shownName(path)} comes from: ${repositoryPlace(url)}`];
    }),
    ...[...old].flatMap(([name, { path }]) => (now.has(name) ? [] : [`removes submodule ${shownName(path)}`])),
  ];
}
