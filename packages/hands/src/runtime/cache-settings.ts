import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import type { PolicyFile } from '../policy/load-policy.ts';
import { policyError } from '../policy/policy-error.ts';

const GIB = 2 ** 30;
/** The fields of `caches`, and what each limits. */
const FIELDS = { maxGiB: 'cacheBytes', buildOutputMaxGiB: 'outputBytes' } as const;
const isField = (name: string): name is keyof typeof FIELDS => Object.hasOwn(FIELDS, name);

/** How much a project keeps at most of what its commands wrote. Undefined: the default. */
export interface CacheBudgets {
  /** Of caches in the home folder. */
  readonly cacheBytes?: number;
  /** Of build output that is kept apart. */
  readonly outputBytes?: number;
}

function readOne({ label, text }: PolicyFile, problems: string[]): CacheBudgets {
  // The policy reads the file first and reports invalid JSON.
  const root = parseTree(text.replace(/^\ufeff/u, ' '), [], { allowTrailingComma: true });
  const caches = root === undefined ? undefined : findNodeAtLocation(root, ['caches']);
  if (caches === undefined) return {};
  const budgets: Partial<Record<keyof CacheBudgets, number>> = {};
  const properties: readonly Node[] = caches.type === 'object' ? (caches.children ?? []) : [];
  let isRight = caches.type === 'object';
  for (const { children: [key, value] = [] } of properties) {
    const [name, limit]: [string, unknown] = [String(key?.value), value?.value];
    if (isField(name) && typeof limit === 'number' && limit >= 0) budgets[FIELDS[name]] = Math.floor(limit * GIB);
    else isRight = false;
  }
  if (isRight) return budgets;
  problems.push(`${label}: "caches" must be an object such as { "maxGiB": 5, "buildOutputMaxGiB": 10 }.`);
  return {};
}

/**
 * Reads `caches` from the configuration files, highest precedence first. A project file is ignored until a person trusts it: it could fill
 * their disk.
 *
 * @throws SynapseError `invalid_arguments` that lists what is wrong
 */
export function readCacheBudgets(files: readonly PolicyFile[]): CacheBudgets {
  const problems: string[] = [];
  const said = files.filter((file) => file.layer !== 'project' || file.trusted === true).map((file) => readOne(file, problems));
  if (problems.length > 0) throw policyError(problems);
  return said.toReversed().reduce((all, one) => ({ ...all, ...one }), {});
}
