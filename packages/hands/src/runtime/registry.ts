import { SynapseError, toSynapseError } from '@synapse/protocol';
import { notify } from '../events/notify.ts';
import { nearest } from '../text/nearest.ts';
import { checkTools, type ToolProblem } from '../providers/check-tools.ts';
import { nameMap, type NameMap } from '../providers/name-map.ts';
import type { Provider } from '../providers/provider-rules.ts';
import { toolCatalogue } from '../providers/tool-catalogue.ts';
import { describeTool, type FullToolDescription } from '../providers/tool-description.ts';
import type { ForeignToolHost, ForeignTools, ToolSource } from '../tool/foreign-tools.ts';
import type { AnyTool } from '../tool/tool.ts';

/** OpenAI and Anthropic limit function names to 64 characters. A server's tool is renamed for them; records keep 128. */
const TOOL_NAME = /^(?:[a-z][a-z0-9_]{0,63}|mcp:[A-Za-z0-9_.-]{1,40}:[A-Za-z0-9_.-]{1,80})$/u;
/** Maximum names listed in an error; a server may have thousands of tools. */
const MAX_TOLD = 60;

/** Tools of other systems without an equivalent here, and what to do instead. */
const WITHOUT_TOOL: ReadonlyArray<{ readonly names: RegExp; readonly advice: string }> = [
  { names: /^(?:parallel|batch|batchtool|multitool|multitooluse)$/u, advice: 'Call the tools themselves, several of them in one turn.' },
  {
    names: /^(?:(?:lsp)?rename\w*|refactorrename|changesignature)$/u,
    advice: 'Find every use with search_text, change them with edit_file or apply_patch, then run the build or the tests with run_command.',
  },
  {
    names: /references?$|^find(?:all)?(?:referenc|usage|caller|implementation)|usages?$|callers?$|callhierarchy/u,
    advice: 'Find the uses of a name with search_text, such as the pattern \\bname\\b.',
  },
  {
    names: /^(?:replace|insert|edit|delete)\w*symbol\w*$/u,
    advice: 'Read the place with read_file and change it with edit_file.',
  },
  {
    names: /symbol|definitions?|declarations?$|^(?:lsp|hover|ctags|outline|codeoutline|fileoutline|repomap)/u,
    advice: 'Find a definition with search_text, such as the pattern (class|function|def|func|fn) name, and read it with read_file.',
  },
  {
    names: /^(?:copy|cp|duplicate|clone)(?:file|path|dir|directory|folder)?s?$/u,
    advice: 'Copy with run_command: cp -r from to.',
  },
  {
    names: /^(?:chmod|chown|ln|symlink|createsymlink|link|zip|unzip|tar|download|downloadfile|sed|awk|jq|make|docker|gh|pip|cargo|go)$|pullrequest/u,
    advice: 'Run the program with run_command.',
  },
  { names: /^(?:sleep|wait)(?:for\w*)?$/u, advice: 'Wait for a background job with the tool job, action "wait"; sleep with run_command.' },
  { names: /^(?:tool(?:search|call|list)|listtools|searchtools|discovertools)$/u, advice: 'All tools are there: call one by its name.' },
  {
    names: /memor(?:y|ies)|remember|createentities|knowledgegraph/u,
    advice: 'Nothing is kept between sessions but files: write what must last with write_file.',
  },
  {
    names:
      /^(?:activateproject|onboarding|checkonboarding\w*|initialinstructions|getcurrentconfig|(?:set)?workingdirectory|cd|pwd|listalloweddirectories|switchmodes?)$/u,
    advice: 'The workspace is open, and paths are relative to it: begin with the task.',
  },
  {
    names: /screenshot|^(?:computer|browser)\w*$|playwright|puppeteer/u,
    advice: 'There is no screen: get pages with fetch_url, run programs with run_command.',
  },
  { names: /^notebook(?:edit|read|editcell)?$/u, advice: 'A notebook is JSON: read it with read_file, change it with edit_file.' },
  { names: /^(?:skill|slashcommand|listmcpresources|readmcpresource|getprompt|useprompt)/u, advice: 'Do it with the available tools.' },
  { names: /think|reason(?!able)|reflect/u, advice: 'Think in the text of your answer.' },
  { names: /todo|^(?:update|create|write|make|enter|exit)?plan(?:mode)?$|planning/u, advice: 'Keep the plan in the text of your answer.' },
  { names: /^(?:task|agent|dispatchagent|spawnagent|subagent|delegate)/u, advice: 'Do it yourself, with the available tools.' },
  { names: /websearch|searchweb|googlesearch/u, advice: 'Fetch a page with a known address with fetch_url.' },
  { names: /^undo|revert|restorefile/u, advice: 'Change it back with edit_file; a person can undo calls.' },
  { names: /^ask|userinput|finish|attemptcompletion|submit/u, advice: 'Say it in the text of your answer.' },
];

