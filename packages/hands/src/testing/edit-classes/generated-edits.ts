import type { RealEdit } from '../real-edits.ts';

/** The kinds of files that a history may lack, by how a line is made of a number and a depth. */
const KINDS: ReadonlyArray<readonly [path: string, unit: string, line: (unit: string, number: number, depth: number) => string]> = [
  [
    'a.js',
    '  ',
    (unit, number, depth) => `${unit.repeat(depth)}step${number}(${number % 2 === 0 ? '"' : "'"}it is ${number}${number % 2 === 0 ? '"' : "'"});`,
  ],
  ['a.go', '\t', (unit, number, depth) => `${unit.repeat(depth)}step${number}("it is ${number}")`],
  ['a.py', '    ', (unit, number, depth) => `${unit.repeat(depth)}step_${number}('it is ${number}')`],
  [
    'a.ts',
    '  ',
    (unit, number, depth) =>
      `${unit.repeat(depth)}${['/**', ' * It is', ' */', 'step'][number % 4]}${number % 4 === 1 || number % 4 === 3 ? ` ${number}` : ''}`,
  ],
  ['a.md', '  ', (unit, number, depth) => `${unit.repeat(depth)}- point ${number}, in plain-text words`],
];

/** A small generator of numbers: the same seed gives the same edits everywhere. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function generated(seed: number): RealEdit {
  const next = numbersFrom(seed);
  const kind = KINDS[seed % KINDS.length];
  if (kind === undefined) throw new Error('There are kinds for all seeds');
  const [path, unit, make] = kind;
  const all = Array.from({ length: 24 }, (_, line) => make(unit, line + 4 * seed, path === 'a.ts' ? Math.floor(line / 4) % 3 : next(3)));
  const [head, tail, removed] = [1 + next(3), 1 + next(3), next(3)];
  const line = 2 + next(8);
  const old = all.slice(line, line + head + removed + tail);
  const indent = /^[ \t]*/u.exec(old[head] ?? '')?.[0] ?? '';
  const depth = unit.repeat(Math.floor(indent.length / unit.length));
  const isComment = old[head]?.trimStart().startsWith('*') === true;
  const added = Array.from({ length: 1 + next(3) }, (_, index) =>
    isComment ? `${indent}* Added ${index}` : `${depth}${index === 0 ? '' : unit}added${seed}("new-${index}");`,
  );
  const fresh = [...old.slice(0, head), ...added, ...old.slice(head + removed)];
  const after = [...all.slice(0, line), ...fresh, ...all.slice(line + old.length)];
  const marked = [
    ...old.slice(0, head).map((one) => ` ${one}`),
    ...old.slice(head, head + removed).map((one) => `-${one}`),
    ...added.map((one) => `+${one}`),
    ...old.slice(head + removed).map((one) => ` ${one}`),
  ];
  return { before: `${all.join('\n')}\n`, after: `${after.join('\n')}\n`, line, old, new: fresh, head, tail, marked, path };
}

/** Generates edits from seeds that count from 0. */
export function generatedEdits(count: number): RealEdit[] {
  return Array.from({ length: count }, (_, seed) => generated(seed));
}
