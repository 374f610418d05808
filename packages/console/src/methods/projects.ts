import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { openSingleFile, Projects } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { ConsoleProjectReview } from '@synapse/protocol/console';
import type { Handlers } from './method.ts';

/** Characters of a configuration to show. A longer one is not trusted here. */
const MAX_SHOWN = 50_000;

type Review = ReturnType<Projects['review']>;

/** Identifies what the user saw: the text of the configuration, and each program. */
function fingerprintOf({ starts, configurationHash }: Review): string {
  return createHash('sha256')
    .update(JSON.stringify([starts, configurationHash]))
    .digest('hex');
}

async function textOf(review: Review, root: string, stateFolder: string): Promise<string | undefined> {
  if (review.configuration === undefined) return undefined;
  const path = ['config.jsonc', 'config.json'].map((name) => `${root}/.synapse/${name}`).find((one) => existsSync(one));
  if (path === undefined) return undefined;
  using file = await openSingleFile(path, { folder: root, stateFolder });
  const text = file.bytes?.toString('utf8') ?? '';
  // What is shown has to be what is trusted.
  if (createHash('sha256').update(text).digest('hex') !== review.configurationHash) {
    throw new SynapseError('conflict', 'The configuration of the project just changed.', { hint: 'Try again.' });
  }
  if (text.length > MAX_SHOWN) {
    throw new SynapseError('too_large', 'The configuration is too long to be read here.', { hint: 'Use synapse projects trust.' });
  }
  return text;
}

export const projects: Handlers<'projects'> & Handlers<'access'> = {
  'projects.list': (_, { project }) => {
    using list = Projects.open(project.stateFolder);
    return list.list().map(({ root, added, trusted }) => ({ root, added, trusted, exists: existsSync(root), current: root === project.root }));
  },
  'projects.review': async ({ root }, { project }): Promise<ConsoleProjectReview> => {
    using list = Projects.open(project.stateFolder);
    const review = list.review(root);
    const configuration = await textOf(review, list.require(root).root, project.stateFolder);
    return {
      starts: review.starts.map(({ name, origin, lines }) => ({ name, origin, lines: [...lines] })),
      ...(configuration === undefined ? {} : { configuration }),
      problems: review.problems.map(String),
      fingerprint: fingerprintOf(review),
    };
  },
  'projects.trust': ({ root, fingerprint }, { project }) => {
    using list = Projects.open(project.stateFolder);
    const review = list.review(root);
    if (fingerprintOf(review) !== fingerprint) {
      throw new SynapseError('conflict', 'The project changed meanwhile. It is not trusted.', { hint: 'Look at it again.' });
    }
    list.trust(root, true, review);
    project.emit({ type: 'stale', topics: ['projects', 'policy', 'servers'] });
    return { message: 'Trusted. It applies to programs that start from now on.' };
  },
  'projects.distrust': ({ root }, { project }) => {
    using list = Projects.open(project.stateFolder);
    list.trust(root, false);
    project.emit({ type: 'stale', topics: ['projects', 'policy', 'servers'] });
    return { message: 'Not trusted any more. It applies to programs that start from now on.' };
  },
  'access.link': (_, { createUrl }) => ({ url: createUrl() }),
};
