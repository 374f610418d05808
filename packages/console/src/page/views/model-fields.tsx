/** A model as typed. */
interface TypedModel {
  readonly model: string;
  readonly baseUrl: string;
  readonly input: string;
  readonly output: string;
}

export const NO_MODEL: TypedModel = { model: '', baseUrl: '', input: '', output: '' };

/** A price as typed; the console refuses what is no number. */
const amountIn = (text: string): number => Number(text.trim().replace(',', '.'));

/** What a run is started with: only what was typed. */
export function askedOf({ model, baseUrl, input, output }: TypedModel) {
  return {
    ...(model === '' ? {} : { model }),
    ...(baseUrl === '' ? {} : { baseUrl }),
    ...(input === '' ? {} : { price: { input: amountIn(input), output: amountIn(output) } }),
  };
}

interface ModelFieldsProps {
  readonly named: TypedModel;
  /** Names to choose from. */
  readonly known: readonly string[];
  readonly onChange: (part: Partial<TypedModel>) => void;
}

/** Asks for a model, its server and its price. */
export function ModelFields({ named, known, onChange }: ModelFieldsProps) {
  return (
    <>
      <label class="field">
        <span>Model</span>
        <input
          type="text"
          list="models"
          placeholder="provider/name"
          value={named.model}
          onInput={({ currentTarget }) => onChange({ model: currentTarget.value })}
        />
      </label>
      <datalist id="models">
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label class="field">
        <span>Server, where it is your own</span>
        <input
          type="url"
          placeholder="http://127.0.0.1:11434/v1"
          value={named.baseUrl}
          onInput={({ currentTarget }) => onChange({ baseUrl: currentTarget.value })}
        />
      </label>
      <details>
        <summary>Price, to see the cost</summary>
        <div class="pair">
          {(['input', 'output'] as const).map((kind) => (
            <label key={kind} class="field">
              <span>{kind === 'input' ? 'Input, $ per million tokens' : 'Output, $ per million tokens'}</span>
              <input type="text" inputMode="decimal" value={named[kind]} onInput={({ currentTarget }) => onChange({ [kind]: currentTarget.value })} />
            </label>
          ))}
        </div>
      </details>
    </>
  );
}
