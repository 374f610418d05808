import { isSynapseError } from '@synapse/protocol';
import { contactPlaces, contactView } from '../git/contact-places.ts';
import { personRewrites } from '../git/person-rewrites.ts';
import { pushFacts } from '../git/push-facts.ts';
import { isGitFolder } from '../git/git-folder.ts';
import type { Repository } from '../git/repository.ts';
import { isUserSetting } from '../git/safe-config.ts';
import { fetchWords } from '../meaning/fetch-words.ts';
import { repositoryPlace } from '../meaning/push-places.ts';
import { placesText, pushedSentences } from '../meaning/push-sentences.ts';
import { pushWords } from '../meaning/push-words.ts';
import { lastValue, type RemoteSettings } from '../danger/remote-settings.ts';
import { isCertainAddress, isOn } from '../meaning/remote-addresses.ts';
import type { Access, Contact, NetAccess } from '../policy/access.ts';
import type { Decision } from '../policy/decision.ts';
import { CHANGES_FOLDER, type Exec } from '../policy/effects.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type GitCommand, gitCommand, leaves, type Leaves, runsElsewhere } from './git-command.ts';

/** Maximum number of connections of a call, and of folders of a command, to look at. Each starts git. */
const MAX_CONTACTS = 4;
const MAX_FOLDERS = 3;

type Sources = Pick<ToolContext, 'git' | 'workspace' | 'signal'>;

function fetchContact(repository: Repository, { subcommand, words }: GitCommand): Contact | undefined {
  const fetched = fetchWords(subcommand, words);
  const view = fetched === undefined ? undefined : contactView(repository);
  const contact = fetched === undefined || view === undefined ? undefined : contactPlaces(view, fetched.repository, 'fetch');
  if (fetched === undefined || view === undefined || contact === undefined) return undefined;
  const remotes = fetched.isAll ? contact.settings.subsections('remote.url') : [contact.remote];
  const found = remotes.map((remote) => contactPlaces(view, remote, 'fetch')?.places);
  if (!found.every((one) => one !== undefined)) return undefined;
  const places = [...new Set(found.flat())];
  if (places.length === 0) return undefined;
  const more = fetched.withSubmodules && fetchesSubmodules(repository, contact.settings);
  const submodules = more ? ', and new commits of submodules from their own remotes' : '';
  return { places, more, sentences: [`${fetched.verb} ${placesText(places)}${submodules}`] };
}

/** Whether a fetch reads submodules too, by the settings: usually those of which the new commits name others. */
function fetchesSubmodules(repository: Repository, settings: RemoteSettings): boolean {
  const value = lastValue(settings, 'fetch.recursesubmodules') ?? lastValue(settings, 'submodule.recurse');
  const isOff = value !== undefined && value !== 'on-demand' && !isOn(value);
  return (
    !isOff && (repository.hasSubmodules || settings.names().some((name) => name.startsWith('submodule.') && settings.subsections(name).length > 0))
  );
}

async function contactIn(repository: Repository, command: GitCommand, left: Leaves): Promise<Contact | undefined> {
  const { subcommand, words } = command;
  const named = subcommand === 'push' ? pushWords(words)?.repository : fetchWords(subcommand, words)?.repository;
  // Another branch may follow another remote.
  if (left === 'remotes' && named === undefined) return undefined;
  if (left !== 'all' && mayChangeSettings(repository)) return undefined;
  if (subcommand !== 'push') return fetchContact(repository, command);
  const facts = await pushFacts(repository, { words, isEarly: left !== 'all' });
  return facts === undefined ? undefined : { places: facts.places, sentences: pushedSentences(facts) };
}

/** Settings of a repository that name programs which may run when something is committed, checked out, merged or fetched. */
const PROGRAMS =
  /^(?:core\.(?:editor|askpass|fsmonitor|sshcommand|gitproxy|alternaterefscommand)|sequence\.editor|gpg\..*|commit\.gpgsign|credential\..*|filter\..*\.(?:clean|smudge|process)|(?:merge|diff)\..*\.(?:driver|command|textconv)|diff\.external|trailer\..*|remote\..*\.(?:vcs|uploadpack|receivepack))$/su;
const ADDRESSES = /^(?:remote\..*\.(?:url|pushurl)|url\..*::.*)$/su;

/** Whether the commands before may change settings: by included files, programs, hooks, and settings that only hold on one branch. */
function mayChangeSettings(repository: Repository): boolean {
  if (repository.hasHooks) return true;
  return repository.settings.some((entry) => {
    const { key, value = '' } = entry;
    const isOwn = !isUserSetting(entry);
    return (
      (key.startsWith('include') && (isOwn || /^includeif\.(?:onbranch|hasconfig)/u.test(key))) ||
      (key === 'core.hookspath' && value !== '/dev/null') ||
      (isOwn && PROGRAMS.test(key)) ||
      (isOwn && ADDRESSES.test(key) && (key.startsWith('url.') || value.includes('::')))
    );
  });
}

function clonedContact({ subcommand, words }: GitCommand): Contact | undefined {
  const address = fetchWords(subcommand, words)?.repository;
  const rewrites = address === undefined ? undefined : personRewrites();
  if (address === undefined || rewrites !== false || !isCertainAddress(address)) return undefined;
  const place = repositoryPlace(address);
  return { places: [place], sentences: [`clones ${place}`] };
}

