import { isSynapseError } from '@synapse/protocol';
import { currentBranch, pushFacts, remoteSettings } from '../git/push-facts.ts';
import { pushedSentences } from '../meaning/push-sentences.ts';
import { fetchWords } from '../meaning/fetch-words.ts';
import { repositoryPlace } from '../meaning/push-places.ts';
import { remotePlaces, usualRemote } from '../meaning/remote-addresses.ts';
import type { Access, Contact, NetAccess } from '../policy/access.ts';
import type { Decision } from '../policy/decision.ts';
import { CHANGES_FOLDER, type Exec } from '../policy/effects.ts';
import type { Repository } from '../git/repository.ts';
import type { ToolContext } from '../tool/tool-context.ts';

/** Maximum number of connections of a call, and of folders of a command, to look at. Each starts git. */
const MAX_CONTACTS = 4;
const MAX_FOLDERS = 3;

type Sources = Pick<ToolContext, 'git' | 'workspace' | 'signal'>;

/** A git command, and the folder that its options name. */
interface GitCommand {
  readonly subcommand: string;
  readonly words: ReadonlyArray<string | undefined>;
  readonly folder: string | undefined;
}

/** Reads a git command; undefined if its options change what git reads, other than the folder. */
function gitCommand({ name, words, altered }: Exec): GitCommand | undefined {
  if (name !== 'git' || altered) return undefined;
  let folder: string | undefined;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) return undefined;
    if (word === '-C' && folder === undefined) {
      at += 1;
      folder = words[at];
      if (folder === undefined || folder === '') return undefined;
    } else if (!word.startsWith('-')) return { subcommand: word, words: words.slice(at + 1), folder };
    else if (word !== '--no-pager' && word !== '-P') return undefined;
  }
  return undefined;
}

async function contactIn(repository: Repository, { subcommand, words }: GitCommand, isEarly: boolean): Promise<Contact | undefined> {
  if (subcommand === 'push') {
    const facts = await pushFacts(repository, { words, isEarly });
    return facts === undefined ? undefined : { places: facts.places, sentences: pushedSentences(facts) };
  }
  const fetched = fetchWords(subcommand, words);
  if (fetched === undefined) return undefined;
  const settings = remoteSettings(repository.settings);
  const remote = fetched.repository ?? usualRemote(settings, currentBranch(repository), 'fetch');
  const remotes = fetched.isAll ? settings.subsections('remote.url') : [remote];
  const places = [...new Set(remotes.flatMap((name) => remotePlaces(settings, name, 'fetch') ?? []))];
  return places.length === 0 ? undefined : { places, sentences: [`${fetched.verb} ${places.join(' and ')}`] };
}

const pathFrom = (folder: string, below: string | undefined): string =>
  below === undefined ? folder : below.startsWith('/') ? below : `${folder}/${below}`;

async function contactOf(access: NetAccess, exec: Exec, isEarly: boolean, { git, workspace, signal }: Sources): Promise<Contact | undefined> {
  const command = gitCommand(exec);
  if (command === undefined) return undefined;
  const cloned = command.subcommand === 'clone' ? fetchWords('clone', command.words)?.repository : undefined;
  if (cloned !== undefined) return { places: [repositoryPlace(cloned)], sentences: [`clones ${repositoryPlace(cloned)}`] };
  const found = new Map<string, Contact>();
  for (const folder of access.folders?.slice(0, MAX_FOLDERS) ?? []) {
    try {
      using repository = await git.open(workspace, signal, pathFrom(folder, command.folder));
      const contact = found.has(repository.location) ? undefined : await contactIn(repository, command, isEarly);
      if (contact === undefined && !found.has(repository.location)) return undefined;
      if (contact !== undefined) found.set(repository.location, contact);
    } catch (error) {
      // A folder without a repository is not where git would run. What cannot be read in time is not named, and the question stands.
      if (!isSynapseError(error)) throw error;
      if (error.code !== 'not_a_repository' && error.code !== 'not_found') return undefined;
    }
  }
  const contacts = [...found.values()];
  if (contacts.length === 0) return undefined;
  const sentences = contacts.flatMap((contact) => contact.sentences);
  const either = [...found].flatMap(([place, contact]) => contact.sentences.map((sentence) => `in ${place}: ${sentence}`));
  return { places: [...new Set(contacts.flatMap(({ places }) => places))], sentences: contacts.length === 1 ? sentences : either };
}

/** Reasons for doubt that do not change what a repository's settings say. */
const HARMLESS_DOUBT: ReadonlySet<string> = new Set([CHANGES_FOLDER]);

/**
 * Adds to the connections of git what they are to, and what a push sends, from the settings and references of the repository. Only for
 * people: a decision is never taken by what the workspace says.
 */
export async function nameContacts(decision: Decision, sources: Sources): Promise<Decision> {
  const execs = decision.accesses.flatMap(({ access }) => (access.kind === 'exec' ? [access.exec] : []));
  const isUnclear = decision.accesses.some(({ access }) => access.kind === 'unknown' && access.reasons.some((reason) => !HARMLESS_DOUBT.has(reason)));
  const named = new Map<Access, Access>();
  for (const { access } of decision.accesses) {
    if (access.kind !== 'net' || access.host !== undefined || access.folders === undefined || named.size >= MAX_CONTACTS) continue;
    const exec = access.exec === undefined ? undefined : execs[access.exec];
    if (exec === undefined) continue;
    const isEarly = isUnclear || execs.slice(0, access.exec).some(({ onlyReads, name }) => !onlyReads && name !== 'cd');
    const contact = await contactOf(access, exec, isEarly, sources);
    if (contact !== undefined) named.set(access, { ...access, contact });
  }
  if (named.size === 0) return decision;
  const accesses = decision.accesses.map((judged) => ({ ...judged, access: named.get(judged.access) ?? judged.access }));
  const decisive = accesses[decision.accesses.indexOf(decision.decisive)] ?? decision.decisive;
  const tried = decision.tried.map((check) => ({ ...check, access: named.get(check.access) ?? check.access }));
  return { ...decision, accesses, decisive, tried };
}
