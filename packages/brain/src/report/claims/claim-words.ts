import type { CheckKind } from './command-kinds.ts';

// The words by which a text claims something. Each entry is a word, or a pattern with its endings; none may repeat what it repeats.

/** Matches any of these as whole words. */
const wholeWords = (words: readonly string[]): string => String.raw`\b(?:${words.join('|')})\b`;
const any = (...words: readonly string[]): string => `(?:${words.join('|')})`;

/** A word between two others, such as `type` in `no type errors`. */
const WORD_BETWEEN = String.raw`(?:[\w-]+ )?`;
const NONE = any('no', 'zero', '0', 'without(?: any)?', 'free of');
const NO_CHECK_FAILS = String.raw`(?:no|none of the) ${WORD_BETWEEN}(?:tests?|checks?|specs?) (?:now )?`;

const NOUN_WORDS: Readonly<Record<CheckKind, readonly string[]>> = {
  tests: ['tests?', 'specs?', '(?:test[- ])?suites?', 'vitest', 'jest', 'pytest', 'mocha', 'rspec', 'phpunit', 'e2e'],
  lint: [
    'lint(?:er|ers|ing|s)?',
    'eslint',
    'oxlint',
    'ruff',
    'flake8',
    'pylint',
    'clippy',
    'golangci-lint',
    'rubocop',
    'stylelint',
    'shellcheck',
    'biome',
  ],
  types: ['type[- ]?check(?:s|ing|er)?', 'types', 'typings', 'type[- ]errors?', 'typescript(?: compiler)?', 'tsc', 'mypy', 'pyright'],
  build: ['builds?', 'compil(?:es?|ed|ation)', 'bundles?', 'bundling'],
  format: ['format(?:ting|ter)?(?: checks?)?', 'prettier', 'oxfmt'],
};

const nouns = (kind: CheckKind): RegExp => new RegExp(wholeWords(NOUN_WORDS[kind]), 'iu');
/** What names a check. */
export const NOUNS: Readonly<Record<CheckKind, RegExp>> = {
  tests: nouns('tests'),
  lint: nouns('lint'),
  types: nouns('types'),
  build: nouns('build'),
  format: nouns('format'),
};

const SUCCESS_WORDS = [
  ['pass(?:es|ed|ing)?', 'green', 'succeed(?:s|ed|ing)?', 'success(?:es|ful|fully)?', 'clean(?:ly)?', 'ok(?:ay)?', 'fine', 'happy'],
  ['works?', 'worked', 'working', 'all good', 'error-free', 'compiles', 'compiled', 'builds', 'built'],
  `${NONE} ${WORD_BETWEEN}${any('errors?', 'warnings?', 'issues?', 'problems?', 'failures?', 'complaints?', 'violations?', 'regressions?')}`,
  '(?:exit(?:s|ed)?|returns?|returned)(?: with)?(?: exit)?(?: code| status)? (?:0|zero)',
  'exit code (?:of )?(?:0|zero)',
  `no ${WORD_BETWEEN}(?:failing|failed)`,
  `${NO_CHECK_FAILS}fail(?:s|ed)?`,
  'nothing (?:fails|failed|is broken|broke)',
].flat();
/** What says that something went well. */
export const SUCCESS = new RegExp(`${wholeWords(SUCCESS_WORDS)}|[✅✓✔☑]|:white_check_mark:`, 'iu');

const NEGATED_VERBS = ['doesn', 'don', 'didn', 'isn', 'aren', 'wasn', 'weren', 'won', 'can', 'couldn', 'haven', 'hasn'];
const FAILURE_WORDS = [
  ['fail(?:s|ed|ing|ures?)?', 'broken', 'breaks?', 'errors? out', 'red', 'crash(?:es|ed)?'],
  String.raw`not ${any('pass', 'work', 'clean', 'green', 'succeed', 'compile', 'build')}\w*`,
  `${any(...NEGATED_VERBS)}['’]t`,
].flat();
/** What says that something went wrong. */
export const FAILURE = new RegExp(`${wholeWords(FAILURE_WORDS)}|[❌✗✘]`, 'iu');

const NO_FAILURE_WORDS = [
  `(?:${NONE}|nothing) ${WORD_BETWEEN}${any(String.raw`fail\w*`, 'errors?', 'broken', 'breaks?', 'broke')}`,
  String.raw`${NO_CHECK_FAILS}fail\w*`,
  '0 failed',
];
/** What sounds like a failure, and says that there was none. */
export const NO_FAILURE = new RegExp(wholeWords(NO_FAILURE_WORDS), 'giu');

