import { SynapseError } from '@synapse/protocol';

interface Rule {
  readonly matches: RegExp;
  readonly message: string | ((found: RegExpExecArray) => string);
  readonly hint: string;
}

const LITERAL_HINT = 'Correct the pattern, or pass "literal": true to search for it as plain text.';

/** What ripgrep says of a pattern, and how it is told. The pattern itself is not repeated: the model has it. */
const RULES: readonly Rule[] = [
  {
    matches: /is not allowed in a regex|line terminator/u,
    message: 'The pattern spans lines; a search goes line by line.',
    hint: 'Search for what stands in one line, and pass "context" to see the lines around it.',
  },
  {
    matches: /exceeds size limit/u,
    message: 'The pattern is too large when compiled.',
    hint: 'Use smaller repetitions, such as a* or a{1,50}.',
  },
  {
    matches: /^error: (?<reason>(?:look-around|backreferences).*)$/mu,
    message: (found) => `The pattern is not valid: ${found.groups?.['reason'] ?? ''}.`,
    hint: 'Search for a simpler pattern and judge the lines found, or pass "literal": true to search for it as plain text.',
  },
  {
    matches: /^error: (?<reason>.+)$/mu,
    message: (found) => `The pattern is not a valid regular expression: ${found.groups?.['reason'] ?? ''}.`,
    hint: LITERAL_HINT,
  },
  { matches: /regex/u, message: 'The pattern is not a valid regular expression.', hint: LITERAL_HINT },
];

/** The error for what ripgrep wrote to stderr; undefined where it says nothing about the pattern. */
export function ripgrepError(stderr: string): SynapseError | undefined {
  for (const { matches, message, hint } of RULES) {
    const found = matches.exec(stderr);
    if (found === null) continue;
    const details = hint === LITERAL_HINT ? { details: { pattern: 'invalid' } } : {};
    return new SynapseError('invalid_arguments', typeof message === 'string' ? message : message(found), { hint, ...details });
  }
  return undefined;
}
