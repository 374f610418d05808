import { SynapseError, toSynapseError } from '@synapse/protocol';
import { notify } from './notify.ts';
import { nearest } from './text/nearest.ts';
import { checkTools, type ToolProblem } from './providers/check-tools.ts';
import { nameMap, type NameMap } from './providers/name-map.ts';
import type { Provider } from './providers/provider-rules.ts';
import { toolCatalogue } from './providers/tool-catalogue.ts';
import { describeTool, type FullToolDescription } from './providers/tool-description.ts';
import type { AnyTool } from './tool.ts';

/** OpenAI and Anthropic take 64 characters of a function name. A tool of a server is renamed for them; records keep 128. */
const TOOL_NAME = /^(?:[a-z][a-z0-9_]{0,63}|mcp:[A-Za-z0-9_.-]{1,40}:[A-Za-z0-9_.-]{1,80})$/u;
/** Names told with an error; a server may have thousands. */
const MAX_TOLD = 60;

/** Tools that come and go while the hands are open. */
export interface ForeignTools {
  /** Shown to models. */
  readonly listed: readonly AnyTool[];
  /** Found by their name, and told of elsewhere. */
  readonly unlisted: readonly AnyTool[];
}

/** Where tools come from that are not there yet. */
export interface ToolSource {
  /**
   * Settles once it is known whether there is a tool of that name; undefined where there is nothing to wait for.
   * Rejects with a Synapse error where it is known why there is none.
   */
  coming(name: string): Promise<void> | undefined;
}

const NO_TOOLS: ForeignTools = { listed: [], unlisted: [] };

function isSame(before: readonly AnyTool[], now: readonly AnyTool[]): boolean {
  return before.length === now.length && before.every((tool, index) => tool === now[index]);
}

/** The tools that hands know, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, AnyTool>();
  readonly #listeners = new Set<() => void>();
  /** As they were handed over, with those that were left out. */
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

  /** Adds a tool; a bad or taken name is an error of whoever set the hands up. */
  register(tool: AnyTool): void {
    this.#assertName(tool.name);
    if (this.#tools.has(tool.name)) {
      throw new SynapseError('already_exists', `A tool named ${tool.name} is registered already.`, { hint: 'Give it another name.' });
    }
    this.#tools.set(tool.name, tool);
    this.#forget();
  }

  /** Replaces the tools that came from elsewhere, and tells whoever subscribed. One of a name that is taken is left out. */
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

  /** Says where tools may come from that are not there yet. */
  expectFrom(source: ToolSource): void {
    this.#source = source;
  }

  /** Hears whenever the tools have changed. Returns a function that ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The tools that models are shown, in the order they were registered; the same list as long as they are the same. */
  list(): readonly AnyTool[] {
    this.#list ??= [...this.#tools.values(), ...this.#foreign.listed];
    return this.#list;
  }

  /** The tools that can be called, also those that are not listed. */
  all(): readonly AnyTool[] {
    this.#all ??= [...this.#tools.values(), ...this.#foreignByName.values()];
    return this.#all;
  }

  /** What models are told of the tools; the same list as long as the tools are the same. */
  describe(): readonly FullToolDescription[] {
    this.#descriptions ??= this.list().map(describeTool);
    return this.#descriptions;
  }

  /**
   * What a provider would refuse of the tools as they are written for it; nothing where all is well. A
   * tool that strict rules have no words for is told of too, though it is sent without them. For tools
   * that are not registered here there is `checkTools`.
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
   * The tool of a name, where there is one. A server's tool is found by its name on the wire, too: models know no
   * other, and of one that is not listed (any more) the lists that they were given do not say which it is.
   */
  find(name: string): AnyTool | undefined {
    return this.#tools.get(name) ?? this.#foreignByName.get(name) ?? this.#foreignByName.get(this.#fromWire(name));
  }

  /** Settles once it is known whether a tool that is not there will come; undefined where there is nothing to wait for. */
  coming(name: string): Promise<void> | undefined {
    return this.#source === undefined || this.find(name) !== undefined ? undefined : this.#source.coming(name);
  }

  /** The tool of a name; an unknown name is answered with the nearest ones. */
  get(name: string): AnyTool {
    const tool = this.find(name);
    if (tool !== undefined) return tool;
    const known = this.list().filter(({ otherNames }) => otherNames?.includes(name.toLowerCase()));
    const near = known.length > 0 ? known.map((one) => one.name) : nearest(name, [...this.#tools.keys(), ...this.#foreignByName.keys()]);
    const names = this.list().map((one) => one.name);
    const told = names.slice(0, MAX_TOLD).join(', ') + (names.length > MAX_TOLD ? ` and ${names.length - MAX_TOLD} more` : '');
    throw new SynapseError('unknown_tool', `There is no tool named ${JSON.stringify(name.slice(0, 64))}.`, {
      hint: `${near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''}The tools are: ${told}.`,
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
