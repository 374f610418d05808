import { quarantineCommand } from './on-quarantined.ts';

export const command = quarantineCommand({
  details: 'Nothing is overwritten.',
  examples: [['synapse quarantine restore 1f0c2a9b3d', 'after a look at it']],
  question: 'Put it back?',
  nothing: 'nothing was put back',
  done: 'It is back where it was.',
  edit: (quarantine, id) => quarantine.restore(id),
});
