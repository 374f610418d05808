import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { go } from '../link/route.ts';
import type { ViewName } from '../link/places.ts';
import { Icon } from './icon.tsx';
import { isTyping } from './is-typing.ts';

/** Shows one item of a list beside the list. Takes the focus, and returns it when closed with the button or Escape. */
export function Panel({
  label,
  view,
  id,
  title,
  badge,
  bodyClass = 'panel-body',
  foot,
  children,
}: {
  readonly label: string;
  /** The view with the list. */
  readonly view: ViewName;
  readonly id: string;
  readonly title: string;
  readonly badge?: ComponentChildren;
  readonly bodyClass?: string;
  /** Stays below the body. */
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus();
    return () => {
      // On a narrow page, the list only reappears after this cleanup.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected) before.focus();
      });
    };
  }, [id]);
  const close = (): void => go(view);
  // Escape in a field must not discard its text.
  const onKeyDown = ({ key, target }: KeyboardEvent): void => (key === 'Escape' && !isTyping(target) ? close() : undefined);
  return (
    <aside ref={box} class="panel" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
      <div class="panel-head">
        <button type="button" class="button icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
        <h2>{title}</h2>
        {badge}
      </div>
      <div class={bodyClass}>{children}</div>
      {foot !== undefined && foot !== false && <div class="panel-foot">{foot}</div>}
    </aside>
  );
}
