import type { McpResourceContent } from './resource.ts';

/** A value that whoever picks a prompt may fill in. */
export interface McpPromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** One message of a prompt, as MCP writes it. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
    | { readonly type: 'resource'; readonly resource: McpResourceContent };
}

/** A text that a person starts a conversation with, offered as `prompts/get` has it. */
export interface McpPrompt {
  /** As programs call it; clients show it as a command. */
  readonly name: string;
  /** A few words for a person. */
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
  /** Makes the messages; every required value is there. */
  readonly get: (values: Readonly<Record<string, string>>) => readonly McpPromptMessage[];
}
