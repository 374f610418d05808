import type { AnyTool } from './tool.ts';

/** Tools that can change while the hands are open. */
export interface ForeignTools {
  /** Tools that models see. */
  readonly listed: readonly AnyTool[];
  /** Tools that can be called by name, and are described elsewhere. */
  readonly unlisted: readonly AnyTool[];
}

/** A source of tools that are not registered yet. */
export interface ToolSource {
  /**
   * Resolves once it is known whether a tool of that name exists; undefined if there is nothing to wait for.
   * Rejects with a Synapse error if the tool cannot be registered.
   */
  waitForTool(name: string): Promise<void> | undefined;
}

/** Registers the tools of servers. */
export interface ForeignToolHost {
  /** All callable tools, including unlisted ones. */
  all(): readonly AnyTool[];
  find(name: string): AnyTool | undefined;
  /** Replaces the tools of servers. A tool with a taken name is left out. */
  replaceForeign(tools: ForeignTools): void;
  /** Sets the source of tools that are not registered yet. */
  expectFrom(source: ToolSource): void;
}
