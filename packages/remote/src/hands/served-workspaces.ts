import type { Approver, EventListener, Hands } from '@synapse/hands';
import { workspaceName } from '../workspace-name.ts';

/** Where the records of a machine lie that serves several workspaces. No path is the same. */
export const SEVERAL = '*';

/** A workspace that is open, and who approves its calls at this machine. */
export interface OpenWorkspace extends AsyncDisposable {
  readonly hands: Hands;
  readonly approver?: Approver;
}

/** The workspaces that a machine serves, by the names that devices give them. */
export interface ServedWorkspaces {
  /** What names the folder of its ledger and output: the path of the only workspace, or {@link SEVERAL}. */
  readonly records: string;
  /** The workspaces, for people. */
  readonly shown: string;
  /** The names that calls may have where no device is paired. */
  names(): readonly string[];
  /** The path of a workspace; undefined if none has this name. */
  rootOf(name: string | undefined): string | undefined;
  /** A workspace that is open already. */
  find(name: string | undefined): OpenWorkspace | undefined;
  /** Opens a workspace; undefined if none has this name. @throws SynapseError if it cannot be opened */
  open(name: string | undefined): OpenWorkspace | undefined | Promise<OpenWorkspace | undefined>;
  /** The open ones: those that have one of the names, or had it. Default: all. */
  opened(names?: readonly string[]): readonly OpenWorkspace[];
  /** Listens to events of all. Returns a function that ends it. */
  subscribe(listener: EventListener): () => void;
}

/** The only workspace of a machine. */
export class OneWorkspace implements ServedWorkspaces {
  readonly #open: OpenWorkspace;
  readonly #isNamed: (name: string) => boolean;

  /** @param isPaired whether a name was looked up in the grants of a device already */
  constructor(hands: Hands, approver: Approver | undefined, isPaired: boolean) {
    // The caller opened the hands, and disposes them.
    this.#open = { hands, ...(approver === undefined ? {} : { approver }), [Symbol.asyncDispose]: async () => {} };
    this.#isNamed = (name) => isPaired || name === workspaceName(hands.workspace);
  }

  get records(): string {
    return this.#open.hands.workspace;
  }

  get shown(): string {
    return this.records;
  }

  names(): readonly string[] {
    return [workspaceName(this.records)];
  }

  rootOf(name: string | undefined): string | undefined {
    return this.find(name)?.hands.workspace;
  }

  find(name: string | undefined): OpenWorkspace | undefined {
    return name === undefined || this.#isNamed(name) ? this.#open : undefined;
  }

  open(name: string | undefined): OpenWorkspace | undefined {
    return this.find(name);
  }

  opened(): readonly OpenWorkspace[] {
    return [this.#open];
  }

  subscribe(listener: EventListener): () => void {
    return this.#open.hands.subscribe(listener);
  }
}