/** A name in a normal form: without case, separators, and prefixes of clients or models (`functions.readFile`, `mcp__server__read_file`). */
function plainName(name: string): string {
  const last = name.split(/\.|\/|__|:/u).at(-1) ?? name;
  return last.toLowerCase().replaceAll(/[\s_-]/gu, '');
}

const NO_TOOLS: ForeignTools = { listed: [], unlisted: [] };

function isSame(before: readonly AnyTool[], now: readonly AnyTool[]): boolean {
  return before.length === now.length && before.every((tool, index) => tool === now[index]);
}

/** Waits for a tool that may still be registered, at most until a signal aborts. */
async function waited(coming: Promise<void>, name: string, signals: readonly AbortSignal[]): Promise<void> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new SynapseError('cancelled', `${name.slice(0, 128)} was cancelled.`));
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  if (signals.some(({ aborted }) => aborted)) onAbort();
  try {
    await Promise.race([coming, ended]);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  }
}

/** The tools of the hands, by name. */
export class ToolRegistry implements ForeignToolHost {
  readonly #tools = new Map<string, AnyTool>();
  readonly #listeners = new Set<() => void>();
  /** The tools as passed in, including those that were left out. */
  #given = NO_TOOLS;
  #foreign = NO_TOOLS;
  #foreignByName: ReadonlyMap<string, AnyTool> = new Map();
  #source: ToolSource | undefined;
  #list: readonly AnyTool[] | undefined;
  #all: readonly AnyTool[] | undefined;
  #wireNames: NameMap | undefined;
  #descriptions: readonly FullToolDescription[] | undefined;

  constructor(tools: Iterable<AnyTool> = []) {
    for (const tool of tools) this.register(tool);
  }

  /** Adds a tool. Throws if its name is invalid or taken. */
  register(tool: AnyTool): void {
    this.#assertName(tool.name);
    if (this.#tools.has(tool.name)) {
      throw new SynapseError('already_exists', `A tool named ${tool.name} is registered already.`, { hint: 'Give it another name.' });
    }
    this.#tools.set(tool.name, tool);
    this.#forget();
  }

