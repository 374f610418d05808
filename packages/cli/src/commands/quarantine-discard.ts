import { quarantineCommand } from './on-quarantined.ts';

export const command = quarantineCommand({
  examples: [['synapse quarantine discard 1f0c2a9b3d', 'free its space']],
  question: 'Delete it for good?',
  nothing: 'nothing was deleted',
  done: 'It is deleted.',
  edit: (quarantine, id) => quarantine.discard(id),
});
