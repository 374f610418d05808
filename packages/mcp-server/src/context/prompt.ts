import type { McpResourceContent } from './resource.ts';

/** An argument of a prompt, filled in by the user. */
export interface McpPromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A message of a prompt, in the form of MCP. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
    | { readonly type: 'resource'; readonly resource: McpResourceContent };
}

/** A text that starts a conversation, as returned by `prompts/get`. */
export interface McpPrompt {
  /** Identifier; clients show it as a command. */
  readonly name: string;
  /** Short display name. */
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
  /** Returns the messages; every required value is present. */
  readonly get: (values: Readonly<Record<string, string>>) => readonly McpPromptMessage[];
}
