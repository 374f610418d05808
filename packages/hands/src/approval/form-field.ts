/** Maximum number of choices of a field. A form with more is rejected. */
export const MAX_OPTIONS = 100;
/** Maximum length of the text in a field, in characters. */
export const MAX_TEXT = 10_000;

/** One possible value of a field. */
export interface FormOption {
  readonly value: string;
  /** The text that is shown. */
  readonly label: string;
}

/** A value of a field. */
export type FormValue = string | number | boolean | string[];

/** The kinds of fields and their constraints. */
export type FormFieldKind =
  | { readonly kind: 'text'; readonly format: string | undefined; readonly minLength: number | undefined; readonly maxLength: number | undefined }
  | { readonly kind: 'number'; readonly integer: boolean; readonly minimum: number | undefined; readonly maximum: number | undefined }
  | { readonly kind: 'boolean' }
  /** `isOld`: the labels are sent as `enumNames`, the only form that clients before MCP 2025-11-25 know. */
  | { readonly kind: 'choice'; readonly options: readonly FormOption[]; readonly isOld: boolean }
  | {
      readonly kind: 'choices';
      readonly options: readonly FormOption[];
      readonly minItems: number | undefined;
      readonly maxItems: number | undefined;
    };

/** A field of a form. Its texts are safe for a terminal and hide nothing. */
export type FormField = FormFieldKind & {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly required: boolean;
  /** The value if nothing is typed; always valid for the field. */
  readonly default: FormValue | undefined;
  /** Whether its texts suggest a password, a key or a card number. Servers must not ask for these in a form. */
  readonly secret: boolean;
};
