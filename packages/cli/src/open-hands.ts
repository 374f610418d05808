import { createHands, defaultStateFolder, GRANTS, nearest, Projects, type Approver, type Grant, type Hands, type Limits } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { CommandOptions } from './command.ts';
import type { Output } from './output.ts';

/** What `--yes` allows. A file that another program executes takes a word of its own. */
const YES: readonly Grant[] = ['write', 'exec'];

function grant(word: string): Grant {
  const found = GRANTS.find((known) => known === word);
  if (found !== undefined) return found;
  const near = nearest(word, GRANTS);
  throw new SynapseError('invalid_arguments', `--allow does not know ${JSON.stringify(word.slice(0, 40))}.`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}It takes a list of ${GRANTS.join(', ')}.`,
  });
}

/** What the options allow beyond reading. */
export function grants({ allow, yes }: Pick<CommandOptions, 'allow' | 'yes'>): Set<Grant> {
  return new Set([...allow.map(grant), ...(yes ? YES : [])]);
}

/** One number for all bounds: whoever asks for so many bytes does not want them cut for their lines. */
function limits(bytes: number): Limits {
  return { outputBytes: bytes, outputLines: bytes, lineCharacters: bytes };
}

/** A folder that a person names is a project of theirs from then on; they are told, once. */
function track(workspace: string, err: Output): void {
  using projects = Projects.open(defaultStateFolder());
  if (projects.setAside !== undefined) err.write(`The list of projects was damaged; it was moved to ${projects.setAside}.\n`, 'yellow');
  if (projects.add(workspace))
    err.write(`${projects.get(workspace)?.root ?? workspace} is a tracked project now (synapse projects remove ends that).\n`, 'dim');
}

/**
 * Opens hands on the workspace of the options; on the current folder only where it is tracked.
 *
 * @param approver whom to ask; undefined where there is nobody
 */
export async function openHands(
  { workspace, maxOutput, readable, ...granting }: Pick<CommandOptions, 'allow' | 'yes' | 'workspace' | 'maxOutput' | 'readable'>,
  err: Output,
  approver?: Approver,
): Promise<Hands> {
  const allow = grants(granting);
  if (workspace !== undefined) track(workspace, err);
  const hands = await createHands({
    workspace: workspace ?? '.',
    tracked: 'require',
    allow,
    ...(approver === undefined ? {} : { approver }),
    readable,
    ...(maxOutput === undefined ? {} : { limits: limits(maxOutput) }),
  });
  for (const problem of hands.policy().problems) err.write(`${problem}\n`, 'yellow');
  return hands;
}
