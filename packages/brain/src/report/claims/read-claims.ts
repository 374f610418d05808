import { CHECK_KINDS, checkOf, type CheckKind } from './command-kinds.ts';
import { commandParts } from './command-line.ts';

/** Something that a text says was done or found. */
export interface Claim {
  /** The clause, as it was written. */
  readonly text: string;
  /** What must have succeeded; `read`: a file was read; `ran`: a command ran; `tried`: something was tried. */
  readonly kind: CheckKind | 'read' | 'ran' | 'tried';
  /** The files or the command that it names. */
  readonly names: readonly string[];
  /** Whether it is about all of them: `all tests`. */
  readonly isWhole: boolean;
  /** The number of tests that it says passed. */
  readonly count: number | undefined;
  /** Whether it says that the command succeeded. */
  readonly succeeded: boolean;
}

const NOUNS: Readonly<Record<CheckKind, RegExp>> = {
  tests: /\b(?:tests?|specs?|(?:test[- ])?suites?|vitest|jest|pytest|mocha|rspec|phpunit|e2e)\b/iu,
  lint: /\b(?:lint(?:er|ers|ing|s)?|eslint|oxlint|ruff|flake8|pylint|clippy|golangci-lint|rubocop|stylelint|shellcheck|biome)\b/iu,
  types: /\b(?:type[- ]?check(?:s|ing|er)?|types|typings|type[- ]errors?|typescript(?: compiler)?|tsc|mypy|pyright)\b/iu,
  build: /\b(?:builds?|compil(?:es?|ed|ation)|bundles?|bundling)\b/iu,
  format: /\b(?:format(?:ting|ter)?(?: checks?)?|prettier|oxfmt)\b/iu,
};

const SUCCESS =
  /\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed|ing)?|success(?:es|ful|fully)?|clean(?:ly)?|ok(?:ay)?|fine|happy|works?|worked|working|all good|(?:no|zero|0|without(?: any)?|free of) (?:[\w-]+ )?(?:errors?|warnings?|issues?|problems?|failures?|complaints?|violations?|regressions?)|(?:exit(?:s|ed)?|returns?|returned)(?: with)?(?: exit)?(?: code| status)? (?:0|zero)|exit code (?:of )?(?:0|zero)|no (?:[\w-]+ )?(?:failing|failed)|(?:no|none of the) (?:[\w-]+ )?(?:tests?|checks?|specs?) (?:now )?fail(?:s|ed)?|nothing (?:fails|failed|is broken|broke)|error-free|compiles|compiled|builds|built)\b|[✅✓✔☑]|:white_check_mark:/iu;
