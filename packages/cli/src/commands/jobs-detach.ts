import { jobRequestCommand } from './on-job.ts';

export const command = jobRequestCommand({
  details:
    'A detached job ends neither with its session nor with its Synapse process. It stays in its sandbox, and is stopped with ' +
    '`synapse jobs stop`. A job that is not in a sandbox, or that runs on a copy of the workspace, still ends with its process.',
  examples: [['synapse jobs detach job-1f0c2a9b', 'keep a watcher of a client that leaves']],
  request: 'detach',
  done: ({ outlives }) => (outlives ? 'It is detached.' : 'It is detached from its session. It still ends with its Synapse process.'),
});
