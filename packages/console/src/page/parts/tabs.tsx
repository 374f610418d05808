/** Tabs of a view. */
export function Tabs<Name extends string>({
  label,
  tabs,
  current,
  onChoose,
}: {
  readonly label: string;
  readonly tabs: ReadonlyArray<readonly [Name, string]>;
  readonly current: Name;
  readonly onChoose: (name: Name) => void;
}) {
  const move = (by: number): void => {
    const at = tabs.findIndex(([name]) => name === current);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next[0]);
    document.getElementById(`tab-${next[0]}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onChoose(name)}
          onKeyDown={({ key }) => (key === 'ArrowRight' ? move(1) : key === 'ArrowLeft' ? move(-1) : undefined)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
