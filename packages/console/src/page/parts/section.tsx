import type { ComponentChildren } from 'preact';

/** A titled section of a view or panel. */
export function Section({
  title,
  level = 3,
  children,
  actions,
}: {
  readonly title: string;
  readonly level?: 2 | 3;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section class="section">
      <div class="section-head">
        <Heading>{title}</Heading>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A list of names with values. */
export function Facts({ facts }: { readonly facts: ReadonlyArray<readonly [string, ComponentChildren]> }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
