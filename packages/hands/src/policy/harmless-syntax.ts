import { forEachChild, type SyntaxNode } from 'unbash';

/** Operators of `[[ … ]]` on files and text. Those on numbers and variables evaluate their words, which may run commands. */
const PLAIN_TESTS: ReadonlySet<string> = new Set(
  '! -a -b -c -d -e -f -g -h -k -n -p -r -s -t -u -w -x -z -G -L -N -O -S = == != =~ < > -nt -ot -ef && ||'.split(' '),
);

/** Whether a node is a bash test without side effects. */
export function isPlainTest(node: SyntaxNode): boolean {
  if (node.type !== 'TestCommand') return false;
  let plain = true;
  const look = (part: SyntaxNode): void => {
    if ('operator' in part && typeof part.operator === 'string' && !PLAIN_TESTS.has(part.operator)) plain = false;
    forEachChild(part, look);
  };
  look(node);
  return plain;
}

/** Whether a `set` command can only end a script earlier, such as `set -euo pipefail`. */
export function onlyStops([first, ...options]: ReadonlyArray<string | undefined>): boolean {
  return first === 'set' && options.length > 0 && options.every((word) => /^(?:[-+][eux]*o?|pipefail|errexit|nounset)$/u.test(word ?? '*'));
}
