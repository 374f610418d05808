/** A question of an MCP server, as shown to the user. All of it is untrusted. */
export interface PersonForm {
  readonly server: string;
  /** The tool of the call that the question belongs to. */
  readonly tool: string;
  readonly message: string;
  /** JSON Schema of an object whose fields are strings, numbers, booleans or choices. Without fields if there is a {@link url}. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The page to open in a browser, in place of fields. `accept` means that the user opens it. */
  readonly url?: string;
}

/** The user's answer to a form. `cancel`: no decision. */
export type FilledForm =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, string | number | boolean | string[]>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };
