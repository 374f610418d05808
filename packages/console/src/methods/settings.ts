import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changePermissions, configuredRules, indexLines, openSingleFile, Projects, ruleProblem, unifiedDiff } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { ConsoleParams, ConsoleProposal } from '@synapse/protocol/console';
import type { OpenProject } from '../project/open-project.ts';
import type { Handlers } from './method.ts';

type Wanted = ConsoleParams<'settings.propose'>;
type SingleFile = Awaited<ReturnType<typeof openSingleFile>>;

function textOf({ bytes, path }: SingleFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw new SynapseError('encoding', `${path} is not UTF-8, so it cannot be changed safely. Nothing was changed.`, { hint: 'Save it as UTF-8.' });
  }
}

/** Opens the configuration of the project, as the command line does. */
async function openConfiguration({ root, stateFolder }: OpenProject): Promise<SingleFile> {
  const folder = join(root, '.synapse');
  const [jsonc, json] = [join(folder, 'config.jsonc'), join(folder, 'config.json')];
  return await openSingleFile(!existsSync(jsonc) && existsSync(json) ? json : jsonc, { folder: root, stateFolder });
}

/** @throws SynapseError `invalid_arguments` for rules that mean nothing */
function checkRules({ allow = [], ask = [], deny = [] }: Wanted, { hands, root }: OpenProject): void {
  const tools = new Set(hands.tools().map(({ name }) => name));
  for (const [verdict, rules] of Object.entries({ allow, ask, deny }) as ReadonlyArray<['allow' | 'ask' | 'deny', string[]]>) {
    for (const rule of rules) {
      const problem = ruleProblem(rule, verdict, { tools, root });
      if (problem !== undefined) throw new SynapseError('invalid_arguments', `Invalid rule: ${rule.slice(0, 100)}`, { hint: problem });
    }
  }
}

interface Planned extends ConsoleProposal {
  readonly before: string;
  readonly after: string;
}

function plan(wanted: Wanted, file: SingleFile, { root, stateFolder }: OpenProject): Planned {
  const before = textOf(file);
  const after = changePermissions(before, wanted, file.path);
  using projects = Projects.open(stateFolder);
  const counts = before.trim() === '' || projects.counts(root, before);
  const diff = before === after ? '' : unifiedDiff(before, indexLines(before), [{ start: 0, end: before.length, text: after }]);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([before, after]))
    .digest('hex');
  return { file: file.path, diff, counts, fingerprint, before, after };
}

export const settings: Handlers<'settings'> = {
  'settings.rules': async (_, { project }) => {
    using file = await openConfiguration(project);
    return { file: file.path, rules: configuredRules(textOf(file)) };
  },
  'settings.propose': async (wanted, { project }) => {
    checkRules(wanted, project);
    using file = await openConfiguration(project);
    const { before: _, after: __, ...shown } = plan(wanted, file, project);
    return shown;
  },
  'settings.write': async ({ fingerprint, ...wanted }, { project }) => {
    checkRules(wanted, project);
    using file = await openConfiguration(project);
    const planned = plan(wanted, file, project);
    if (planned.fingerprint !== fingerprint || planned.diff === '') {
      throw new SynapseError('conflict', 'The configuration changed meanwhile. Nothing was written.', { hint: 'Look at the new difference first.' });
    }
    file.write(Buffer.from(planned.after));
    using projects = Projects.open(project.stateFolder);
    // A repository may already contain this file: a yes to the change is no yes to the rest.
    if (planned.counts) projects.acceptConfiguration(project.root, planned.after);
    project.emit({ type: 'stale', topics: ['policy'] });
    return {
      message: planned.counts
        ? 'Written. It applies to programs that start from now on; start the console again for its own calls.'
        : 'Written. Its rules that allow, and its mode, do not count: the project is not trusted.',
    };
  },
};
