import type { ComponentChildren } from 'preact';
import { visible } from '../parts/format.ts';
import type { Field, FieldKind } from './fields.ts';

/** Maximum length of a default value that a narrow field still shows whole. */
const MAX_PLACEHOLDER = 30;

interface FieldInputProps {
  readonly id: string;
  readonly field: Field;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

/** The attributes of the element that takes a value. */
interface ControlAttributes {
  readonly id: string;
  readonly value: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
  readonly 'aria-required': boolean;
}

interface ControlProps {
  readonly field: Field;
  readonly attributes: ControlAttributes;
  readonly onChange: (value: string) => void;
}

/** Whether a default value is too long for the field, so that it is shown below. */
const hasLongDefault = ({ kind, fallback }: Field): boolean => kind === 'text' && fallback !== undefined && fallback.length > MAX_PLACEHOLDER;

function placeholderOf(field: Field): string {
  const { fallback, expects = '' } = field;
  return fallback === undefined || hasLongDefault(field) ? expects : `default: ${visible(fallback)}`;
}

/** A line of text, or a number. */
function LineInput({ field, attributes, onChange }: ControlProps) {
  return (
    <input
      {...attributes}
      type="text"
      class="mono"
      inputMode={field.kind === 'text' ? 'text' : 'decimal'}
      placeholder={placeholderOf(field)}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** Lines of text. */
function TextArea({ field, attributes, onChange }: ControlProps) {
  return (
    <textarea
      {...attributes}
      class="mono"
      rows={field.kind === 'lines' ? 2 : 4}
      placeholder={placeholderOf(field)}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** One of several values, or none. */
function Select({ field: { choices, fallback, switchedOn }, attributes, onChange }: ControlProps) {
  // The switch beside the name takes the value.
  if (switchedOn !== undefined) return null;
  return (
    <select {...attributes} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{fallback === undefined ? 'not set' : `default: ${visible(fallback)}`}</option>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {visible(choice.label)}
        </option>
      ))}
    </select>
  );
}

/** A multiple choice. */
function Checks({ field: { choices }, attributes: { id, value }, onChange }: ControlProps) {
  const chosen = value.split('\n').filter((line) => line !== '');
  return (
    <>
      {choices.map((choice, index) => (
        <label key={choice.value} class="check-choice">
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            checked={chosen.includes(choice.value)}
            onChange={({ currentTarget }) =>
              onChange((currentTarget.checked ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value)).join('\n'))
            }
          />
          {visible(choice.label)}
        </label>
      ))}
    </>
  );
}

/** What takes a value of each kind. */
const CONTROLS = {
  text: LineInput,
  number: LineInput,
  integer: LineInput,
  long: TextArea,
  lines: TextArea,
  json: TextArea,
  boolean: Select,
  choice: Select,
  choices: Checks,
} as const satisfies Record<FieldKind, (props: ControlProps) => ComponentChildren>;

/** A value that is on or off. The default is no value. */
function Switch({
  id,
  on,
  value,
  about,
  onChange,
  children,
}: Pick<FieldInputProps, 'id' | 'value' | 'onChange'> & {
  readonly on: boolean;
  readonly about: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="switch-field">
      <input
        id={id}
        type="checkbox"
        role="switch"
        class="switch"
        checked={value === '' ? on : value === 'true'}
        aria-describedby={about}
        onChange={({ currentTarget: { checked } }) => onChange(checked === on ? '' : String(checked))}
      />
      <span>{children}</span>
    </label>
  );
}

/** What to type, for the kinds whose control does not show it. */
const NOTATIONS: Readonly<Partial<Record<FieldKind, string>>> = { lines: 'one a line', json: 'JSON' };

/** The name of a field, and what to know before typing. */
function Name({ field: { name, title, kind, required, expects = '' } }: Pick<FieldInputProps, 'field'>) {
  const notation = kind === 'choices' ? expects : NOTATIONS[kind];
  return (
    <>
      {title === undefined ? <code>{visible(name)}</code> : <span class="strong">{visible(title)}</span>}
      {required && <span class="muted"> required</span>}
      {notation !== undefined && <span class="muted"> {notation}</span>}
    </>
  );
}

/** The name as the label of what takes the value: of a switch, of a group, or of one element. */
function Label({ field, attributes, onChange }: ControlProps) {
  const { id, value, 'aria-describedby': about } = attributes;
  const name = <Name field={field} />;
  if (field.switchedOn === undefined) return field.kind === 'choices' ? <span id={`${id}-name`}>{name}</span> : <label for={id}>{name}</label>;
  return (
    <Switch id={id} on={field.switchedOn} value={value} about={about} onChange={onChange}>
      {name}
    </Switch>
  );
}

/** A field of a form, with its name, description and error. */
export function FieldInput({ id, field, value, problem, onChange }: FieldInputProps) {
  const { kind, required, description, fallback = '' } = field;
  const described = [description === undefined ? undefined : `${id}-about`, problem === undefined ? undefined : `${id}-problem`].filter(
    (part) => part !== undefined,
  );
  const attributes: ControlAttributes = {
    id,
    value,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
    'aria-invalid': problem === undefined ? undefined : 'true',
    'aria-required': required,
  };
  const Control = CONTROLS[kind];
  const grouped =
    kind === 'choices' ? { role: 'group' as const, 'aria-labelledby': `${id}-name`, 'aria-describedby': attributes['aria-describedby'] } : {};
  return (
    <div class="field" {...grouped}>
      <Label field={field} attributes={attributes} onChange={onChange} />
      <Control field={field} attributes={attributes} onChange={onChange} />
      {hasLongDefault(field) && <p class="muted">default: {visible(fallback)}</p>}
      {description !== undefined && (
        <p id={`${id}-about`} class="muted">
          {visible(description)}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="problem">
          {problem}
        </p>
      )}
    </div>
  );
}