const pathFrom = (folder: string, below: string | undefined): string =>
  below === undefined ? folder : below.startsWith('/') ? below : `${folder}/${below}`;

/** The real place of a folder in the workspace: git looks for its repository from there. Undefined in a repository without a working tree. */
function realFolder(workspace: Workspace, path: string): string | undefined {
  using folder = workspace.openDirectory(path);
  const names = folder.location;
  for (let length = names.length; length >= 0; length -= 1) {
    using above = workspace.openDirectory(displayPath(names.slice(0, length)));
    if (isGitFolder(above, above)) return undefined;
  }
  return displayPath(names);
}

/**
 * Whether a folder is known to have no repository: then it is not where git would run. What cannot be read, or not in time, is not named, and the
 * question stands: a link loop or a closed folder of a repository too.
 */
function hasNone(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || errnoOf(error) !== undefined) return false;
  if (!isSynapseError(error)) throw error;
  return error.code === 'not_a_repository' || error.code === 'not_found';
}

async function contactOf(access: NetAccess, exec: Exec, left: Leaves, { git, workspace, signal }: Sources): Promise<Contact | undefined> {
  const command = gitCommand(exec);
  if (command === undefined) return undefined;
  if (command.subcommand === 'clone') return clonedContact(command);
  const folders = access.folders ?? [];
  if (folders.length > MAX_FOLDERS) return undefined;
  const found = new Map<string, Contact>();
  for (const folder of folders) {
    try {
      const real = realFolder(workspace, pathFrom(folder, command.folder));
      if (real === undefined) return undefined;
      using repository = await git.open(workspace, signal, real);
      if (found.has(repository.location)) continue;
      const contact = await contactIn(repository, command, left);
      if (contact === undefined) return undefined;
      found.set(repository.location, contact);
    } catch (error) {
      if (!hasNone(error, signal)) return undefined;
    }
  }
  const contacts = [...found.values()];
  if (contacts.length === 0) return undefined;
  const sentences = contacts.flatMap((contact) => contact.sentences);
  const either = [...found].flatMap(([place, contact], index) =>
    contact.sentences.map((sentence) => `${index === 0 ? 'either' : 'or'} in ${place}: ${sentence}`),
  );
  return {
    places: [...new Set(contacts.flatMap(({ places }) => places))],
    more: contacts.some(({ more }) => more === true),
    sentences: contacts.length === 1 ? sentences : either,
  };
}

/** Reasons for doubt that do not change what a repository's settings say. */
const HARMLESS_DOUBT: ReadonlySet<string> = new Set([CHANGES_FOLDER]);
/** Where the shell may write without a change of settings. */
const NO_FILE: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

/** Whether something may change settings, or is not understood: also the shell itself may write a file that git reads. */
const isUnclear = ({ accesses }: Decision): boolean =>
  accesses.some(
    ({ access }) =>
      (access.kind === 'unknown' && access.reasons.some((reason) => !HARMLESS_DOUBT.has(reason))) ||
      ((access.kind === 'write' || access.kind === 'delete') && access.exec === undefined && !NO_FILE.has(access.given)),
  );

/** What the other commands leave as it is for one; undefined if they may change settings and remotes. */
function leftFor({ exec, overlaps }: NetAccess, execs: readonly Exec[]): Leaves | undefined {
  const others = execs.filter((_, index) => index !== exec && (overlaps === true || index < (exec ?? 0))).map(leaves);
  if (!others.every((one) => one !== undefined)) return undefined;
  return others.includes('remotes') ? 'remotes' : others.includes('branch') ? 'branch' : 'all';
}

/**
 * Adds to the connections of git what they are to, and what a push sends, from the settings and references of the repository. Only for
 * people: a decision is never taken by what the workspace says. A wrong name is worse than none, so anything that is not certain is left out.
 */
export async function nameContacts(decision: Decision, sources: Sources): Promise<Decision> {
  const execs = decision.accesses.flatMap(({ access }) => (access.kind === 'exec' ? [access.exec] : []));
  if (isUnclear(decision) || execs.some(runsElsewhere)) return decision;
  const named = new Map<Access, Access>();
  for (const { access } of decision.accesses) {
    if (access.kind !== 'net' || access.host !== undefined || access.folders === undefined || named.size >= MAX_CONTACTS) continue;
    const exec = access.exec === undefined ? undefined : execs[access.exec];
    const left = leftFor(access, execs);
    if (exec === undefined || left === undefined) continue;
    const contact = await contactOf(access, exec, left, sources);
    if (contact !== undefined) named.set(access, { ...access, contact });
  }
  if (named.size === 0) return decision;
  const accesses = decision.accesses.map((judged) => ({ ...judged, access: named.get(judged.access) ?? judged.access }));
  const decisive = accesses[decision.accesses.indexOf(decision.decisive)] ?? decision.decisive;
  const tried = decision.tried.map((check) => ({ ...check, access: named.get(check.access) ?? check.access }));
  return { ...decision, accesses, decisive, tried };
}
