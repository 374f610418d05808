import { LineCounter, parseDocument, isMap, isSeq, isScalar, type Node } from 'yaml';
import { SynapseError } from '@synapse/protocol';
import type { ProtocolStep, ReasoningProtocol, StepSignal } from './reasoning-protocol.ts';

const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const FRONT_MATTER = /^---\r?\n(?<yaml>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/u;
const HEADING = /^##\s+(?<title>\S.*)$/u;
const OUTPUT = /^(?:required output|brings):\s*(?<text>\S.*)$/iu;
const MAX_STEPS = 50;

/** A step while its lines are parsed. */
interface DraftStep {
  readonly title: string;
  readonly line: number;
  readonly instruction: string[];
  output: string | undefined;
  optional: boolean;
  readonly signals: StepSignal[];
}

/** Collects errors with their lines. */
class Problems {
  readonly list: string[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(line: number, rule: string): void {
    this.list.push(`${this.#file}:${line}: ${rule}`);
  }

  throwIfAny(): void {
    if (this.list.length === 0) return;
    throw new SynapseError('invalid_arguments', `Invalid protocol: ${this.list.join(' ')}`, {
      hint: 'A protocol is YAML front matter (id, title, description), then one "## Title" for each step with its instruction and a line "Required output: …".',
    });
  }
}

function field(
  document: ReturnType<typeof parseDocument>,
  name: string,
  lineOf: (node: Node | null | undefined) => number,
  problems: Problems,
): string {
  const node = isMap(document.contents) ? document.contents.get(name, true) : undefined;
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  problems.add(lineOf(isScalar(node) ? node : null), `"${name}" must be a text.`);
  return '';
}

/** Parses `Signals: git_log, read_file(package.json|readme)`: the calls that identify the step. */
function readSignals(list: string, line: number, problems: Problems): StepSignal[] {
  return list.split(/,(?![^(]*\))/u).flatMap((item) => {
    const found = /^\s*(?<tool>[a-z][\w:-]*)(?:\((?<input>[^)]*)\))?\s*$/u.exec(item)?.groups;
    const tool = found?.['tool'];
    if (tool === undefined) {
      problems.add(line, `Signal not understood: ${item.trim().slice(0, 60)}. Write tool, or tool(text|other text).`);
      return [];
    }
    const input = found?.['input']?.split('|').filter((part) => part !== '');
    return [{ tool, ...(input === undefined || input.length === 0 ? {} : { input }) }];
  });
}

function readSteps(lines: readonly string[], firstLine: number, problems: Problems): DraftStep[] {
  const steps: DraftStep[] = [];
  let current: DraftStep | undefined;
  for (const [index, text] of lines.entries()) {
    const line = firstLine + index;
    const title = HEADING.exec(text)?.groups?.['title'];
    if (title !== undefined) {
      const optional = /\(optional\)\s*$/iu.test(title);
      current = { title: title.replace(/\s*\(optional\)\s*$/iu, ''), line, instruction: [], output: undefined, optional, signals: [] };
      steps.push(current);
      continue;
    }
    if (current === undefined) continue;
    const output = OUTPUT.exec(text)?.groups?.['text'];
    const signals = /^signals:\s*(?<list>\S.*)$/iu.exec(text)?.groups?.['list'];
    if (output !== undefined) current.output = output.trim();
    else if (signals !== undefined) current.signals.push(...readSignals(signals, line, problems));
    else current.instruction.push(text);
  }
  return steps;
}

function finishStep(step: DraftStep, index: number, problems: Problems): ProtocolStep {
  const instruction = step.instruction.join('\n').trim();
  if (instruction === '') problems.add(step.line, `Step "${step.title}" has no instruction.`);
  if (step.output === undefined) problems.add(step.line, `Step "${step.title}" has no line "Required output: …".`);
  const slug = step.title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
  const id = `step-${String(index + 1).padStart(2, '0')}-${slug === '' ? 'step' : slug}`;
  return { id, title: step.title, instruction, requiredOutput: step.output ?? '', optional: step.optional, signals: step.signals };
}

/** Reads the fields of the front matter. */
function readFields(yaml: string, problems: Problems): Omit<ReasoningProtocol, 'steps'> {
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter });
  for (const error of document.errors)
    problems.add(
      counter.linePos(error.pos[0]).line + 1,
      (error.message.split('\n')[0] ?? 'invalid YAML').replace(/ at line \d+, column \d+:?$/u, '.'),
    );
  problems.throwIfAny();
  const lineOf = (node: Node | null | undefined): number => (node?.range ? counter.linePos(node.range[0]).line + 1 : 1);
  const id = field(document, 'id', lineOf, problems);
  const title = field(document, 'title', lineOf, problems);
  const description = field(document, 'description', lineOf, problems);
  if (id !== '' && !ID.test(id))
    problems.add(
      lineOf(isMap(document.contents) ? (document.contents.get('id', true) ?? null) : null),
      '"id" must be lower case words joined by dashes.',
    );
  if (isSeq(document.contents)) problems.add(2, 'Front matter must be fields, not a list.');
  return { id, title, description };
}

/**
 * Parses a protocol in Markdown: front matter with `id`, `title`, `description`, then a `## Title` for each step with its
 * instruction, a line `Required output: …`, and optionally `Signals: tool, tool(text|other text)`.
 *
 * @param file the path to name in errors
 * @throws SynapseError `invalid_arguments` that lists all errors with file and line
 */
export function readProtocol(text: string, file: string): ReasoningProtocol {
  const problems = new Problems(file);
  const source = text.replace(/^\u{feff}/u, '');
  const found = FRONT_MATTER.exec(source);
  if (found === null) problems.add(1, 'Front matter missing: begin the file with "---", id, title, description, "---".');
  problems.throwIfAny();
  const fields = readFields(found?.groups?.['yaml'] ?? '', problems);
  const header = found?.[0] ?? '';
  const bodyLine = header.split('\n').length;
  const steps = readSteps(source.slice(header.length).split(/\r?\n/u), bodyLine, problems);
  if (steps.length === 0) problems.add(bodyLine, 'No steps: write a "## Title" for each.');
  if (steps.length > MAX_STEPS) problems.add(steps[MAX_STEPS]?.line ?? bodyLine, `More than ${MAX_STEPS} steps.`);
  const finished = steps.map((step, index) => finishStep(step, index, problems));
  problems.throwIfAny();
  return { ...fields, steps: finished };
}