const FAILURE =
  /\b(?:fail(?:s|ed|ing|ures?)?|broken|breaks?|errors? out|red|crash(?:es|ed)?|not (?:pass|work|clean|green|succeed|compile|build)\w*|(?:doesn|don|didn|isn|aren|wasn|weren|won|can|couldn|haven|hasn)['’]t)\b|[❌✗✘]/iu;
const NO_FAILURE =
  /\b(?:no|zero|0|without(?: any)?|free of|nothing) (?:[\w-]+ )?(?:fail\w*|errors?|broken|breaks?|broke)\b|\b(?:no|none of the) (?:[\w-]+ )?(?:tests?|checks?|specs?) (?:now )?fail\w*|\b0 failed\b/giu;
/** What says that something is not known, is wished, or is left to others. */
const HEDGES =
  /\b(?:should|would|will|could|might|may|must|ought|expect(?:s|ed|ing)?|hope(?:fully)?|likely|probably|presumably|assum\w+|if|once|until|unless|whether|please|(?:to|and) (?:verify|check|ensure|confirm|see|make sure|get)|need(?:s|ed)?|want(?:s|ed)?|try|so that|unable|cannot|untested|unverified|not (?:been |yet )?(?:run|verified|tested|checked|executed)|next steps?|todo|remember to|you can|let me|going to|i['’]ll|plan(?:s|ned)? to|goal|require[sd]?|before (?:you|we|merging|committing)|used to|previously|originally|earlier|already (?:passed|failed) before|at first|initially|on (?:main|master)|(?:number|count|list|percentage|name) of)\b/iu;
/** A confirmation that sounds like a hedge. */
const CONFIRMS =
  /\b(?:i (?:can|could) (?:confirm|verify|see)(?: that)?|i (?:have )?(?:made|make) sure(?: that)?|ensured(?: that)?|as (?:expected|required|wanted|needed|hoped)|(?:if|should) you (?:want|need|like|wish)[^.]*$)/giu;
const QUESTION = /\?\s*$/u;
const WHOLE = /\b(?:all|every|everything|entire|whole|full|complete)\b/iu;
const COUNT =
  /\b(?:all )?(\d[\d,]*)(?:\/\d+)? (?:of \d+ )?(?:[\w-]+ ){0,2}?(?:tests?|specs?|cases?|examples?|passed|passing|pass(?:es)?)\b|\b(?:tests?|specs?)\b[^.\d]{0,20}\b(\d[\d,]*)(?:\/\d+)? (?:pass|passed|passing)\b/iu;

const CODE = /`([^`\n]+)`/gu;
const FENCE = /^(?: {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^(?: {0,3})\1[^\n]*$|(?![\s\S]))/gmu;
const FILE =
  /^(?:[\w@.+-]+\/)*[\w@.+-]*\.[A-Za-z][\w]{0,9}(?::\d+(?:-\d+)?)?$|^(?:[\w@.+-]+\/)+[\w@.+-]*$|^(?:README|LICENSE|Makefile|Dockerfile|CHANGELOG|AGENTS|CONTRIBUTING)(?:\.md)?$/u;
const READ =
  /\b(?:i(?:['’]ve| have)?|after|having|by|from) (?:also |then |just |carefully |fully |first |now )*(?:read(?:ing)?|review(?:ed|ing)?|look(?:ed|ing) (?:at|through|into)|examin(?:ed|ing)|inspect(?:ed|ing)|went through|going through|stud(?:ied|ying)|check(?:ed|ing)|open(?:ed|ing)|scann(?:ed|ing))\b/iu;
const RAN =
  /\b(?:i(?:['’]ve| have)?|after|having|by) (?:also |then |just |now |re-?)*(?:ran|run|re-?ran|executed|running|executing)\b|^(?:[-*\s]*)(?:ran|re-?ran|executed)\b/iu;
const TRIED =
  /\bi(?:['’]ve| have)? (?:also |then |just |manually |locally |now )*(?:tested|tried|verified|confirmed|validated)\b(?! (?:by reading|from the (?:code|source|docs)))/iu;

/** The clauses of a text, without fenced blocks. */
export function clauses(text: string): string[] {
  return text
    .replaceAll(FENCE, '\n')
    .split(/\n+/u)
    .flatMap((line) =>
      line
        .replace(/^[\s>#|*-]+/u, '')
        .split(/(?<=[.!?])(?!\w)(?=\s|$|[*_"')\]])\s*|;\s+|,? (?:but|however|although|though|while|whereas|yet|except that)\b/u),
    )
    .flatMap(splitAnd)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}

const hasStatus = (text: string): boolean => SUCCESS.test(text) || FAILURE.test(text);

/** Splits at `and` and commas where each side says something of its own. */
function splitAnd(clause: string): string[] {
  for (const match of clause.matchAll(/,? and (?:then )?|, (?:then )?/gu)) {
    const [left, right] = [clause.slice(0, match.index), clause.slice(match.index + match[0].length)];
    const isBoth = hasStatus(left) && hasStatus(right) && CHECK_KINDS.some((kind) => NOUNS[kind].test(right));
    if (isBoth) return [left, ...splitAnd(right)];
  }
  return [clause];
}

function countOf(clause: string): number | undefined {
  const match = COUNT.exec(clause);
  const digits = match?.[1] ?? match?.[2];
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

/** The code spans and bare file names of a clause. */
function namesIn(clause: string): { readonly files: string[]; readonly commands: string[] } {
  const spans = [...clause.matchAll(CODE)].map(([, span = '']) => span.trim());
  const bare = clause
    .replaceAll(CODE, ' ')
    .split(/[\s,()"'*]+/u)
    .map((word) => word.replace(/[.:;!?]+$/u, ''))
    .filter((word) => FILE.test(word) && !/^(?:e\.g|i\.e|etc|vs)$/iu.test(word) && !/^\d/u.test(word));
  const files = [...spans.filter((span) => FILE.test(span) && !/\s/u.test(span)), ...bare];
  const commands = spans.filter(
    (span) => !files.includes(span) && /^[\w./-]+(?:\s|$)/u.test(span) && (/\s/u.test(span) || checkOf({ words: [span] }) !== undefined),
  );
  return { files, commands };
}

/** Reads what a text claims. Wishes, doubts, questions and failures are no claims of success. */
export function readClaims(text: string): Claim[] {
  return clauses(text).flatMap((clause) => claimsOf(clause));
}

function claimsOf(clause: string): Claim[] {
  const plain = clause.replaceAll(CONFIRMS, ' ');
  if (QUESTION.test(clause) || HEDGES.test(plain.replaceAll(CODE, ' '))) return [];
  const { files, commands } = namesIn(clause);
  const failed = FAILURE.test(plain.replaceAll(NO_FAILURE, ' ').replaceAll(CODE, ' '));
  const succeeded = !failed && SUCCESS.test(plain);
  const claims: Claim[] = [];
  const add = (kind: Claim['kind'], names: readonly string[]): void =>
    void claims.push({ text: clause, kind, names, isWhole: WHOLE.test(plain), count: kind === 'tests' ? countOf(plain) : undefined, succeeded });
  if (succeeded) {
    const spans = new Set(commands.flatMap((command) => commandParts(command).flatMap((part) => checkOf(part)?.kind ?? [])));
    const prose = plain.replaceAll(CODE, ' ');
    for (const kind of CHECK_KINDS) if (spans.has(kind) || NOUNS[kind].test(withoutOther(prose, kind))) add(kind, [...files, ...commands]);
  }
  if (RAN.test(plain) && commands.length > 0) add('ran', commands);
  else if (succeeded && claims.length === 0 && commands.length > 0) add('ran', commands);
  if (READ.test(plain) && files.length > 0 && !RAN.test(plain)) add('read', files);
  if (claims.length === 0 && TRIED.test(plain) && !READ.test(plain)) add('tried', commands);
  return claims;
}

/** Words that name something else than the check. */
const OTHER: Readonly<Partial<Record<CheckKind, RegExp>>> = {
  tests: /\btests? (?:files?|data|cases? (?:for|in)|coverage|folders?|director(?:y|ies)|fixtures?|helpers?|names?|utils?)\b/giu,
  build: /\bbuild (?:scripts?|files?|steps?|output|folder|director(?:y|ies)|config\w*|systems?)\b/giu,
  format: /\b(?:file|date|output|message|time|number|string|data) formats?\b|\bformat (?:of|for|string)\b/giu,
  types: /\b(?:return|data|all|new|union|generic|error|input|output|the) types\b(?! (?:check|are (?:clean|ok|fine)|pass))/giu,
};

function withoutOther(text: string, kind: CheckKind): string {
  const other = OTHER[kind];
  return other === undefined ? text : text.replaceAll(other, ' ');
}

/** Lines of fenced blocks that look like the summary of a test run: they claim an output. */
export function quotedSummaries(text: string): string[] {
  const fenced = [...text.matchAll(FENCE)].map(([block]) => block);
  const summary = /\b\d+ (?:passed|passing|failed|failing|skipped)\b|\btests? run: \d|^ok\s+\S+|\btest result: \w+/iu;
  return fenced.flatMap((block) =>
    block
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replaceAll(/\s+/gu, ' '))
      .filter((line) => summary.test(line)),
  );
}
