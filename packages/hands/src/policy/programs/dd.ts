import type { Program } from '../program.ts';

/** dd, with arguments such as `if=a of=b`. */
export const programs: readonly Program[] = [
  {
    names: 'dd',
    read: (words, sink) => {
      for (const word of words.slice(1)) {
        if (word === undefined) sink.doubt('an argument is only known when it runs');
        else if (word.startsWith('if=')) sink.add('read', word.slice(3));
        else if (word.startsWith('of=')) sink.add('write', word.slice(3));
      }
      return { onlyReads: false };
    },
  },
];