  /** Replaces the tools of servers, and notifies subscribers. A tool with a taken name is left out. */
  replaceForeign(tools: ForeignTools): void {
    if (isSame(this.#given.listed, tools.listed) && isSame(this.#given.unlisted, tools.unlisted)) return;
    this.#given = tools;
    const byName = new Map<string, AnyTool>();
    const free = (tool: AnyTool): boolean => {
      this.#assertName(tool.name);
      if (this.#tools.has(tool.name) || byName.has(tool.name)) return false;
      byName.set(tool.name, tool);
      return true;
    };
    this.#foreign = { listed: tools.listed.filter(free), unlisted: tools.unlisted.filter(free) };
    this.#foreignByName = byName;
    this.#forget();
    for (const listener of this.#listeners) notify(listener);
  }

  /** Sets the source of tools that are not registered yet. */
  expectFrom(source: ToolSource): void {
    this.#source = source;
  }

  /** Calls the listener when the tools have changed. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The tools shown to models, in the order of registration; the same list while they are the same. */
  list(): readonly AnyTool[] {
    this.#list ??= [...this.#tools.values(), ...this.#foreign.listed];
    return this.#list;
  }

  /** All callable tools, including unlisted ones. */
  all(): readonly AnyTool[] {
    this.#all ??= [...this.#tools.values(), ...this.#foreignByName.values()];
    return this.#all;
  }

  /** The tool descriptions for models; the same list as long as the tools are the same. */
  describe(): readonly FullToolDescription[] {
    this.#descriptions ??= this.list().map(describeTool);
    return this.#descriptions;
  }

  /**
   * What a provider would reject in the tools in its format; empty if all are valid. Also reports a
   * tool that strict schemas cannot express, although it is sent without them. For tools
   * that are not registered here use `checkTools`.
   */
  validate(provider: Provider): readonly ToolProblem[] {
    const unwritable: ToolProblem[] = [];
    const descriptions = this.list().flatMap((tool) => {
      try {
        return [describeTool(tool)];
      } catch (error) {
        const { message, hint } = toSynapseError(error);
        unwritable.push({ tool: tool.name, field: 'inputSchema', rule: message, fix: hint ?? '' });
        return [];
      }
    });
    const written = toolCatalogue(descriptions).wireTools(provider);
    for (const { name, problem } of written) {
      if (problem !== undefined) unwritable.push({ tool: name, field: 'inputSchema', rule: problem.message, fix: problem.hint ?? '' });
    }
    return [...unwritable, ...checkTools(provider, written)];
  }

  /**
   * The tool of a name; undefined if it does not exist. A server's tool is also found by its name on the wire: models know
   * only that name, and the list of an unlisted tool does not map it to the other.
   */
  find(name: string): AnyTool | undefined {
    return this.#tools.get(name) ?? this.#foreignByName.get(name) ?? this.#foreignByName.get(this.#fromWire(name));
  }

  /** Resolves once it is known whether a missing tool will be registered; rejects when a signal aborts. Undefined if there is nothing to wait for. */
  waitForTool(name: string, signals: readonly AbortSignal[] = []): Promise<void> | undefined {
    const coming = this.#source === undefined || this.find(name) !== undefined ? undefined : this.#source.waitForTool(name);
    return coming && waited(coming, name, signals);
  }

  /**
   * The tool of a name. Throws for an unknown name, with suggestions.
   *
   * @param isOffered whether to suggest a tool: only those that the caller may call. Default: all
   */
  get(name: string, isOffered: (tool: AnyTool) => boolean = () => true): AnyTool {
    const tool = this.find(name);
    if (tool !== undefined) return tool;
    const said = plainName(name);
    const offered = this.list().filter(isOffered);
    const known = offered.filter((one) => plainName(one.name) === said || one.otherNames?.some((other) => plainName(other) === said));
    const callable = this.all().filter(isOffered);
    const near =
      known.length > 0
        ? known.map((one) => one.name)
        : nearest(
            name,
            callable.map((one) => one.name),
          );
    const without = near.length > 0 ? undefined : WITHOUT_TOOL.find(({ names: others }) => others.test(said))?.advice;
    const names = offered.map((one) => one.name);
    const told = names.slice(0, MAX_TOLD).join(', ') + (names.length > MAX_TOLD ? ` and ${names.length - MAX_TOLD} more` : '');
    throw new SynapseError('unknown_tool', `Unknown tool: ${JSON.stringify(name.slice(0, 64))}`, {
      hint: `${near.length > 0 ? `Did you mean ${near.join(', ')}? ` : without === undefined ? '' : `${without} `}The tools are: ${told}.`,
      details: { nearest: near },
    });
  }

  #fromWire(name: string): string {
    if (this.#foreignByName.size === 0) return name;
    this.#wireNames ??= nameMap(this.all().map((tool) => tool.name));
    return this.#wireNames.fromWire(name);
  }

  #assertName(name: string): void {
    if (TOOL_NAME.test(name)) return;
    throw new SynapseError('invalid_arguments', `The tool name ${JSON.stringify(name).slice(0, 80)} is not valid.`, {
      hint: 'Use 1 to 64 lower-case letters, digits and underscores, beginning with a letter.',
    });
  }

  #forget(): void {
    this.#list = undefined;
    this.#all = undefined;
    this.#wireNames = undefined;
    this.#descriptions = undefined;
  }
}
