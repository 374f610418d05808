import type { ComponentChildren } from 'preact';
import { visible } from '../parts/format.ts';
import type { Field } from './fields.ts';

/** Maximum length of a default value that a narrow field still shows whole. */
const MAX_PLACEHOLDER = 30;

interface FieldInputProps {
  readonly id: string;
  readonly field: Field;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A multiple choice. */
function Checks({ id, choices, value, onChange }: Pick<FieldInputProps, 'id' | 'value' | 'onChange'> & Pick<Field, 'choices'>) {
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

/** A field of a form, with its name, description and error. */
export function FieldInput({ id, field, value, problem, onChange }: FieldInputProps) {
  const { name, title, kind, required, description, choices, fallback, switchedOn, expects = '' } = field;
  const described = [description === undefined ? undefined : `${id}-about`, problem === undefined ? undefined : `${id}-problem`].filter(
    (part) => part !== undefined,
  );
  const shared = {
    id,
    value,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-required': required,
  };
  const isLong = kind === 'text' && fallback !== undefined && fallback.length > MAX_PLACEHOLDER;
  const placeholder = fallback === undefined || isLong ? expects : `default: ${visible(fallback)}`;
  const label = (
    <>
      {title === undefined ? <code>{visible(name)}</code> : <span class="strong">{visible(title)}</span>}
      {required && <span class="muted"> required</span>}
      {kind === 'choices' && <span class="muted"> {expects}</span>}
      {kind === 'lines' && <span class="muted"> one a line</span>}
      {kind === 'json' && <span class="muted"> JSON</span>}
    </>
  );
  const grouped =
    kind === 'choices' ? { role: 'group' as const, 'aria-labelledby': `${id}-name`, 'aria-describedby': shared['aria-describedby'] } : {};
  return (
    <div class="field" {...grouped}>
      {switchedOn === undefined ? (
        kind === 'choices' ? (
          <span id={`${id}-name`}>{label}</span>
        ) : (
          <label for={id}>{label}</label>
        )
      ) : (
        <Switch id={id} on={switchedOn} value={value} about={shared['aria-describedby']} onChange={onChange}>
          {label}
        </Switch>
      )}
      {kind === 'choices' && <Checks id={id} choices={choices} value={value} onChange={onChange} />}
      {(kind === 'text' || kind === 'number' || kind === 'integer') && (
        <input
          {...shared}
          type="text"
          class="mono"
          inputMode={kind === 'text' ? 'text' : 'decimal'}
          placeholder={placeholder}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      {(kind === 'long' || kind === 'lines' || kind === 'json') && (
        <textarea
          {...shared}
          class="mono"
          rows={kind === 'lines' ? 2 : 4}
          placeholder={placeholder}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      {(kind === 'boolean' || kind === 'choice') && switchedOn === undefined && (
        <select {...shared} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">{fallback === undefined ? 'not set' : `default: ${visible(fallback)}`}</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {visible(choice.label)}
            </option>
          ))}
        </select>
      )}
      {isLong && <p class="muted">default: {visible(fallback)}</p>}
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
