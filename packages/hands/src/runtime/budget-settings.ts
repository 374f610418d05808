import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import type { PolicyFile } from '../policy/load-policy.ts';
import { policyError } from '../policy/policy-error.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

/** How much the commands of a project keep and send at most. Undefined: the default. */
export interface Budgets {
  /** Of caches in the home folder. */
  readonly cacheBytes?: number;
  /** Of build output that is kept apart. */
  readonly outputBytes?: number;
  /** Of what one command sends to hosts that are open by name. */
  readonly sentBytes?: number;
}

/** What a number in the configuration limits, and its unit in bytes. */
interface Field {
  readonly limits: keyof Budgets;
  readonly unit: number;
}

/** The sections with limits, and an example of each. */
const SECTIONS: ReadonlyArray<{ readonly name: string; readonly example: string; readonly fields: ReadonlyMap<string, Field> }> = [
  {
    name: 'caches',
    example: '{ "maxGiB": 5, "buildOutputMaxGiB": 10 }',
    fields: new Map<string, Field>([
      ['maxGiB', { limits: 'cacheBytes', unit: GIB }],
      ['buildOutputMaxGiB', { limits: 'outputBytes', unit: GIB }],
    ]),
  },
  { name: 'network', example: '{ "maxSentMiB": 64 }', fields: new Map<string, Field>([['maxSentMiB', { limits: 'sentBytes', unit: MIB }]]) },
];

function readSection(section: Node, fields: (typeof SECTIONS)[number]['fields']): Budgets | undefined {
  if (section.type !== 'object') return undefined;
  const budgets: Partial<Record<keyof Budgets, number>> = {};
  for (const { children: [key, value] = [] } of section.children ?? []) {
    const field = fields.get(String(key?.value));
    const limit: unknown = value?.value;
    if (field === undefined || typeof limit !== 'number' || limit < 0) return undefined;
    budgets[field.limits] = Math.floor(limit * field.unit);
  }
  return budgets;
}

function readOne({ label, text }: PolicyFile, problems: string[]): Budgets {
  // The policy reads the file first and reports invalid JSON.
  const root = parseTree(text.replace(/^\ufeff/u, ' '), [], { allowTrailingComma: true });
  let all: Budgets = {};
  for (const { name, example, fields } of SECTIONS) {
    const section = root === undefined ? undefined : findNodeAtLocation(root, [name]);
    if (section === undefined) continue;
    const budgets = readSection(section, fields);
    if (budgets === undefined) problems.push(`${label}: "${name}" must be an object such as ${example}.`);
    all = { ...all, ...budgets };
  }
  return all;
}

/**
 * Reads limits from the configuration files, highest precedence first. A project file is ignored until a person trusts it: it could fill
 * their disk, or send their files away.
 *
 * @throws SynapseError `invalid_arguments` that lists what is wrong
 */
export function readBudgets(files: readonly PolicyFile[]): Budgets {
  const problems: string[] = [];
  const said = files.filter((file) => file.layer !== 'project' || file.trusted === true).map((file) => readOne(file, problems));
  if (problems.length > 0) throw policyError(problems);
  return said.toReversed().reduce((all, one) => ({ ...all, ...one }), {});
}
