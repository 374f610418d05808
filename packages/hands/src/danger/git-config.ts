import { plainValue, readSettings, type GitSetting } from './git-settings.ts';

/** Settings that only describe a repository, or how git works or looks. All others could name a program, a file to include, or another place. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|sharedrepository|protecthfs|protectntfs)$/u,
  /^core\.(?:autocrlf|eol|safecrlf|whitespace|quotepath|abbrev|commentchar|sparsecheckout|sparsecheckoutcone)$/u,
  /^core\.(?:compression|bigfilethreshold|untrackedcache|preloadindex|fscache|longpaths|trustctime|checkstat|splitindex)$/u,
  /^remote\.(?:fetch|push|tagopt|promisor|partialclonefilter|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|pushdefault)$/u,
  /^branch\.(?:remote|pushremote|merge|rebase|description|sort|autosetupmerge|autosetuprebase)$/u,
  /^user\.(?:name|email|useconfigonly|signingkey)$/u,
  /^extensions\.(?:objectformat|refstorage|partialclone|worktreeconfig|relativeworktrees)$/u,
  /^submodule\.(?:active|branch|ignore|fetchrecursesubmodules|path|recurse|fetchjobs)$/u,
  /^(?:color|column|advice|pack|index|feature|status|rerere|stash|versionsort|tag|i18n)\.[-\da-z]+$/u,
  /^(?:init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags|parallel|writecommitgraph))$/u,
  /^(?:diff\.(?:algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix|submodule|context)|merge\.(?:ff|conflictstyle|renames|renamelimit|stat|log))$/u,
  /^(?:rebase\.(?:autosquash|autostash|updaterefs|abbreviatecommands|stat|missingcommitscheck)|commit\.(?:verbose|status|cleanup)|log\.(?:date|decorate|follow))$/u,
  /^(?:gc\.(?:auto|autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable)|maintenance\.(?:auto|strategy)|lfs\.(?:repositoryformatversion|access))$/u,
];
/** Settings that are harmless with these values. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  'core.fsmonitor': /^(?:true|false)$/u,
  'core.hookspath': /^\/dev\/null$/u,
  'submodule.update': /^(?:checkout|rebase|merge|none)$/u,
  'filter.required': /^(?:true|false)$/u,
  // What `git lfs install` writes, word for word.
  'filter.clean': /^git-lfs clean -- %f$/u,
  'filter.smudge': /^git-lfs smudge (?:--skip )?-- %f$/u,
  'filter.process': /^git-lfs filter-process(?: --skip)?$/u,
};
const ADDRESS = /^(?:remote\.(?:url|pushurl)|submodule\.url)$/u;
/** `ext::sh -c …` runs a command, `fd::` takes a descriptor, a leading dash is an option of ssh. */
const PLAIN_ADDRESS = /^(?!-)(?!.*::)[^\0]+$/u;

function isHarmless({ name, value }: GitSetting): boolean {
  if (ADDRESS.test(name)) return PLAIN_ADDRESS.test(value.replaceAll('"', ''));
  return HARMLESS.some((pattern) => pattern.test(name)) || HARMLESS_VALUES[name]?.test(plainValue(value)) === true;
}

/** The values of each setting that is not harmless, in their order: the last one counts. */
function notHarmless(settings: readonly GitSetting[], isUsual: (setting: GitSetting) => boolean): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const setting of settings) {
    if (isHarmless(setting) || isUsual(setting)) continue;
    const key = JSON.stringify([setting.name, setting.subsection]);
    values.set(key, [...(values.get(key) ?? []), setting.value]);
  }
  return values;
}

/**
 * The settings of a git configuration that could make git run something, or that cannot be understood.
 * An allow-list: git learns new settings that name programs more often than this file is read.
 *
 * @param before the text as it was; what it said already is not told again
 * @param isUsual tells settings that are harmless where they stand
 */
export function dangerousSettings(text: string, before = '', isUsual: (setting: GitSetting) => boolean = () => false): string[] {
  if (text === before && before !== '') return [];
  const { settings, isReadable } = readSettings(text);
  const old = notHarmless(readSettings(before).settings, isUsual);
  const found = new Set<string>();
  if (!isReadable) found.add('unreadable');
  for (const [key, values] of notHarmless(settings, isUsual)) {
    if (JSON.stringify(old.get(key)) !== JSON.stringify(values)) found.add((JSON.parse(key) as [string, string])[0]);
  }
  return [...found];
}
