import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows to render beyond the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 8;

interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** Height of all rows in pixels. */
  readonly rowHeight: number;
  readonly keyOf: (item: Item) => string | number;
  readonly render: (item: Item) => ComponentChildren;
  readonly onOpen: (item: Item) => void;
  readonly selected: string | number | undefined;
  readonly head: ComponentChildren;
  readonly columns: number;
}

type Box = RefObject<HTMLDivElement | null>;

/** Which part of a box is visible, in pixels. */
function useView(box: Box): { readonly top: number; readonly height: number } {
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  return view;
}

interface Rows<Item> extends Pick<VirtualListProps<Item>, 'items' | 'keyOf' | 'rowHeight'> {
  readonly at: (row: number) => Item | undefined;
}

/** Scrolls by what was added at the top, so that the visible rows stay where they are. */
function useKeptPlace<Item>(box: Box, { items, at, keyOf, rowHeight }: Rows<Item>): void {
  const newest = useRef<string | number>(undefined);
  useLayoutEffect(() => {
    const element = box.current;
    const top = at(0);
    const before = newest.current;
    newest.current = top === undefined ? undefined : keyOf(top);
    if (element === null || before === undefined || element.scrollTop === 0 || before === newest.current) return;
    let added = 0;
    while (added < 1_000 && added < items.length && keyOf(at(added) as Item) !== before) added += 1;
    if (added < 1_000) element.scrollTop += added * rowHeight;
  }, [items]);
}

/** A long list that renders only visible rows, last item first. New rows at the top do not move the visible ones. */
export function VirtualList<Item>({ label, items, rowHeight, keyOf, render, onOpen, selected, head, columns }: VirtualListProps<Item>) {
  const box = useRef<HTMLDivElement>(null);
  const view = useView(box);
  const [active, setActive] = useState<string | number>();
  const at = (row: number): Item | undefined => items[items.length - 1 - row];
  useKeptPlace(box, { items, at, keyOf, rowHeight });
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  const move = (row: number): void => {
    const element = box.current;
    const item = at(Math.max(0, Math.min(items.length - 1, row)));
    if (element === null || item === undefined) return;
    const to = Math.max(0, Math.min(items.length - 1, row));
    setActive(keyOf(item));
    if (to * rowHeight < element.scrollTop) element.scrollTop = to * rowHeight;
    if ((to + 1) * rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = (to + 1) * rowHeight - element.clientHeight;
    // The row may have to be rendered first.
    requestAnimationFrame(() => requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus()));
  };
  const onKey = (event: KeyboardEvent, row: number, item: Item): void => {
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -items.length,
      End: items.length,
    };
    const step = steps[event.key];
    if (step !== undefined) move(row + step);
    else if (event.key === 'Enter' || event.key === ' ') onOpen(item);
    else return;
    event.preventDefault();
  };
  const focusable = rows.find((row) => keyOf(at(row) as Item) === active) ?? first;

  return (
    <div class="grid" role="grid" aria-label={label} aria-rowcount={items.length + 1} aria-colcount={columns}>
      {head}
      <div class="grid-body" role="rowgroup" ref={box}>
        <div class="grid-space" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
          {rows.map((row) => {
            const item = at(row) as Item;
            const key = keyOf(item);
            return (
              <div
                key={key}
                role="row"
                class="grid-row"
                data-row={row}
                aria-rowindex={row + 2}
                aria-selected={key === selected}
                tabIndex={row === focusable ? 0 : -1}
                style={{ transform: `translateY(${row * rowHeight}px)`, height: `${rowHeight}px` }}
                onClick={() => onOpen(item)}
                onFocus={() => setActive(key)}
                onKeyDown={(event) => onKey(event, row, item)}
              >
                {render(item)}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