const HEDGE_WORDS = [
  // It may be so.
  ['should', 'would', 'will', 'could', 'might', 'may', 'must', 'ought', 'expect(?:s|ed|ing)?', 'hope(?:fully)?', 'likely', 'probably'],
  ['presumably', String.raw`assum\w+`, 'if', 'once', 'until', 'unless', 'whether', 'so that'],
  // Somebody is asked to find out.
  ['please', '(?:to|and) (?:verify|check|ensure|confirm|see|make sure|get)', 'remember to', 'you can', 'before (?:you|we|merging|committing)'],
  // It is still to be done, or was not done.
  ['need(?:s|ed)?', 'want(?:s|ed)?', 'try', 'next steps?', 'todo', 'let me', 'going to', "i['’]ll", 'plan(?:s|ned)? to', 'goal', 'require[sd]?'],
  ['unable', 'cannot', 'untested', 'unverified', 'not (?:been |yet )?(?:run|verified|tested|checked|executed)'],
  // It was so at another time, or elsewhere.
  ['used to', 'previously', 'originally', 'earlier', 'already (?:passed|failed) before', 'at first', 'initially', 'on (?:main|master)'],
  // It is only talked about.
  '(?:number|count|list|percentage|name) of',
].flat();
/** What says that something is not known, is wished, or is left to others. */
export const HEDGES = new RegExp(wholeWords(HEDGE_WORDS), 'iu');

/** A confirmation that sounds like a hedge. */
export const CONFIRMS =
  /\b(?:i (?:can|could) (?:confirm|verify|see)(?: that)?|i (?:have )?(?:made|make) sure(?: that)?|ensured(?: that)?|as (?:expected|required|wanted|needed|hoped)|(?:if|should) you (?:want|need|like|wish)[^.]*$)/giu;
export const WHOLE = /\b(?:all|every|everything|entire|whole|full|complete)\b/iu;
/** A number of tests. Begins at the start of a number: to try each digit of a long one would take its square. */
export const COUNT =
  /(?<!\d,*)\b(?:all )?(\d[\d,]*)(?:\/\d+)? (?:of \d+ )?(?:[\w-]+ ){0,2}?(?:tests?|specs?|cases?|examples?|passed|passing|pass(?:es)?)\b|\b(?:tests?|specs?)\b[^.\d]{0,20}\b(\d[\d,]*)(?:\/\d+)? (?:pass|passed|passing)\b/iu;

const SINCE = String.raw`(?:i(?:['’]ve| have)?|after|having|by`;
const READ_VERBS = [
  'read(?:ing)?',
  'review(?:ed|ing)?',
  'look(?:ed|ing) (?:at|through|into)',
  'examin(?:ed|ing)',
  'inspect(?:ed|ing)',
  'went through',
  'going through',
  'stud(?:ied|ying)',
  'check(?:ed|ing)',
  'open(?:ed|ing)',
  'scann(?:ed|ing)',
];
export const READ = new RegExp(String.raw`\b${SINCE}|from) (?:also |then |just |carefully |fully |first |now )*${any(...READ_VERBS)}\b`, 'iu');
export const RAN = new RegExp(
  String.raw`\b${SINCE}) (?:also |then |just |now |re-?)*(?:ran|run|re-?ran|executed|running|executing)\b|^(?:[-*\s]*)(?:ran|re-?ran|executed)\b`,
  'iu',
);
export const TRIED =
  /\bi(?:['’]ve| have)? (?:also |then |just |manually |locally |now )*(?:tested|tried|verified|confirmed|validated)\b(?! (?:by reading|from the (?:code|source|docs)))/iu;

/** Words that name something else than the check. */
export const OTHER: Readonly<Partial<Record<CheckKind, RegExp>>> = {
  tests: /\btests? (?:files?|data|cases? (?:for|in)|coverage|folders?|director(?:y|ies)|fixtures?|helpers?|names?|utils?)\b/giu,
  build: /\bbuild (?:scripts?|files?|steps?|output|folder|director(?:y|ies)|config\w*|systems?)\b/giu,
  format: /\b(?:file|date|output|message|time|number|string|data) formats?\b|\bformat (?:of|for|string)\b/giu,
  types: /\b(?:return|data|all|new|union|generic|error|input|output|the) types\b(?! (?:check|are (?:clean|ok|fine)|pass))/giu,
};
